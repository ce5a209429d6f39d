"""The one result, what it says, the sentences, the JSON form; may import exploration and below."""
