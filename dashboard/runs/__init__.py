"""Background runs of audits: job, queue, process, limits; may import export and below."""
