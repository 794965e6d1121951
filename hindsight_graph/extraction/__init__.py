"""Text to statements: one port, rules for English and Chinese."""
