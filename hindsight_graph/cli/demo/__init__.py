"""The demo: a story of three weeks (`story.jsonl`) and the questions asked of it."""
