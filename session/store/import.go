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
	Session  Session           // Source and Origin name it; what its messages decide is set by Import
	Messages []ImportedMessage // every one behind the one that it follows
	Leaf     int               // the index in Messages of the end of the active branch, -1 for the last message
}

// ImportedMessage is one message of a Conversation. Its label is its id there.
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

// DuplicateError reports that a conversation was imported before.
type DuplicateError struct {
	Session Session // where it is
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("the conversation is already here as session %s", e.Session.ID)
}

// Import stores a conversation as a session, or merges it into the session that it was imported as
// before, in one transaction. Messages are known by their labels. One whose text became another since
// is added as a version beside the first; nothing that is here changes. A session in the trash stays as
// it is.
//
// The active branch becomes the other program's where something was added and nobody went on with the
// session here, or where its own end lies behind the one here. The session keeps its place in the order
// of last use there: thousands of old conversations do not bury those of today.
func (s *Store) Import(ctx context.Context, c Conversation, o ImportOptions) (ImportResult, error) {
	if c.Session.Source == "" || c.Session.Origin == "" {
		return ImportResult{}, errors.New("import the conversation: it has no name to know it by")
	}
	return s.importInto(ctx, c, true, o)
}

// Filling adds the messages of a conversation in order and returns its row. Its error ends the import and comes back.
type Filling func(add func(Message) error) (Session, error)

// ImportMessages stores a conversation that has no name as one branch of a new session, which becomes
// the one used last. It is in one transaction: all of it is stored or nothing. Its model becomes that of
// the answers.
//
// Where the row has an Origin, and one of its Source was imported before and is not in the trash, nothing is stored and
// the error is a *DuplicateError.
func (s *Store) ImportMessages(ctx context.Context, fill Filling, o ImportOptions) (Session, error) {
	c := Conversation{Leaf: -1}
	row, err := fill(func(m Message) error {
		c.Messages = append(c.Messages, ImportedMessage{Message: m, After: len(c.Messages) - 1, Untimed: true})
		return ctx.Err()
	})
	if err != nil {
		return Session{}, err
	}
	for i := range c.Messages {
		if m := &c.Messages[i]; m.Role == history.Assistant {
			m.Model = cmp.Or(m.Model, row.Model)
		}
	}
	row.Endpoint, row.Model = "", "" // it goes on with the model in use
	c.Session = row
	out, err := s.importInto(ctx, c, false, o)
	return out.Session, err
}

// errDryRun ends a transaction whose outcome alone was wanted.
var errDryRun = errors.New("this was a dry run")

// importInto imports a conversation in one transaction. One that is not named is there wholly or not at all. A file can
// be imported again, so the import of many conversations does not wait for the disk after each.
func (s *Store) importInto(ctx context.Context, c Conversation, named bool, o ImportOptions) (ImportResult, error) {
	var out ImportResult
	err := s.jot(ctx, "import the conversation", func(t *tx) {
		in := importing{tx: t, s: s, named: named}
		in.run(c)
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
	s       *Store
	named   bool
	session int64
	out     ImportResult

	stored map[string][]version // what the session of a conversation with a name holds, by label
	own    int                  // its messages without a label: somebody went on with it here
	last   int                  // the seq of its last message
	to     []int64              // ids of the conversation's messages
	turns  int                  // added
}

// version is one message with some label.
type version struct {
	id  int64
	sum string // digest of what it says and who says it
}

func versionOf(id int64, role history.Role, content string) version {
	return version{id, hashOf([]byte(string(role) + "\x00" + content))}
}

func (in *importing) run(c Conversation) {
	in.begin(c.Session)
	if !in.out.Session.Deleted.IsZero() {
		return
	}
	ctx := in.ctx
	for _, m := range c.Messages {
		if in.fail(ctx.Err()); in.err != nil {
			return
		}
		in.add(m)
	}
	if in.out.New && in.out.Added == 0 {
		in.fail(errors.New("the conversation has no message"))
	}
	if in.out.Added > 0 && in.err == nil {
		in.count(c.Leaf)
		in.date(c.Session)
	}
	in.out.Session = sessionByKey(in.tx, in.session).Session
}

// begin finds the session that the conversation was imported as, or adds one.
func (in *importing) begin(row Session) {
	in.stored = map[string][]version{}
	if in.session = importedAs(in.tx, row); in.session != 0 {
		in.out.Session = sessionByKey(in.tx, in.session).Session
		if in.named {
			in.readStored()
			return
		}
		if in.out.Session.Deleted.IsZero() {
			in.fail(&DuplicateError{in.out.Session})
		}
	}
	in.out.New = true
	if row.Origin != "" {
		row.ID = importedID(in.tx, row)
	}
	in.session = in.s.addSession(in.tx, row)
	in.out.Session = sessionByKey(in.tx, in.session).Session
}

// readStored reads what the session of the conversation holds.
func (in *importing) readStored() {
	in.each(func(scan func(...any) error) error {
		var id int64
		var role history.Role
		var label, content string
		if err := scan(&id, &in.last, &role, &label, blob{&content}); err != nil {
			return err
		}
		if label == "" {
			in.own++
			return nil
		}
		in.stored[label] = append(in.stored[label], versionOf(id, role, content))
		return nil
	}, `SELECT id, seq, role, label, content FROM messages WHERE session = ? ORDER BY seq`, in.session)
}

// importedID is the id of a session that is imported, the same on every machine. Where the session with that id was
// purged, or is in the trash, it is another one.
func importedID(t *tx, row Session) string {
	const taken = `
		SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)
			OR EXISTS (SELECT 1 FROM tombstones WHERE session = ?1)`
	for n := 0; ; n++ {
		name := fmt.Appendf(nil, "winnow import %d %q %q", n, row.Source, row.Origin)
		id := uuid.NewSHA1(uuid.NameSpaceOID, name).String()
		if !value[bool](t, taken, id) {
			return id
		}
	}
}

// messageID is the id of a message that is imported, the same on every machine: the time that its file gives, later
// than that of the message before it, and in the lowest bits a hash of what it says. Where a file gives no time, the
// first one is made of the session's id and is before 1988.
func (in *importing) messageID(m ImportedMessage) int64 {
	if in.out.Session.Origin == "" {
		return in.s.newID(in.tx)
	}
	const oldest = 1 << 39 // milliseconds
	head := fmt.Sprintf("%s %d %q %q ", in.out.Session.ID, m.Parent, m.Label, m.Role)
	sum := sha256.Sum256([]byte(head + m.Content))
	clock := m.CreatedMS
	if m.Untimed || clock <= 0 || clock > in.s.now().UnixMilli() {
		session := sha256.Sum256([]byte(in.out.Session.ID))
		clock = int64(binary.BigEndian.Uint64(session[:]) % oldest)
	}
	clock = max(clock, m.Parent>>numberBits+1)
	id := clock<<numberBits | int64(binary.BigEndian.Uint16(sum[:])%idStep)
	for value[bool](in.tx, `SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?)`, id) {
		id += idStep
	}
	tellAgain(in.tx, id)
	return id
}

// importedAs is the session that a conversation was imported as, 0 for none. One in the trash counts where there is no
// other.
func importedAs(t *tx, row Session) int64 {
	return value[int64](t, `
		SELECT n
		FROM sessions
		WHERE source = ? AND origin = ? AND origin <> ''
		ORDER BY deleted_ms <> 0, n
		LIMIT 1`, row.Source, row.Origin)
}

// add stores a message where it is not here.
func (in *importing) add(m ImportedMessage) {
	switch i := len(in.to); {
	case m.Status == history.Streaming:
		in.fail(errors.New("a message that is still arriving cannot be imported"))
	case m.After >= i:
		in.fail(fmt.Errorf("message %d of the conversation is before the one that it follows", i))
	case in.named && m.Label == "":
		in.fail(fmt.Errorf("message %d of the conversation has no label", i))
	case m.After >= 0:
		m.Parent = in.to[m.After]
	}
	if in.err != nil {
		return
	}
	m.Message = in.s.cleanMessage(m.Message)
	v := versionOf(0, m.Role, m.Content)
	if in.named {
		known := in.stored[m.Label]
		if at := slices.IndexFunc(known, func(k version) bool { return k.sum == v.sum }); at >= 0 {
			m.ID = known[at].id
			in.to = append(in.to, m.ID)
			in.addImages(m.Message)
			return
		}
		if len(known) > 0 {
			in.out.Changed++
		}
	}
	// The driver watches a context that can end with a goroutine for every statement. The transaction
	// has its own.
	in.ctx = context.WithoutCancel(in.ctx)
	in.last++
	m.ID, m.Seq = in.messageID(m), in.last
	insertMessage(in.tx, in.session, m.Message, "")
	if m.Excluded {
		in.s.decide(in.tx, m.ID, flagValue, string(history.Exclude))
	}
	v.id = m.ID
	in.stored[m.Label] = append(in.stored[m.Label], v)
	in.to = append(in.to, v.id)
	in.out.Added++
	if m.Role == history.User {
		in.turns++
	}
}

// count writes what the added messages decide of the session's row. leaf is the index of the end of the
// active branch.
func (in *importing) count(leaf int) {
	if leaf < 0 {
		leaf = len(in.to) - 1
	}
	end, here := in.to[leaf], in.out.Session.Leaf
	if here != 0 && in.own > 0 { // somebody went on with it here
		const holds = branchUp + ` SELECT EXISTS (SELECT 1 FROM branch WHERE id = ?3)`
		if !value[bool](in.tx, holds, end, -1, here) {
			end = here
		}
	}
	in.exec(`UPDATE sessions SET messages = messages + ?2, turns = turns + ?3, leaf = ?4 WHERE n = ?1`,
		in.session, in.out.Added, in.turns, end)
	in.s.setRegisters(in.tx, in.session, leafValue)
}

// date gives the session of a conversation with a name its place in the order of last use, and makes any other the
// session used last.
func (in *importing) date(row Session) {
	if !in.named {
		in.s.use(in.tx, in.session)
		return
	}
	in.exec(`UPDATE sessions SET updated_ms = max(updated_ms, ?2), used = max(used, ?2) WHERE n = ?1`,
		in.session, cmp.Or(milliseconds(row.Updated), milliseconds(row.Created)))
}

// addImages gives a message that is here the images that an earlier file of its conversation did not hold, and has the
// other machines told.
func (in *importing) addImages(m Message) {
	if !slices.ContainsFunc(m.Parts, func(p history.Part) bool { return p.Kind == history.ImagePart }) {
		return
	}
	here := MessageLine{Message: m}
	for _, p := range m.Parts {
		here.parts = append(here.parts, part{Part: p})
	}
	switch lacking(in.tx, in.session, m, here.parts) {
	case sentWithout:
		in.out.Unfilled++
	case without:
		here.Message = message(in.tx, m.ID)
		here.Parts = m.Parts
		here.replaceParts(in.tx, here.attach(in.tx))
		tellAgain(in.tx, m.ID)
		in.out.Filled++
	}
}

// imageState is what a message that is here has of the images of another version of it.
type imageState int

const (
	otherText   imageState = iota // the two do not say the same
	withAll                       // all of them
	without                       // not all
	sentWithout                   // not all, and it stays so: what requests held must be found again
)

// lacking compares the images among the parts of m with those of the message that is here under its id.
func lacking(t *tx, session int64, m Message, parts []part) imageState {
	images := 0
	for _, p := range parts {
		if p.Kind == history.ImagePart {
			images++
		}
	}
	here := message(t, m.ID)
	for _, p := range here.Parts {
		if p.Kind == history.ImagePart {
			images--
		}
	}
	switch {
	case here.Role != m.Role || here.Content != m.Content:
		return otherText
	case here.Damaged || images <= 0:
		return withAll
	case value[bool](t, `SELECT EXISTS (SELECT 1 FROM requests WHERE session = ?)`, session):
		return sentWithout
	}
	return without
}

// replaceParts gives the message that is here the parts of l and its hash; keys are those of their bytes.
func (l *MessageLine) replaceParts(t *tx, keys []int64) {
	l.ToolCalls = nil // which are there
	t.exec(`DELETE FROM parts WHERE message = ?`, l.ID)
	l.insertCallsAndParts(t, keys)
	t.exec(`UPDATE messages SET hash = ? WHERE id = ?`, l.hash, l.ID)
}
