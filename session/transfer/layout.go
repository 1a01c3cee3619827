package transfer

import (
	"bytes"
	"io"

	"winnow/session/transfer/rawjson"
)

// layout is what a file with conversations is.
type layout int

// The layouts that detect knows.
const (
	messagesLayout layout = iota // Chat Completions messages, and anything that is none of the others
	chatGPTLayout                // conversations of a ChatGPT data export
	exportLayout                 // the archive that such an export comes as
	archiveLayout                // what winnow writes as JSON without a loss
	sqliteLayout                 // an SQLite database
)

// detect finds out what a file is by reading its beginning: as much of it as there is before the first key
// that decides. It never goes by a name.
func detect(r io.Reader) (layout, error) {
	scan := rawjson.NewScanner(r)
	head, err := scan.Ahead(16)
	switch {
	case err != nil && err != io.EOF:
		return 0, err
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return sqliteLayout, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return exportLayout, nil
	}
	scan.SkipBOM()
	if scan.Peek() == '[' {
		scan.Take()
	}
	found := messagesLayout
	if scan.Peek() == '{' {
		found = layoutOfObject(scan)
	}
	if scan.Err != nil && scan.Err != io.EOF && scan.Err != rawjson.ErrTooLarge {
		return 0, scan.Err
	}
	return found, nil
}

// layoutOfObject looks for the first key that decides what the object is.
func layoutOfObject(scan *rawjson.Scanner) layout {
	scan.Take()
	for {
		scan.Drop()
		for scan.Peek() == ',' {
			scan.Take()
		}
		if scan.Peek() != '"' {
			return messagesLayout
		}
		key, _ := scan.Value()
		name := string(key)
		if scan.Peek() != ':' {
			return messagesLayout
		}
		scan.Take()
		switch first := scan.Peek(); {
		case name == `"winnow"`:
			return archiveLayout
		case name == `"mapping"`, name == `"conversations"` && first == '[':
			return chatGPTLayout
		case name == `"role"`, name == `"content"`, name == `"messages"` && first == '[':
			return messagesLayout
		}
		if _, ok := scan.Value(); !ok {
			return messagesLayout
		}
	}
}
