-- The files of an unsent draft that have no path, such as an image from the clipboard: a JSON array ([]) in the order of
-- those of drafts.files that have none, their bytes in base64.
ALTER TABLE drafts ADD COLUMN parts BLOB NOT NULL DEFAULT x'5b5d';
