package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"winnow/history"
	"winnow/session/store/sqlite"
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
	row.Model = ""
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
	err := s.jot(ctx, "import the conversation", func(tx *sql.Tx) error {
		in := importing{s: s, tx: tx, named: named}
		err := in.run(ctx, c)
		out = in.out
		if err == nil && o.DryRun {
			err = errDryRun
		}
		return err
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
	s       *Store
	tx      *sql.Tx
	named   bool
	session int64
	out     ImportResult

	stored map[string][]version // what the session of a conversation with a name holds, by label
	own    int                  // its messages without a label: somebody went on with it here
	last   int                  // the seq of its last message
	ids    []int64              // of the conversation's messages
	turns  int                  // added
}

// version is one message with some label.
type version struct {
	id  int64
	sum [sha256.Size]byte
}

// textSum is the digest of what a message says and who says it.
func textSum(role history.Role, content []byte) [sha256.Size]byte {
	return sha256.Sum256(append(append([]byte(role), 0), content...))
}

func (in *importing) run(ctx context.Context, c Conversation) error {
	if err := in.begin(ctx, c.Session); err != nil || !in.out.Session.Deleted.IsZero() {
		return err
	}
	for _, m := range c.Messages {
		if err := in.add(ctx, m); err != nil {
			return err
		}
	}
	if in.out.New && in.out.Added == 0 {
		return errors.New("the conversation has no message")
	}
	if in.out.Added > 0 {
		if err := in.count(ctx, c.Leaf); err != nil {
			return err
		}
		if err := in.date(ctx, c.Session); err != nil {
			return err
		}
	}
	var err error
	in.out.Session, err = sessionByKey(ctx, in.tx, in.session)
	return err
}

// begin finds the session that the conversation was imported as, or adds one.
func (in *importing) begin(ctx context.Context, row Session) (err error) {
	in.session, err = importedAs(ctx, in.tx, row)
	if err == nil {
		in.out.Session, err = sessionByKey(ctx, in.tx, in.session)
		switch {
		case err != nil:
			return err
		case in.named:
			return in.readStored(ctx)
		case in.out.Session.Deleted.IsZero():
			return &DuplicateError{in.out.Session}
		}
	} else if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	in.out.New, in.stored = true, map[string][]version{}
	if row.Origin != "" {
		if row.ID, err = importedID(ctx, in.tx, row); err != nil {
			return err
		}
	}
	if in.session, err = in.s.addSession(ctx, in.tx, row); err != nil {
		return err
	}
	in.out.Session, err = sessionByKey(ctx, in.tx, in.session)
	return err
}

// importedID is the id of a session that is imported, the same on every machine. Where the session with that id was
// purged, or is in the trash, it is another one.
func importedID(ctx context.Context, tx *sql.Tx, row Session) (id string, err error) {
	for n, taken := 0, true; taken && err == nil; n++ {
		name := fmt.Appendf(nil, "winnow import %d %q %q", n, row.Source, row.Origin)
		id = uuid.NewSHA1(uuid.NameSpaceOID, name).String()
		err = tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?1)
				OR EXISTS (SELECT 1 FROM tombstones WHERE session = ?1)`, id).Scan(&taken)
	}
	return id, err
}

// messageID is the id of a message that is imported, the same on every machine: the time that its file gives, later
// than that of the message before it, and in the lowest bits a hash of what it says. Where a file gives no time, the
// first one is made of the session's id and is before 1988.
func (in *importing) messageID(ctx context.Context, m ImportedMessage) (int64, error) {
	if in.out.Session.Origin == "" {
		return in.s.newID(ctx, in.tx)
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
	for id := clock<<numberBits | int64(binary.BigEndian.Uint16(sum[:])%idStep); ; id += idStep {
		var taken bool
		err := in.tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?)`, id).Scan(&taken)
		if err != nil || !taken {
			return id, errors.Join(err, tellAgain(ctx, in.tx, id))
		}
	}
}

// importedAs is the session that a conversation was imported as. One in the trash counts where there is no
// other.
func importedAs(ctx context.Context, tx *sql.Tx, row Session) (n int64, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT n
		FROM sessions
		WHERE source = ?
			AND origin = ?
			AND origin <> ''
		ORDER BY deleted_ms <> 0, n
		LIMIT 1`, row.Source, row.Origin).Scan(&n)
	return n, err
}

// readStored reads what the session holds.
func (in *importing) readStored(ctx context.Context) error {
	in.stored = map[string][]version{}
	return sqlite.Each(ctx, in.tx, func(scan func(...any) error) error {
		var v version
		var seq int
		var role history.Role
		var label string
		var content []byte
		if err := scan(&v.id, &seq, &role, &label, &content); err != nil {
			return err
		}
		in.last = max(in.last, seq)
		if label == "" {
			in.own++
			return nil
		}
		v.sum = textSum(role, content)
		in.stored[label] = append(in.stored[label], v)
		return nil
	}, `
		SELECT
			id,
			seq,
			role,
			label,
			content
		FROM messages
		WHERE session = ?
		ORDER BY id`, in.session)
}

// add stores a message where it is not here.
func (in *importing) add(ctx context.Context, m ImportedMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	switch i := len(in.ids); {
	case m.Status == history.Streaming:
		return errors.New("a message that is still arriving cannot be imported")
	case m.After >= i:
		return fmt.Errorf("message %d of the conversation is before the one that it follows", i)
	case in.named && m.Label == "":
		return fmt.Errorf("message %d of the conversation has no label", i)
	case m.After >= 0:
		m.Parent = in.ids[m.After]
	}
	m.Message = in.s.cleanMessage(m.Message)
	v := version{}
	if in.named {
		v.sum = textSum(m.Role, []byte(m.Content))
		for _, known := range in.stored[m.Label] {
			if known.sum == v.sum {
				in.ids = append(in.ids, known.id)
				m.ID = known.id
				return in.addImages(ctx, m.Message)
			}
		}
		if len(in.stored[m.Label]) > 0 {
			in.out.Changed++
		}
	}
	// The driver watches a context that can end with a goroutine for every statement. The transaction
	// has its own.
	ctx = context.WithoutCancel(ctx)
	var err error
	if m.ID, err = in.messageID(ctx, m); err != nil {
		return err
	}
	v.id = m.ID
	if err := insertAt(ctx, in.tx, in.session, in.last+1, m.Message, ""); err != nil {
		return err
	}
	if m.Excluded {
		if err := in.s.setFlag(ctx, in.tx, v.id, history.Exclude); err != nil {
			return err
		}
	}
	in.stored[m.Label] = append(in.stored[m.Label], v)
	in.ids = append(in.ids, v.id)
	in.last++
	in.out.Added++
	if m.Role == history.User {
		in.turns++
	}
	return nil
}

// count writes what the added messages decide of the session's row. leaf is the index of the end of the
// active branch.
func (in *importing) count(ctx context.Context, leaf int) error {
	if leaf < 0 {
		leaf = len(in.ids) - 1
	}
	end, err := in.leaf(ctx, in.ids[leaf])
	if err != nil {
		return err
	}
	err = execute(ctx, in.tx, `
		UPDATE sessions
		SET messages = messages + ?2,
			turns = turns + ?3,
			leaf = ?4
		WHERE n = ?1`, in.session, in.out.Added, in.turns, end)
	if err != nil {
		return err
	}
	return in.s.setRegisters(ctx, in.tx, in.session, leafValue)
}

// leaf is where the active branch ends from now on, where the other program's ends at a message.
func (in *importing) leaf(ctx context.Context, there int64) (int64, error) {
	here := in.out.Session.Leaf
	if here == 0 || in.own == 0 {
		return there, nil
	}
	var extends bool
	err := in.tx.QueryRowContext(ctx, branchUp+`
		SELECT EXISTS (
			SELECT 1
			FROM branch
			WHERE id = ?4
		)`, there, in.session, -1, here).Scan(&extends)
	if err != nil || !extends {
		return here, err
	}
	return there, nil
}

// date gives the session of a conversation with a name its place in the order of last use, and makes any other the
// session used last.
func (in *importing) date(ctx context.Context, row Session) error {
	if !in.named {
		return in.s.use(ctx, in.tx, in.session)
	}
	return execute(ctx, in.tx, `
		UPDATE sessions
		SET updated_ms = max(updated_ms, ?2),
			used = max(used, ?2)
		WHERE n = ?1`, in.session, cmp.Or(sqlite.Milliseconds(row.Updated), sqlite.Milliseconds(row.Created)))
}

// addImages gives a message that is here the images that an earlier file of its conversation did not hold, and has the
// other machines told.
func (in *importing) addImages(ctx context.Context, m Message) error {
	state, err := lacking(ctx, in.tx, in.session, m)
	if err != nil || state == sentWithout {
		in.out.Unfilled++
		return err
	}
	if state != without {
		return nil
	}
	keys, hashes, err := attach(ctx, in.tx, m.Parts)
	if err != nil {
		return err
	}
	in.out.Filled++
	return errors.Join(setParts(ctx, in.tx, in.session, m, keys, hashes), tellAgain(ctx, in.tx, m.ID))
}

// What a message that is here has of the images of another version of it.
type imageState int

const (
	otherText   imageState = iota // the two do not say the same
	withAll                       // all of them
	without                       // not all
	sentWithout                   // not all, and it stays so: what requests held must be found again
)

// lacking compares the images of m with those of the message that is here under its id.
func lacking(ctx context.Context, tx *sql.Tx, session int64, m Message) (imageState, error) {
	images := func(parts []history.Part) (n int) {
		for _, p := range parts {
			if p.Kind == history.ImagePart {
				n++
			}
		}
		return n
	}
	here, err := message(ctx, tx, m.ID)
	switch {
	case err != nil || here.Role != m.Role || here.Content != m.Content:
		return otherText, err
	case here.Damaged || images(here.Parts) >= images(m.Parts):
		return withAll, nil
	}
	var sent bool
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM requests WHERE session = ?)`, session).Scan(&sent)
	if sent {
		return sentWithout, err
	}
	return without, err
}

// setParts gives the message that is here the parts of m, whose bytes are stored.
func setParts(ctx context.Context, tx *sql.Tx, session int64, m Message, attachments []int64, hashes [][]byte) error {
	here, err := message(ctx, tx, m.ID)
	if err != nil {
		return err
	}
	here.Parts = m.Parts
	r := rowOf(session, here, hashes)
	if err := execute(ctx, tx, `DELETE FROM parts WHERE message = ?`, m.ID); err != nil {
		return err
	}
	if err := insertCallsAndParts(ctx, tx, m.ID, MessageLine{Parts: r.Parts}, attachments); err != nil {
		return err
	}
	return execute(ctx, tx, `
		UPDATE messages
		SET hash = ?,
			parts = ?
		WHERE id = ?`, []byte(r.Hash), len(m.Parts), m.ID)
}
