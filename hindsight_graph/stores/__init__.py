"""Where memories live: one interface, one package per store."""
