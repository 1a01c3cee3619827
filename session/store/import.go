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
	// Session is its row there. Source and Origin name it, so that a later import finds it; without Origin it is
	// imported anew each time. One without Updated becomes the session used last; any other keeps its place in the
	// order of last use there: thousands of old conversations do not bury those of today.
	Session  Session
	Messages []ImportedMessage // every one behind the one that it follows
	Leaf     int               // the index in Messages of the end of the active branch, -1 for the last message
}

// Add adds a message without a label behind the last one.
func (c *ImportedConversation) Add(m Message) {
	c.Messages = append(c.Messages, ImportedMessage{Message: m, After: len(c.Messages) - 1, Untimed: true})
}

// ImportedMessage is one message of a Conversation. Its label is its id there.
type ImportedMessage struct {
	Message
	After    int  // the index of the message that it follows, -1 for none
	Excluded bool // the other program keeps it from its model, so it is excluded here
	Untimed  bool // the file does not say when it was written, so CreatedMS is a guess
}

// ImportResult is what became of a Conversation.
type ImportResult struct {
	Session Session
	New     bool // the session was not here before
	Added   int  // the messages that were not

	Filled   int // messages that were here without the images that they have now
	Unfilled int // such messages that stay as they are, because requests held them as they were
}

// Import stores a conversation as a session, or merges it into the session that it was imported as before, in one
// transaction. A message whose text became another since is added as a version beside the first; nothing that is here
// changes. A session in the trash stays as it is.
//
// The active branch becomes the other program's where something was added and it did not end with a message that was
// written here, or where its own end lies behind that message.
func (s *Store) Import(ctx context.Context, c ImportedConversation) (ImportResult, error) {
	// A file can be imported again, so the import of many conversations does not wait for the disk after each.
	return inTx(ctx, s.saveFast, "import the conversation", func(t *tx) ImportResult {
		in := importing{tx: t, s: s, row: s.importedAs(t, c.Session)}
		out := ImportResult{Session: readSession(t, findSession(t, in.row.ID))}
		if out.New = out.Session.ID == ""; out.Session.Deleted.IsZero() {
			in.apply(c, &out)
		}
		return out
	})
}

// importedAs is the row of the session that a conversation is imported as. Its id is the same on every machine, and
// another one where that was purged. A clock that is ahead in the other program does not go on here.
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

// importing is an import within its transaction.
type importing struct {
	*tx
	s   *Store
	row Session
	ids []int64 // of the conversation's messages
}

func (in *importing) apply(c ImportedConversation, out *ImportResult) {
	applied := in.s.apply(in.tx, func(take func(Line) error) error {
		err := take(Line{Session: &in.row})
		for i, m := range c.Messages {
			if m.After >= i || m.Status == history.Streaming {
				return fmt.Errorf("message %d is before the one that it follows, or still arrives", i)
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

// setDecisions sets what the other program decided of a conversation: which messages it keeps from its model, and the end of
// the active branch, unless the one that is here was written here and is not before it.
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
	written := sqlite.Value[string](in, `SELECT label FROM messages WHERE id = ?`, here) == ""
	if here != 0 && written && !slices.Contains(branchIDs(in.tx, end, 0), here) {
		end = here // somebody went on with it here
	}
	in.s.setRegister(in.tx, n, 0, leafValue, fmt.Sprintf(`{"leaf":%d}`, end))
	if c.Session.Updated.IsZero() {
		in.s.markUsed(in.tx, n)
	}
}

// takeMessage hands out a message with its id, its parent and its parts. Apply finds its fingerprint anew.
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

// messageID is the id of a message that is imported, the same on every machine: the time that its file gives, later
// than that of the message before it, and in the lowest bits a hash of what it says. Where a file gives no time, the
// first one is made of the session's id and is before 1988. A message with a label is known by that and by what it
// says, one without by the message before it as well.
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
	for sqlite.Value[bool](in, `
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
