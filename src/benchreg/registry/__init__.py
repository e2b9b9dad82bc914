"""What was said, and where: reading, judging, linking."""
