-- What the user said of a tool for all sessions.
CREATE TABLE tool_permissions (
	id         INTEGER PRIMARY KEY,
	name       TEXT    NOT NULL, -- as the model is offered it
	identity   TEXT    NOT NULL, -- of the tool that is allowed; '' where any tool of the name is meant
	server     TEXT    NOT NULL, -- the MCP server that has it, '' for none
	permission TEXT    NOT NULL, -- off, ask or allow
	updated_ms INTEGER NOT NULL,
	UNIQUE (name, identity)
) STRICT;
