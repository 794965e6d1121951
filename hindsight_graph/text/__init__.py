"""Words, names, sentences and signatures: the one normaliser and the one tokeniser. Pure functions."""
