-- What the server could have had of a request in its cache, and what it says itself of why it had not.
ALTER TABLE requests ADD COLUMN reusable_tokens INTEGER NOT NULL DEFAULT 0; -- those at its beginning that the request before it began with too, as the server counts; 0 for none or not known
ALTER TABLE requests ADD COLUMN reusable_us INTEGER NOT NULL DEFAULT 0; -- microseconds since that request
ALTER TABLE requests ADD COLUMN cache_diagnosis TEXT NOT NULL DEFAULT ''; -- JSON as received, '' for none
