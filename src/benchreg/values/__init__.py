"""Numbers and text, without a domain."""
