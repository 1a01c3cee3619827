package transfer

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"

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

// FileError says why a file cannot be imported, for a person.
type FileError struct{ Reason string }

func (e *FileError) Error() string { return e.Reason }

// Why files cannot be imported.
var (
	errManyTitles = &FileError{"--title cannot be used with a file that may hold several conversations"}
	errNoDryRun   = &FileError{"--dry-run cannot be used with winnow's own JSON; " +
		"importing it never changes sessions that already exist"}
	errNotUTF8       = &FileError{"the file is written in UTF-16; save it as UTF-8"}
	errOtherDatabase = &FileError{"this is neither the database of crush nor that of llm, " +
		"in the schema of its newest version"}
	errBrokenZip = &FileError{"the archive is truncated or damaged: " +
		"its list of files is missing; download it again"}
	errOtherZip = &FileError{"the archive holds no conversations.json of an export"}
)

// unrecognised is the error of a file of no format. first is what is wrong with its first value.
func unrecognised(first string) error {
	const what = "the format was not recognised (%s); " +
		"winnow imports exports of ChatGPT, Claude, Open WebUI and opencode, " +
		"session files of Claude Code and Codex, the databases of llm and crush, " +
		"Chat Completions messages (JSON or JSONL) and what winnow exports as JSON or JSONL"
	return &FileError{fmt.Sprintf(what, first)}
}

// format is how the conversations of a file are kept.
type format struct {
	read   conversation.Reader
	many   bool // the file may hold several conversations
	own    bool // it is what winnow writes as JSON
	claude bool // it is an export of Claude

	values iter.Seq2[conversation.Value, error] // of the file
}

// formats are the formats of JSON files whose object, or the first one of their list, has such a key first of all keys
// that decide.
var formats = map[string]format{
	"winnow":           {own: true, many: true},
	"mapping":          {read: chatgpt.Reader(noAssets), many: true},
	"chat_messages":    {read: claude.Read, many: true, claude: true},
	"parentUuid":       {read: claudecode.Read},
	"leafUuid":         {read: claudecode.Read},
	"sessionId":        {read: claudecode.Read},
	"isSnapshotUpdate": {read: claudecode.Read},
	"payload":          {read: codex.Read},
	"info":             {read: opencode.Read},
	"chat":             {read: openwebui.Read, many: true},
	"role":             {read: openai.Read},
	"content":          {read: openai.Read},
	"messages":         {read: openai.Read},
}

// noAssets is where an export without an archive has its images.
func noAssets(string) (string, []byte, bool) { return "", nil, false }

// recognise finds out what a JSON file is by its beginning: as much of it as there is before the first key that
// decides. It never goes by a name. What nothing decides is read as messages, which then says what is wrong.
func recognise(r io.Reader) format {
	messages := format{read: openai.Read}
	dec := json.NewDecoder(r)
	open, err := dec.Token()
	if open == json.Delim('[') {
		open, err = dec.Token()
	}
	if err != nil || open != json.Delim('{') {
		return messages
	}
	for dec.More() {
		var value json.RawMessage
		key, err := dec.Token()
		name, _ := key.(string)
		if f, ok := formats[name]; ok && err == nil {
			return f
		}
		if err != nil || dec.Decode(&value) != nil {
			break
		}
	}
	return messages
}

// open finds out what a file is. done closes what that opened.
func open(ctx context.Context, from Source) (f format, done func(), err error) {
	done = func() {}
	head := make([]byte, 16)
	n, err := from.File.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return f, done, fmt.Errorf("read the beginning of the file: %w", err)
	}
	begins := func(with string) bool { return bytes.HasPrefix(head[:n], []byte(with)) }
	offset := int64(0)
	switch {
	case begins("SQLite format 3\x00"):
		return openDatabase(ctx, from)
	case begins("PK\x03\x04"), begins("PK\x05\x06"):
		f, err = openZip(from)
		return f, done, err
	case begins("\xFF\xFE"), begins("\xFE\xFF"):
		return f, done, errNotUTF8
	case begins("\xEF\xBB\xBF"):
		offset = 3
	}
	f = recognise(io.NewSectionReader(from.File, offset, math.MaxInt64-offset))
	f.values = conversation.Values(from.all())
	return f, done, nil
}

// openDatabase opens the database of llm or of crush. One without a name on the disk is copied for that.
func openDatabase(ctx context.Context, from Source) (f format, done func(), err error) {
	path, remove := from.Path, func() {}
	if path == "" {
		if path, err = copied(from.all()); err != nil {
			return f, remove, fmt.Errorf("keep the database in a temporary file: %w", err)
		}
		remove = func() {
			for _, end := range []string{"", "-wal", "-shm"} {
				os.Remove(path + end)
			}
		}
	}
	db, columns, err := sqlite.OpenForeign(ctx, path)
	if err != nil {
		return f, remove, err
	}
	done = func() { db.Close(); remove() }
	f = format{read: llmdb.Read, many: true}
	queries := llmdb.Queries(columns)
	if queries == nil {
		f.read, queries = crush.Read, crush.Queries(columns)
	}
	if queries == nil {
		return f, done, errOtherDatabase
	}
	f.values = rows(ctx, db, queries)
	return f, done, nil
}

// rows are the conversations that queries of a database return. One that cannot be read is Broken.
func rows(ctx context.Context, db *sql.DB, queries []conversation.Query) iter.Seq2[conversation.Value, error] {
	return func(yield func(conversation.Value, error) bool) {
		for _, q := range queries {
			ids, err := sqlite.Collect(ctx, db, sqlite.Only[string], q.IDs)
			if err != nil {
				yield(conversation.Value{}, fmt.Errorf("read the database: %w", err))
				return
			}
			for _, id := range ids {
				v := conversation.Value{}
				if err := db.QueryRowContext(ctx, q.JSON, id).Scan((*[]byte)(&v.Raw)); err != nil {
					v.Broken = fmt.Sprintf("conversation %s of the database cannot be read: %v", id, err)
				}
				if !yield(v, ctx.Err()) {
					return
				}
			}
		}
	}
}

// copied writes a file to a temporary one and returns its path.
func copied(from io.Reader) (string, error) {
	f, err := os.CreateTemp("", "winnow-import-*.db")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, from)
	return f.Name(), errors.Join(err, f.Close())
}
