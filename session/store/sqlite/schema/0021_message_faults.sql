-- Why a turn failed without a request of its own that failed: its next request did not fit the budget, or it had as
-- many requests as it may have.
ALTER TABLE messages ADD COLUMN fault TEXT NOT NULL DEFAULT ''; -- of the message behind which its turn failed so: JSON as requests.fault, '' for none
