"""The audit, what it says, the sentences, the JSON form; may import experiment and below."""
