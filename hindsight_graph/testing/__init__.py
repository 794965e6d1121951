"""What a store author needs: builders, the contract suite, and a state machine against a model in plain dictionaries."""
