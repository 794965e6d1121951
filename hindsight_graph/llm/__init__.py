"""The LLM port: one question with a schema, one checked answer; any OpenAI-compatible endpoint, optionally Anthropic's."""
