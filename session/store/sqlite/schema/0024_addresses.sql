-- Where the requests of a session go: the base URL of its endpoint without user, password and query, '' before the
-- first one. The name of an endpoint may come to mean another server.
ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';
