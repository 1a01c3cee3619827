package transfer

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"winnow/session/store/sqlite"
	"winnow/session/transfer/chatgpt"
	"winnow/session/transfer/claude"
	"winnow/session/transfer/claudecode"
	"winnow/session/transfer/codex"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/crush"
	"winnow/session/transfer/llmdb"
	"winnow/session/transfer/openai"
	"winnow/session/transfer/opencode"
	"winnow/session/transfer/openwebui"
)

// The reasons why a file cannot be imported.
var (
	errStream        = &FileError{"a database cannot be read from a pipe; name its file"}
	errOtherDatabase = &FileError{"this is not a database of crush or llm, " +
		"or not in the schema of the newest version"}
	errBrokenZip = &FileError{"the archive is truncated or damaged: " +
		"its list of files is missing; download it again"}
)

// unrecognised returns the error for a file of an unknown format. first describes what is wrong with its first value.
func unrecognised(first string) error {
	const what = "the format was not recognised (%s); " +
		"winnow imports exports of ChatGPT, Claude, Open WebUI and opencode, " +
		"session files of Claude Code and Codex, the databases of llm and crush, " +
		"Chat Completions messages (JSON or JSONL) and what winnow exports as JSON or JSONL"
	return &FileError{fmt.Sprintf(what, first)}
}

// readers are the readers of JSON formats by the key that identifies them: the first key of the object, or of the first
// object in a list or in JSON lines, that is in this map. A file without such a key is read as messages.
var readers = map[string]conversation.Reader{
	"winnow":           nil, // see importer.archive
	"mapping":          chatgpt.Reader(nil),
	"chat_messages":    claude.Read,
	"parentUuid":       claudecode.Read,
	"leafUuid":         claudecode.Read,
	"sessionId":        claudecode.Read,
	"isSnapshotUpdate": claudecode.Read,
	"payload":          codex.Read,
	"info":             opencode.Read,
	"chat":             openwebui.Read,
	"role":             openai.Read,
	"content":          openai.Read,
	"messages":         openai.Read,
}

// formatKey returns the first key of a JSON file that is in readers, or "messages". It reads no further than that key,
// and ignores the name of the file.
func formatKey(r io.Reader) string {
	dec := json.NewDecoder(r)
	open, err := dec.Token()
	if open == json.Delim('[') {
		open, err = dec.Token()
	}
	if err != nil || open != json.Delim('{') {
		return "messages"
	}
	for dec.More() {
		key, err := dec.Token()
		name, _ := key.(string)
		if _, ok := readers[name]; ok && err == nil {
			return name
		}
		if err != nil || dec.Decode(&json.RawMessage{}) != nil {
			break
		}
	}
	return "messages"
}

// openedFile is an open file with the reader of its format.
type openedFile struct {
	read   conversation.Reader // nil for winnow's own JSON
	values iter.Seq2[conversation.Value, error]
	close  func()
}

// open recognises the format of a file.
func open(ctx context.Context, from Source) (openedFile, error) {
	head := make([]byte, 16)
	n, err := from.File.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return openedFile{}, fmt.Errorf("read the beginning of the file: %w", err)
	}
	begins := func(with string) bool { return bytes.HasPrefix(head[:n], []byte(with)) }
	text := from.section(0)
	switch {
	case begins("SQLite format 3\x00"):
		return openDatabase(ctx, from)
	case begins("PK\x03\x04"), begins("PK\x05\x06"):
		return openZip(from)
	case begins("\xEF\xBB\xBF"):
		text = from.section(3)
	}
	return openedFile{readers[formatKey(text)], values(text), func() {}}, nil
}

// openDatabase opens the database of llm or of crush.
func openDatabase(ctx context.Context, from Source) (openedFile, error) {
	if from.Path == "" {
		return openedFile{}, errStream
	}
	db, columns, err := sqlite.OpenForeign(ctx, from.Path)
	if err != nil {
		return openedFile{}, err
	}
	f := openedFile{close: func() { db.Close() }, read: llmdb.Read}
	query := llmdb.Query(columns)
	if query == "" {
		f.read, query = crush.Read, crush.Query(columns)
	}
	if query == "" {
		f.close()
		return f, errOtherDatabase
	}
	f.values = queryValues(ctx, db, query)
	return f, nil
}

// queryValues returns the values that a query selects.
func queryValues(ctx context.Context, db *sql.DB, query string) iter.Seq2[conversation.Value, error] {
	return func(yield func(conversation.Value, error) bool) {
		var raw []byte
		t := sqlite.WithoutTx(ctx, db)
		for range t.Rows([]any{&raw}, query) {
			if !yield(conversation.Value{Raw: raw}, nil) {
				return
			}
		}
		if t.Err != nil {
			yield(conversation.Value{}, fmt.Errorf("read the database: %w", t.Err))
		}
	}
}
