-- What a request wrote to the server's cache, and whose prices its cost was computed from.
ALTER TABLE requests ADD COLUMN cache_write_tokens INTEGER NOT NULL DEFAULT 0; -- as reported, 0 for none or not said
ALTER TABLE requests ADD COLUMN price_source TEXT NOT NULL DEFAULT ''; -- for people, '' where the server said the cost or nothing is known

-- Sums over all sessions by time read only this, not the rows with their plans.
CREATE INDEX requests_usage ON requests (
	created_ms, endpoint, model, purpose, cost_from, cost_nano,
	prompt_tokens, cached_tokens, cache_write_tokens, answer_tokens, reasoning_tokens, session
);
