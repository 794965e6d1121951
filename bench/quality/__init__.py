"""The quality bench: one command, one table. What is found, by whom, how surely, and how fast."""
