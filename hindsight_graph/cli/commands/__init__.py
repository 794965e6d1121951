"""The commands, one module per kind of question: each calls one method of the engine and shows what it returns."""
