"""The rules, one file per family; a rule's docstring is its page."""
