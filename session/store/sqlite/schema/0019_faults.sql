-- Why a turn failed, for the place in the conversation where it did.
ALTER TABLE requests ADD COLUMN fault TEXT NOT NULL DEFAULT ''; -- of a request with which its turn failed: JSON, '' for none

-- Of older requests it is not known whether winnow asked again by itself: only those that nothing followed count.
UPDATE requests
SET fault = json_object('what', substr(error, 1, instr(error || char(10), char(10)) - 1))
WHERE ended = 'failed'
	AND purpose = ''
	AND error <> ''
	AND NOT EXISTS (
		SELECT 1
		FROM requests later
		WHERE later.session = requests.session
			AND later.user = requests.user
			AND later.purpose = ''
			AND later.id > requests.id
	);
