package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"

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
	// A file can be imported again, so the import of many conversations does not wait for the disk
	// after each.
	return s.importInto(ctx, s.jot, c.Session, o, func(add func(ImportedMessage) error) (Session, int, error) {
		for _, m := range c.Messages {
			if err := add(m); err != nil {
				return Session{}, 0, err
			}
		}
		return c.Session, c.Leaf, nil
	})
}

// Filling adds the messages of a conversation in order and returns its row. It may run several times.
// Its error ends the import and comes back.
type Filling func(add func(Message) error) (Session, error)

// ImportMessages stores a conversation that has no name as one branch of a new session, which becomes
// the one used last. It is in one transaction: all of it is stored or nothing. Its model becomes that of
// the answers.
//
// Where the row has an Origin, and one of its Source was imported before and is not in the trash, nothing is stored and
// the error is a *DuplicateError.
func (s *Store) ImportMessages(ctx context.Context, fill Filling, o ImportOptions) (Session, error) {
	out, err := s.importInto(ctx, s.save, Session{}, o, func(add func(ImportedMessage) error) (Session, int, error) {
		last := -1
		row, err := fill(func(m Message) error {
			err := add(ImportedMessage{Message: m, After: last})
			last++
			return err
		})
		return row, -1, err
	})
	return out.Session, err
}

// errDryRun ends a transaction whose outcome alone was wanted.
var errDryRun = errors.New("this was a dry run")

// importInto imports a conversation in one transaction of the given kind. A row without an Origin is that
// of a conversation without a name, whose row is complete only when fill returns it.
func (s *Store) importInto(
	ctx context.Context, transact func(context.Context, string, func(*sql.Tx) error) error, row Session, o ImportOptions,
	fill func(add func(ImportedMessage) error) (Session, int, error),
) (ImportResult, error) {
	var out ImportResult
	err := transact(ctx, "import the conversation", func(tx *sql.Tx) error {
		in := importing{s: s, tx: tx}
		err := in.run(ctx, row, fill)
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
	session int64
	out     ImportResult

	stored map[string][]version // what the session holds, by label; nil for a conversation without a name
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

func (in *importing) run(ctx context.Context, row Session, fill func(add func(ImportedMessage) error) (Session, int, error)) error {
	named := row.Origin != ""
	if err := in.begin(ctx, row); err != nil || !in.out.Session.Deleted.IsZero() {
		return err
	}
	row, leaf, err := fill(func(m ImportedMessage) error { return in.add(ctx, m) })
	if err != nil {
		return err
	}
	if in.out.New && in.out.Added == 0 {
		return errors.New("the conversation has no message")
	}
	if in.out.Added > 0 {
		if err := in.count(ctx, leaf); err != nil {
			return err
		}
		finish := in.describe
		if named {
			finish = in.date
		}
		if err := finish(ctx, row); err != nil {
			return err
		}
	}
	return in.readSession(ctx)
}

// readSession reads the row of the session.
func (in *importing) readSession(ctx context.Context) error {
	row, err := sessionByKey(ctx, in.tx, in.session)
	in.out.Session = row.Session
	return err
}

// begin finds the session that the conversation was imported as, or adds one.
func (in *importing) begin(ctx context.Context, row Session) (err error) {
	in.session, err = importedAs(ctx, in.tx, row)
	if errors.Is(err, sql.ErrNoRows) {
		in.out.New = true
		in.session, err = in.s.addSession(ctx, in.tx, row)
	}
	if err != nil {
		return err
	}
	if row.Origin != "" {
		if err := in.readStored(ctx); err != nil {
			return err
		}
	}
	return in.readSession(ctx)
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
	case in.stored != nil && m.Label == "":
		return fmt.Errorf("message %d of the conversation has no label", i)
	case m.After >= 0:
		m.Parent = in.ids[m.After]
	}
	m.Message = in.s.cleanMessage(m.Message)
	v := version{}
	if in.stored != nil {
		v.sum = textSum(m.Role, []byte(m.Content))
		for _, known := range in.stored[m.Label] {
			if known.sum == v.sum {
				in.ids = append(in.ids, known.id)
				return in.addImages(ctx, known.id, m.Message)
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
	if m.ID, err = in.s.newID(ctx, in.tx); err != nil {
		return err
	}
	m.Seq = in.last + 1
	v.id = m.ID
	if err := insertMessage(ctx, in.tx, in.session, m.Message, ""); err != nil {
		return err
	}
	if m.Excluded {
		if err := in.s.setFlag(ctx, in.tx, v.id, history.Exclude); err != nil {
			return err
		}
	}
	if in.stored != nil {
		in.stored[m.Label] = append(in.stored[m.Label], v)
	}
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

// date gives the session of a conversation with a name its place in the order of last use.
func (in *importing) date(ctx context.Context, row Session) error {
	return execute(ctx, in.tx, `
		UPDATE sessions
		SET updated_ms = max(updated_ms, ?2),
			used = max(used, ?2)
		WHERE n = ?1`, in.session, cmp.Or(milliseconds(row.Updated), milliseconds(row.Created)))
}

// describe writes the row of a conversation without a name and makes it the session used last. The model
// comes to the answers now, because a file may name it behind them.
func (in *importing) describe(ctx context.Context, row Session) error {
	if row.Model != "" {
		err := execute(ctx, in.tx, `
			UPDATE messages
			SET model = ?
			WHERE session = ?
				AND role = 'assistant'
				AND model = ''`, row.Model, in.session)
		if err != nil {
			return err
		}
	}
	if err := in.refuseDuplicate(ctx, row); err != nil {
		return err
	}
	err := execute(ctx, in.tx, `
		UPDATE sessions
		SET created_ms = iif(?2 = 0, created_ms, ?2),
			title = ?3,
			title_from = ?4,
			preset = ?5,
			overrides = ?6,
			system = ?7,
			dir = ?8,
			source = ?9,
			origin = ?10
		WHERE n = ?1`, in.session, milliseconds(row.Created), in.s.clean(row.Title), row.TitleFrom, row.Preset, row.Overrides,
		in.s.clean(row.System), row.Dir, row.Source, row.Origin)
	if err != nil {
		return err
	}
	if err := setTags(ctx, in.tx, in.session, row.Tags); err != nil {
		return err
	}
	return in.s.use(ctx, in.tx, in.session)
}

// refuseDuplicate returns a *DuplicateError where another session was imported as the same conversation, however it
// went on since.
func (in *importing) refuseDuplicate(ctx context.Context, row Session) error {
	twin, err := importedAs(ctx, in.tx, row)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	there, err := sessionByKey(ctx, in.tx, twin)
	if err == nil && there.Deleted.IsZero() {
		err = &DuplicateError{there.Session}
	}
	return err
}

// addImages gives a message that is here the images that an earlier file of its conversation did not hold. A message
// that a request held stays as it is: what was sent must be found again.
func (in *importing) addImages(ctx context.Context, id int64, m Message) error {
	images := func(parts []history.Part) (n int) {
		for _, p := range parts {
			if p.Kind == history.ImagePart {
				n++
			}
		}
		return n
	}
	if images(m.Parts) == 0 {
		return nil
	}
	here, err := message(ctx, in.tx, id)
	if err != nil || here.Damaged || images(here.Parts) >= images(m.Parts) {
		return err
	}
	var sent bool
	err = in.tx.QueryRowContext(ctx, `
		SELECT EXISTS (
			SELECT 1
			FROM requests
			WHERE session = ?
		)`, in.session).Scan(&sent)
	if err != nil {
		return err
	}
	if sent {
		in.out.Unfilled++
		return nil
	}
	l := MessageLine{Message: here}
	l.Parts = m.Parts
	keys, err := l.attach(ctx, in.tx)
	if err != nil {
		return err
	}
	if err := execute(ctx, in.tx, `DELETE FROM parts WHERE message = ?`, id); err != nil {
		return err
	}
	l.ToolCalls = nil // which are there
	if err := l.insertCallsAndParts(ctx, in.tx, keys); err != nil {
		return err
	}
	in.out.Filled++
	return execute(ctx, in.tx, `UPDATE messages SET hash = ? WHERE id = ?`, l.hash, id)
}
