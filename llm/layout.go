package llm

import (
	"bytes"
	"io"
)

// Layout is what a file with conversations is.
type Layout int

// The layouts that LayoutOf tells apart.
const (
	TranscriptLayout Layout = iota // Chat Completions messages, and anything that is none of the others
	ChatGPTLayout                  // conversations of a ChatGPT data export
	ExportLayout                   // the archive that such an export comes as
	ArchiveLayout                  // what winnow writes as JSON without a loss
	SQLiteLayout                   // an SQLite database
)

// LayoutOf finds out what a file is by reading its beginning: as much of it as stands before the first key
// that tells. It never goes by a name.
func LayoutOf(r io.Reader) (Layout, error) {
	scan := newScanner(r)
	head, err := scan.r.Peek(16)
	switch {
	case err != nil && err != io.EOF:
		return 0, err
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return SQLiteLayout, nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return ExportLayout, nil
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		scan.r.Discard(3)
	}
	if scan.peek() == '[' {
		scan.take()
	}
	layout := TranscriptLayout
	if scan.peek() == '{' {
		layout = layoutOfObject(scan)
	}
	if scan.err != nil && scan.err != io.EOF && scan.err != ErrLargeImport {
		return 0, scan.err
	}
	return layout, nil
}

// layoutOfObject looks for the first key that tells what the object is.
func layoutOfObject(scan *scanner) Layout {
	scan.take()
	for {
		scan.drop()
		for scan.peek() == ',' {
			scan.take()
		}
		if scan.peek() != '"' {
			return TranscriptLayout
		}
		key, _ := scan.value()
		name := string(key)
		if scan.peek() != ':' {
			return TranscriptLayout
		}
		scan.take()
		switch first := scan.peek(); {
		case name == `"winnow"`:
			return ArchiveLayout
		case name == `"mapping"`, name == `"conversations"` && first == '[':
			return ChatGPTLayout
		case name == `"role"`, name == `"content"`, name == `"messages"` && first == '[':
			return TranscriptLayout
		}
		if _, ok := scan.value(); !ok {
			return TranscriptLayout
		}
	}
}
