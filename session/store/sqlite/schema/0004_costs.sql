-- What each request cost. Those that were sent before this step have nothing to say.
ALTER TABLE requests ADD COLUMN cost_nano INTEGER NOT NULL DEFAULT 0; -- billionths of a US dollar, 0 where cost_from knows none
ALTER TABLE requests ADD COLUMN cost_from TEXT NOT NULL DEFAULT ''; -- server, prices, estimate, unknown; '' is nothing to say

-- Sums of costs need not read the plans.
CREATE INDEX requests_cost ON requests (session, cost_from, cost_nano);
