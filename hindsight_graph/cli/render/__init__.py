"""From result models to what a person reads. Nothing here asks the engine anything."""
