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
)

// Conversation is a conversation of another program with all its branches.
type Conversation struct {
	// Session is its row there. Source and Origin name it, so that a later import finds it; without Origin it is
	// imported anew each time. One without Updated becomes the session used last; any other keeps its place in the
	// order of last use there: thousands of old conversations do not bury those of today.
	Session  Session
	Messages []ImportedMessage // every one behind the one that it follows
	Leaf     int               // the index in Messages of the end of the active branch, -1 for the last message
}

// Add adds a message without a label behind the last one.
func (c *Conversation) Add(m Message) {
	c.Messages = append(c.Messages, ImportedMessage{Message: m, After: len(c.Messages) - 1, Untimed: true})
}

// ImportedMessage is one message of a Conversation. Its label is its id there. Where one has none, the conversation is
// known as a whole.
type ImportedMessage struct {
	Message
	After    int  // the index of the message that it follows, -1 for none
	Excluded bool // the other program keeps it from its model, so it is excluded here
	Untimed  bool // the file does not say when it was written, so CreatedMS is a guess
}

// ImportOptions say how a conversation is imported.
type ImportOptions struct {
	DryRun bool // nothing is stored: the result says what would be, and a session that is new has no id
}

// ImportResult is what became of a Conversation.
type ImportResult struct {
	Session Session
	New     bool // the session was not here before
	Added   int  // the messages that were not
	Changed int  // those of them that are a second version of one that was

	Filled   int // messages that were here without the images that they have now
	Unfilled int // such messages that stay as they are, because requests held them as they were
}

// errDryRun ends a transaction whose outcome alone was wanted.
var errDryRun = errors.New("this was a dry run")

// Import stores a conversation as a session, or merges it into the session that it was imported as before, in one
// transaction. A message whose text became another since is added as a version beside the first; nothing that is here
// changes. A session in the trash stays as it is.
//
// The active branch becomes the other program's where something was added and it did not end with a message that was
// written here, or where its own end lies behind that message.
func (s *Store) Import(ctx context.Context, c Conversation, o ImportOptions) (ImportResult, error) {
	var out ImportResult
	// A file can be imported again, so the import of many conversations does not wait for the disk after each.
	err := s.jot(ctx, "import the conversation", func(t *tx) {
		in := importing{tx: t, s: s, stored: map[spoken]int64{}}
		in.begin(c.Session)
		labelled := !slices.ContainsFunc(c.Messages, func(m ImportedMessage) bool { return m.Label == "" })
		if in.out.New || labelled && in.out.Session.Deleted.IsZero() {
			in.apply(c)
		}
		if out = in.out; o.DryRun {
			t.fail(errDryRun)
		}
	})
	switch {
	case errors.Is(err, errDryRun) && out.New:
		out.Session.ID = ""
	case err != nil && !errors.Is(err, errDryRun):
		return ImportResult{}, err
	}
	return out, nil
}

// importing is an import within its transaction.
type importing struct {
	*tx
	s      *Store
	row    Session
	stored map[spoken]int64 // the messages with labels that are here, by what they say and by their labels alone
	ids    []int64          // of the conversation's messages
	added  []int64          // those of them that were not here
	out    ImportResult
}

// spoken is what a message says under its label.
type spoken struct {
	label, content string
	role           history.Role
}

// begin finds the session that the conversation was imported as, and what it holds.
func (in *importing) begin(row Session) {
	in.row = row
	in.row.used = min(milliseconds(row.Updated), milliseconds(in.s.now()))
	for there := range each[Session](in.tx, `
		sessions
		WHERE source = ? AND origin = ? AND origin <> ''
		ORDER BY deleted_ms <> 0, n`, row.Source, row.Origin) {
		in.row.ID, in.out.Session = there.ID, *there
		for m := range each[Message](in.tx, "messages WHERE session = ? AND label <> ''", there.key) {
			in.store(*m)
		}
		return
	}
	in.out.New = true
	if row.Created.IsZero() {
		in.row.Created = in.s.now()
	}
	if in.row.ID = newSessionID(); row.Origin == "" {
		return
	}
	for n, purged := 0, true; purged; n++ {
		name := fmt.Appendf(nil, "winnow import %d %q %q", n, row.Source, row.Origin)
		in.row.ID = uuid.NewSHA1(uuid.NameSpaceOID, name).String() // the same on every machine
		purged = tombstoneOf(in.tx, in.row.ID).ID != 0
	}
}

// store notes a message that is here.
func (in *importing) store(m Message) {
	in.stored[spoken{m.Label, m.Content, m.Role}] = m.ID
	in.stored[spoken{label: m.Label}] = m.ID
}

func (in *importing) apply(c Conversation) {
	applied := in.s.apply(in.tx, func(take func(Line) error) error {
		err := take(Line{Session: &in.row})
		for i, m := range c.Messages {
			if m.After >= i || m.Status == history.Streaming {
				return fmt.Errorf("message %d is before the one that it follows, or still arrives", i)
			}
			if here := in.message(&m); err == nil && (!here || len(m.Parts) > 0) { // a later file may add images
				err = hand(m.Message, take)
			}
		}
		return err
	})
	in.out.Added, in.out.Filled, in.out.Unfilled = len(in.added), applied.Filled, applied.Refused
	if in.out.New && in.out.Added == 0 {
		in.fail(errors.New("the conversation has no message"))
	}
	n := sessionThere(in.tx, in.row.ID)
	if in.out.Added > 0 && in.err == nil {
		in.setLeaf(n, c.Leaf)
		for i, m := range c.Messages {
			if m.Excluded && slices.Contains(in.added, in.ids[i]) {
				in.s.decide(in.tx, in.ids[i], flagValue, string(history.Exclude))
			}
		}
		if c.Session.Updated.IsZero() {
			in.s.use(in.tx, n)
		}
	}
	if tellAgain(in.tx, in.added...); applied.Filled > 0 {
		tellAgain(in.tx, in.ids...)
	}
	in.out.Session = sessionByKey(in.tx, n)
}

// message gives a message its id and its parent, and reports whether it is here already.
func (in *importing) message(m *ImportedMessage) (here bool) {
	m.Message = in.s.cleanMessage(m.Message)
	if m.Role == history.Assistant {
		m.Model = cmp.Or(m.Model, in.row.Model)
	}
	m.ID, here = in.stored[spoken{m.Label, m.Content, m.Role}]
	if !here {
		if m.After >= 0 {
			m.Parent = in.ids[m.After]
		}
		m.ID = in.messageID(*m)
		in.added = append(in.added, m.ID)
		if in.stored[spoken{label: m.Label}] != 0 {
			in.out.Changed++
		}
		if m.Label != "" {
			in.store(m.Message)
		}
	}
	in.ids = append(in.ids, m.ID)
	return here
}

// hand hands out a message with its parts. Apply finds its fingerprint anew.
func hand(m Message, take func(Line) error) (err error) {
	m.attach(func(hash string, data []byte) int64 {
		err = cmp.Or(err, take(Line{Attachment: &Attachment{hash, data}}))
		return 0
	})
	return cmp.Or(err, take(Line{Message: &m}))
}

// messageID is the id of a message that is imported, the same on every machine: the time that its file gives, later
// than that of the message before it, and in the lowest bits a hash of what it says. Where a file gives no time, the
// first one is made of the session's id and is before 1988.
func (in *importing) messageID(m ImportedMessage) int64 {
	if in.row.Origin == "" {
		return in.s.newID(in.tx)
	}
	const oldest = 1 << 39 // milliseconds
	head := fmt.Sprintf("%s %d %q %q ", in.row.ID, m.Parent, m.Label, m.Role)
	sum := sha256.Sum256([]byte(head + m.Content))
	clock := m.CreatedMS
	if m.Untimed || clock <= 0 || clock > in.s.now().UnixMilli() {
		session := sha256.Sum256([]byte(in.row.ID))
		clock = int64(binary.BigEndian.Uint64(session[:]) % oldest)
	}
	clock = max(clock, m.Parent>>numberBits+1)
	id := clock<<numberBits | int64(binary.BigEndian.Uint16(sum[:])%idStep)
	for value[bool](in.tx, `SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?)`, id) {
		id += idStep
	}
	return id
}

// setLeaf makes a message of the conversation the end of the active branch, or leaves that where it is.
func (in *importing) setLeaf(n int64, place int) {
	if place < 0 {
		place = len(in.ids) - 1
	}
	end, here := in.ids[place], in.out.Session.Leaf
	written := value[string](in.tx, `SELECT label FROM messages WHERE id = ?`, here) == ""
	if here != 0 && written && !slices.Contains(branchIDs(in.tx, end), here) {
		end = here // somebody went on with it here
	}
	in.s.setRegister(in.tx, n, 0, leafValue, fmt.Sprintf(`{"leaf":%d}`, end))
}
