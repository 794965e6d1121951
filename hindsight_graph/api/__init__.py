"""The faces that are served: MCP tools for agents, REST for services. Thin: each call names a scope and asks the engine."""
