"""One file for each harness: the shape of its files, and what each field of them means."""
