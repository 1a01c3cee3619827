package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

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
	return s.importInto(ctx, s.jot, c.Session, o.DryRun, func(add func(ImportedMessage) error) (Session, int, error) {
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
	messages := func(add func(ImportedMessage) error) (Session, int, error) {
		last := -1
		row, err := fill(func(m Message) error {
			err := add(ImportedMessage{Message: m, After: last})
			last++
			return err
		})
		return row, -1, err
	}
	out, err := s.importInto(ctx, s.save, Session{}, o.DryRun, messages)
	return out.Session, err
}

// errDryRun ends a transaction whose outcome alone was wanted.
var errDryRun = errors.New("this was a dry run")

// importInto imports a conversation in one transaction of the given kind. A row without an Origin is that
// of a conversation without a name, whose row is complete only when fill returns it.
func (s *Store) importInto(
	ctx context.Context, transact transactor, row Session, dry bool,
	fill func(add func(ImportedMessage) error) (Session, int, error),
) (ImportResult, error) {
	var out ImportResult
	err := transact(ctx, "import the conversation", func(t *tx) {
		in := importing{tx: t, s: s}
		in.run(row, fill)
		if out = in.out; dry {
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
	session int64
	out     ImportResult

	stored map[string][]version // what the session holds, by label; nil for a conversation without a name
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

func (in *importing) run(row Session, fill func(add func(ImportedMessage) error) (Session, int, error)) {
	named := row.Origin != ""
	in.begin(row)
	if !in.out.Session.Deleted.IsZero() {
		return
	}
	ctx := in.ctx
	row, leaf, err := fill(func(m ImportedMessage) error {
		in.fail(ctx.Err())
		if in.err == nil {
			in.add(m)
		}
		return in.err
	})
	if in.fail(err); in.err != nil {
		return
	}
	if in.out.New && in.out.Added == 0 {
		in.fail(errors.New("the conversation has no message"))
	}
	if in.out.Added > 0 {
		in.count(leaf)
		if named {
			in.date(row)
		} else {
			in.describe(row)
		}
	}
	in.out.Session = sessionByKey(in.tx, in.session).Session
}

// begin finds the session that the conversation was imported as, or adds one, and reads what it holds.
func (in *importing) begin(row Session) {
	in.session = importedAs(in.tx, row)
	if in.out.New = in.session == 0; in.out.New {
		in.session = in.s.addSession(in.tx, row)
	}
	in.out.Session = sessionByKey(in.tx, in.session).Session
	if row.Origin == "" {
		return
	}
	in.stored = map[string][]version{}
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
	case in.stored != nil && m.Label == "":
		in.fail(fmt.Errorf("message %d of the conversation has no label", i))
	case m.After >= 0:
		m.Parent = in.to[m.After]
	}
	if in.err != nil {
		return
	}
	m.Message = in.s.cleanMessage(m.Message)
	v := versionOf(0, m.Role, m.Content)
	if in.stored != nil {
		known := in.stored[m.Label]
		if at := slices.IndexFunc(known, func(k version) bool { return k.sum == v.sum }); at >= 0 {
			in.to = append(in.to, known[at].id)
			in.addImages(known[at].id, m.Message)
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
	m.ID, m.Seq = in.s.newID(in.tx), in.last
	insertMessage(in.tx, in.session, m.Message, "")
	if m.Excluded {
		in.s.decide(in.tx, m.ID, flagValue, string(history.Exclude))
	}
	if v.id = m.ID; in.stored != nil {
		in.stored[m.Label] = append(in.stored[m.Label], v)
	}
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
		const holds = branchUp + ` SELECT EXISTS (SELECT 1 FROM branch WHERE id = ?4)`
		if !value[bool](in.tx, holds, end, in.session, -1, here) {
			end = here
		}
	}
	in.exec(`UPDATE sessions SET messages = messages + ?2, turns = turns + ?3, leaf = ?4 WHERE n = ?1`,
		in.session, in.out.Added, in.turns, end)
	in.s.setRegisters(in.tx, in.session, leafValue)
}

// date gives the session of a conversation with a name its place in the order of last use.
func (in *importing) date(row Session) {
	in.exec(`UPDATE sessions SET updated_ms = max(updated_ms, ?2), used = max(used, ?2) WHERE n = ?1`,
		in.session, cmp.Or(milliseconds(row.Updated), milliseconds(row.Created)))
}

// describe writes the row of a conversation without a name and makes it the session used last. The model
// comes to the answers now, because a file may name it behind them.
func (in *importing) describe(row Session) {
	if row.Model != "" {
		in.exec(`UPDATE messages SET model = ? WHERE session = ? AND role = 'assistant' AND model = ''`,
			row.Model, in.session)
	}
	// The same conversation may have been imported before, however it went on since.
	if twin := importedAs(in.tx, row); twin != 0 {
		if there := sessionByKey(in.tx, twin); there.Deleted.IsZero() {
			in.fail(&DuplicateError{there.Session})
		}
	}
	l := sessionByKey(in.tx, in.session)
	if !row.Created.IsZero() {
		l.Created = row.Created
	}
	l.Title, l.TitleFrom, l.System = in.s.clean(row.Title), row.TitleFrom, in.s.clean(row.System)
	l.Preset, l.Overrides, l.Dir, l.Source, l.Origin = row.Preset, row.Overrides, row.Dir, row.Source, row.Origin
	in.update("sessions", l.columns(), 0, sql.Named("n", in.session))
	setTags(in.tx, in.session, row.Tags)
	in.s.use(in.tx, in.session)
}

// addImages gives a message that is here the images that an earlier file of its conversation did not hold. A message
// that a request held stays as it is: what was sent must be found again.
func (in *importing) addImages(id int64, m Message) {
	images := func(parts []history.Part) (n int) {
		for _, p := range parts {
			if p.Kind == history.ImagePart {
				n++
			}
		}
		return n
	}
	if images(m.Parts) == 0 {
		return
	}
	here := message(in.tx, id)
	if here.Damaged || images(here.Parts) >= images(m.Parts) {
		return
	}
	if value[bool](in.tx, `SELECT EXISTS (SELECT 1 FROM requests WHERE session = ?)`, in.session) {
		in.out.Unfilled++
		return
	}
	l := MessageLine{Message: here}
	l.Parts = m.Parts
	keys := l.attach(in.tx)
	l.ToolCalls = nil // which are there
	in.exec(`DELETE FROM parts WHERE message = ?`, id)
	l.insertCallsAndParts(in.tx, keys)
	in.exec(`UPDATE messages SET hash = ? WHERE id = ?`, l.hash, id)
	in.out.Filled++
}
