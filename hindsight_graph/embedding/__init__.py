"""Text to vectors: one port, one module per embedder."""
