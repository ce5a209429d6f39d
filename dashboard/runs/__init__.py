"""Background runs of audits: job, queue, worker process, limits.

May import export, and what export may.
"""
