package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
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

// Errors that say why a file cannot be imported.
var (
	errManyTitles = errors.New("--title cannot be used with a file that may hold several conversations")
	errNoDryRun   = errors.New("--dry-run cannot be used with winnow's own JSON; " +
		"importing it never changes sessions that already exist")
	errNotUTF8       = errors.New("the file is written in UTF-16; save it as UTF-8")
	errOtherDatabase = errors.New("this is neither the database of crush nor that of llm, " +
		"in the schema of its newest version")
	errBrokenZip = errors.New("the archive is truncated or damaged: " +
		"its list of files is missing; download it again")
	errOtherZip = errors.New("the archive holds no conversations.json of an export")
)

// conversations are those of a file, one after the other. An error ends them.
type conversations = iter.Seq2[conversation.Conversation, error]

// layout is how the conversations of a file are kept.
type layout struct {
	read   conversation.Reader
	many   bool // the file may hold several conversations
	own    bool // it is what winnow writes as JSON
	claude bool // it is an export of Claude
}

// noAssets is where an export without an archive has its images.
func noAssets(string) (string, []byte, bool) { return "", nil, false }

// layoutOf is the layout of a JSON file whose object, or the first one of its list, has this key first of all keys that
// decide.
func layoutOf(key string) (l layout, ok bool) {
	switch key {
	case "winnow":
		return layout{own: true, many: true}, true
	case "mapping":
		return layout{read: chatgpt.Reader(noAssets), many: true}, true
	case "chat_messages":
		return layout{read: claude.Read, many: true, claude: true}, true
	case "parentUuid", "leafUuid", "sessionId", "isSnapshotUpdate":
		return layout{read: claudecode.Read}, true
	case "payload":
		return layout{read: codex.Read}, true
	case "info":
		return layout{read: opencode.Read}, true
	case "chat":
		return layout{read: openwebui.Read, many: true}, true
	case "role", "content", "messages":
		return layout{read: openai.Read}, true
	}
	return layout{}, false
}

// recognise finds out what a JSON file is by its beginning: as much of it as there is before the first key that
// decides. It never goes by a name. What nothing decides is read as messages, which then says what is wrong.
func recognise(r io.Reader) layout {
	l := layout{read: openai.Read}
	dec := json.NewDecoder(r)
	open, err := dec.Token()
	if open == json.Delim('[') {
		open, err = dec.Token()
	}
	if err != nil || open != json.Delim('{') {
		return l
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok {
			return l
		}
		if found, ok := layoutOf(name); ok {
			return found
		}
		if dec.Decode(&value) != nil {
			return l
		}
	}
	return l
}

// open finds out what a file is and returns its conversations. done closes what that opened.
func open(ctx context.Context, from Source) (all conversations, l layout, done func(), err error) {
	done = func() {}
	head := make([]byte, 16)
	if _, err = from.File.Seek(0, io.SeekStart); err != nil {
		return nil, l, done, fmt.Errorf("read the file from its beginning: %w", err)
	}
	n, err := io.ReadFull(from.File, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, l, done, fmt.Errorf("read the beginning of the file: %w", err)
	}
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		all, done, err = openDatabase(ctx, from)
		return all, layout{many: true}, done, err
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		all, err = openZip(from)
		return all, layout{many: true}, done, err
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF")):
		return nil, l, done, errNotUTF8
	}
	offset := int64(0)
	if bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")) {
		offset = 3
	}
	if _, err = from.File.Seek(offset, io.SeekStart); err != nil {
		return nil, l, done, fmt.Errorf("read the file from its beginning: %w", err)
	}
	if l = recognise(from.File); l.own {
		return nil, l, done, nil
	}
	return l.read(conversation.Values(from.File)), l, done, nil
}

// openDatabase opens the database of llm or of crush. One without a name on the disk is copied for that.
func openDatabase(ctx context.Context, from Source) (all conversations, done func(), err error) {
	path, remove := from.Path, func() {}
	if path == "" {
		if path, err = copied(from.File); err != nil {
			return nil, remove, fmt.Errorf("keep the database in a temporary file: %w", err)
		}
		remove = func() {
			for _, end := range []string{"", "-wal", "-shm"} {
				os.Remove(path + end)
			}
		}
	}
	db, columns, err := sqlite.OpenForeign(ctx, path)
	if err != nil {
		return nil, remove, err
	}
	done = func() { db.Close(); remove() }
	switch {
	case llmdb.Is(columns):
		return llmdb.Read(ctx, db, columns), done, nil
	case crush.Is(columns):
		return crush.Read(ctx, db), done, nil
	}
	return nil, done, errOtherDatabase
}

// copied writes a stream to a temporary file and returns its path.
func copied(from io.ReadSeeker) (string, error) {
	f, err := os.CreateTemp("", "winnow-import-*.db")
	if err != nil {
		return "", err
	}
	_, err = from.Seek(0, io.SeekStart)
	if err == nil {
		_, err = io.Copy(f, from)
	}
	return f.Name(), errors.Join(err, f.Close())
}
