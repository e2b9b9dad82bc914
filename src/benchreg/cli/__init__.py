"""The command line: options -> library -> echo, exit code; one file per command."""
