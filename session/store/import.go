package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// ImportedConversation is a conversation of another program with all its branches.
type ImportedConversation struct {
	// Session describes the session to create. Source and Origin identify the conversation, so that a later import
	// updates it; with an empty Origin each import creates a new session. A conversation with Updated set keeps its
	// place in the order of last use, so that old imports do not bury recent chats; one without becomes the session
	// used last.
	Session  Session
	Messages []ImportedMessage // each after the message that it follows
	Leaf     int               // index in Messages of the end of the active branch, -1 for the last message
}

// Add appends a message without a label and without a known time.
func (c *ImportedConversation) Add(m Message) {
	c.Messages = append(c.Messages, ImportedMessage{Message: m, After: len(c.Messages) - 1, Untimed: true})
}

// ImportedMessage is a message of an ImportedConversation. Its Label is its id in the other program.
type ImportedMessage struct {
	Message
	After    int  // index of the message that it follows, -1 for none
	Excluded bool // the other program hides it from its model, so it is excluded here too
	Untimed  bool // the file does not say when it was written; CreatedMS is a guess
}

// ImportResult reports what Import did with a conversation.
type ImportResult struct {
	Session Session
	New     bool // the session did not exist before
	Added   int  // messages that were added

	Filled   int // existing messages that got their missing images
	Unfilled int // existing messages that did not, because they were already sent without them
}

// Import stores a conversation as a new session, or merges it into the session of an earlier import, in one
// transaction. Existing messages never change: a message whose text has changed since is added as a new version beside
// the old one. A session in the trash is left alone.
//
// If something was added, the active branch becomes that of the other program, unless the user has continued the chat
// here on another branch.
func (s *Store) Import(ctx context.Context, c ImportedConversation) (ImportResult, error) {
	// A file can be imported again, so importing many conversations need not wait for the disk after each.
	return inTx(ctx, s.saveFast, "import the conversation", func(t *tx) ImportResult {
		in := importing{tx: t, s: s, row: s.importedAs(t, c.Session)}
		out := ImportResult{Session: readSession(t, findSession(t, in.row.ID))}
		if out.New = out.Session.ID == ""; out.Session.Deleted.IsZero() {
			in.apply(c, &out)
		}
		return out
	})
}

// importedAs returns row with the id and the times under which the conversation is imported. The id is derived from
// Source and Origin, so it is the same on every machine; if that session was purged, the next id in the sequence is
// used. Times in the future become now.
func (s *Store) importedAs(t *tx, row Session) Session {
	now := s.now()
	if row.Created.IsZero() || row.Created.After(now) {
		row.Created = now
	}
	if row.Updated.After(now) {
		row.Updated = now
	}
	row.used = milliseconds(row.Updated)
	for n, purged := 0, true; purged; n++ {
		name := fmt.Appendf(nil, "winnow import %d %q %q", n, row.Source, row.Origin)
		if row.ID = uuid.NewSHA1(uuid.NameSpaceOID, name).String(); row.Origin == "" {
			row.ID = newSessionID()
		}
		purged = tombstoneOf(t, row.ID).ID != 0
	}
	return row
}

// importing is the state of an import within its transaction.
type importing struct {
	*tx
	s   *Store
	row Session
	ids []int64 // of the messages of the conversation, in its order
}

func (in *importing) apply(c ImportedConversation, out *ImportResult) {
	applied := in.s.apply(in.tx, func(take func(Line) error) error {
		err := take(Line{Session: &in.row})
		for i, m := range c.Messages {
			if m.After >= i || m.Status == history.Streaming {
				return fmt.Errorf("message %d precedes the message that it follows, or is still streaming", i)
			}
			err = cmp.Or(err, in.takeMessage(m, take))
		}
		return err
	})
	out.Added, out.Filled, out.Unfilled = applied.Messages, applied.Filled, applied.Conflicts
	if out.New && out.Added == 0 {
		in.Fail(errors.New("the conversation has no message"))
	}
	n := findSession(in.tx, in.row.ID)
	if out.Added > 0 && in.Err == nil {
		in.applyDecisions(n, c, out.Session.Leaf)
	}
	queueSessionsForSync(in.tx, applied.Changed)
	out.Session = readSession(in.tx, n)
}

// applyDecisions excludes the messages that the other program hides from its model and sets the end of the active
// branch. here is the current leaf: it stays if it was written here and is not part of the other program's active
// branch.
func (in *importing) applyDecisions(n int64, c ImportedConversation, here int64) {
	flagged := sqlite.List[int64](in, `SELECT item FROM registers WHERE session = ? AND name = 'flag'`, n)
	excluded := map[int64]history.Flag{}
	for i, m := range c.Messages {
		if m.Excluded && !slices.Contains(flagged, in.ids[i]) {
			excluded[in.ids[i]] = history.Exclude
		}
	}
	setDecisions(in.s, in.tx, flagValue, excluded)
	end := in.ids[len(in.ids)-1]
	if c.Leaf >= 0 {
		end = in.ids[c.Leaf]
	}
	written := sqlite.QueryValue[string](in, `SELECT label FROM messages WHERE id = ?`, here) == ""
	if here != 0 && written && !slices.Contains(branchIDs(in.tx, end, 0), here) {
		end = here // the user continued the chat here
	}
	in.s.setRegister(in.tx, n, 0, leafValue, fmt.Sprintf(`{"leaf":%d}`, end))
	if c.Session.Updated.IsZero() {
		in.s.markUsed(in.tx, n)
	}
}

// takeMessage passes a message and its attachments to take, with its id and parent set.
func (in *importing) takeMessage(from ImportedMessage, take func(Line) error) (err error) {
	m := from.Redacted(in.clean)
	if m.Role == history.Assistant {
		m.Model = cmp.Or(m.Model, in.row.Model)
	}
	if from.After >= 0 {
		m.Parent = in.ids[from.After]
	}
	m.ID = in.messageID(m, from.Untimed)
	in.ids = append(in.ids, m.ID)
	m.storeParts(func(hash string, data []byte) { err = cmp.Or(err, take(Line{Attachment: &Attachment{hash, data}})) })
	return cmp.Or(err, take(Line{Message: &m}))
}

// messageID returns the id of an imported message, which is the same on every machine. The upper bits are the time from
// the file, raised above the id of the parent; the lowest bits are a hash of the label, role and content. Without a
// time in the file, the clock is derived from the session id and lies before 1988. An existing message is recognised by
// label and content, or without a label by parent and content.
func (in *importing) messageID(m Message, untimed bool) int64 {
	const oldest = 1 << 39 // milliseconds
	clock := m.CreatedMS
	if untimed || clock <= 0 || clock > in.s.now().UnixMilli() {
		session := sha256.Sum256([]byte(in.row.ID))
		clock = int64(binary.BigEndian.Uint64(session[:]) % oldest)
	}
	clock = max(clock, m.Parent>>numberBits+1)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %q %s", in.row.ID, m.Label, m.Role, m.Content))
	id := clock<<numberBits | int64(binary.BigEndian.Uint16(sum[:])%idStep)
	for sqlite.QueryValue[bool](in, `
		SELECT EXISTS (
			SELECT 1
			FROM messages
			WHERE id = ?1
				AND NOT (label = ?2 AND role = ?3 AND content = ?4 AND (label <> '' OR parent = ?5))
		)`, id, m.Label, m.Role, []byte(m.Content), m.Parent) {
		id += idStep
	}
	return id
}
