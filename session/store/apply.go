package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/mattn/go-sqlite3"

	"winnow/history"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

var (
	// ErrLine says that lines hold what no history can have written.
	ErrLine = errors.New("it is damaged")
	// ErrAhead says that lines have a clock that no machine can have reached. It comes with ErrLine.
	ErrAhead = errors.New("its clock is more than a day ahead")
	// ErrWaits says that lines name rows that are not here yet.
	ErrWaits = errors.New("it follows a file that is not here yet")
)

// Applied says what Apply wrote.
type Applied struct {
	Sessions int // that were not here
	Messages int
	Requests int
	Purged   int      // sessions that another machine purged; FinishPurge overwrites their text
	Diverged int      // sessions with which two machines went on at once
	Saved    int      // sessions made of messages that the machine which purged their session had not got
	Refused  int      // messages that are here with other content: what is here stays
	Changed  []string // the ids of all sessions of which something changed, was added or went
}

// Apply writes what is new in lines, all of it in one transaction or nothing: a row that is here stays, a register with
// a later stamp is set, a tombstone purges. So lines can be applied again and in any order of files, but for messages,
// which come behind the one that they follow; otherwise the error is ErrWaits. lines hands them out in order, from the
// first on each time it is called. ErrLine, which may be ErrAhead, says that the lines cannot be a history's. Where the
// history is shared, the other machines are to be told of the sessions that changed.
func (s *Store) Apply(ctx context.Context, lines func(take func(Line) error) error) (Applied, error) {
	return inTx(ctx, s.save, "merge the conversations", func(t *tx) Applied {
		out := s.apply(t, lines)
		tellSessions(t, out.Changed)
		return out
	})
}

func (s *Store) apply(t *tx, lines func(take func(Line) error) error) Applied {
	ctx := t.ctx
	t.ctx = context.WithoutCancel(ctx)
	a := applying{
		tx: t, s: s, clean: cleaner{clean: s.redact, hashes: map[string]string{}}, attached: map[string]int64{},
		changed: map[int64]bool{}, diverged: map[int64]bool{}, latest: s.now().Add(mostAhead).UnixMilli() << numberBits,
	}
	t.fail(lines(func(l Line) error {
		t.fail(ctx.Err())
		if t.err == nil {
			a.clean.line(&l)
			a.line(l)
		}
		return t.err
	}))
	if t.err == nil {
		a.finish()
	}
	var broken sqlite3.Error
	if errors.As(t.err, &broken) && broken.Code == sqlite3.ErrConstraint {
		t.err = fmt.Errorf("%w: a row of it cannot be stored: %w", ErrLine, t.err)
	}
	return a.out
}

// applying is an Apply within its transaction.
type applying struct {
	*tx
	s        *Store
	clean    cleaner
	attached map[string]int64 // keys of attachments by hex hash
	latest   int64            // no id is greater

	session int64          // key of the session that the lines belong to, 0 in front of the first one
	fresh   bool           // that session was not here
	purged  *TombstoneLine // of that session, nil where it was not purged

	added    []int64        // messages
	changed  map[int64]bool // keys of sessions
	diverged map[int64]bool
	newest   int64 // id of the lines
	out      Applied
}

// damaged fails with ErrLine.
func (a *applying) damaged(format string, args ...any) {
	a.fail(fmt.Errorf("%w: %s", ErrLine, fmt.Sprintf(format, args...)))
}

func (a *applying) line(l Line) {
	switch {
	case l.Session != nil:
		a.beginSession(l.Session)
	case l.Tombstone != nil:
		a.tombstone(*l.Tombstone)
	case l.Attachment != nil:
		a.attachment(l.Attachment)
	case a.session == 0 && a.purged == nil:
		a.damaged("a row stands before its session")
	case l.Message != nil:
		a.message(l.Message)
	case a.purged != nil:
	case l.Draft != nil && a.fresh:
		a.insert("drafts", l.Draft.columns(), a.ofSession())
	case l.Queued != nil && a.fresh:
		a.insert("queued", l.Queued.columns(), a.ofSession())
	case l.Draft != nil, l.Queued != nil:
	case l.Request != nil:
		a.request(l.Request)
	case l.Summary != nil:
		a.summary(l.Summary)
	case l.Repair != nil:
		a.repair(l.Repair)
	case l.Register != nil:
		a.register(*l.Register)
	default:
		a.damaged("a row is of no kind")
	}
}

// ofSession is the column that names the session.
func (a *applying) ofSession() sql.NamedArg { return sql.Named("session", a.session) }

// possible refuses ids that no machine can have given.
func (a *applying) possible(ids ...int64) {
	for _, id := range ids {
		if id < 0 {
			a.damaged("%d is no id", id)
		}
		if id > a.latest {
			a.fail(fmt.Errorf("%w: %w", ErrLine, ErrAhead))
		}
		a.newest = max(a.newest, id)
	}
}

// beginSession finds or adds the session that the next lines belong to.
func (a *applying) beginSession(l *SessionLine) {
	if l.ID == "" || len(l.ID) > 64 {
		a.damaged("a session cannot have the id %.80q", l.ID)
	}
	a.session, a.fresh = 0, false
	if a.purged = tombstoneOf(a.tx, l.ID); a.purged != nil {
		return
	}
	if a.session = sessionThere(a.tx, l.ID); a.session != 0 {
		moved := a.exec(`
			UPDATE sessions
			SET updated_ms = max(updated_ms, ?2), used = max(used, ?3)
			WHERE n = ?1 AND (updated_ms < ?2 OR used < ?3)`, a.session, milliseconds(l.Updated), l.used)
		if moved > 0 {
			a.changed[a.session] = true
		}
		return
	}
	if max(l.used, milliseconds(l.Updated), milliseconds(l.Created)) > a.latest>>numberBits || l.used < 0 {
		a.fail(fmt.Errorf("%w: %w", ErrLine, ErrAhead))
	}
	a.possible(l.ForkedAt)
	l.Leaf, l.Messages, l.Turns, l.Address = 0, 0, 0, ""
	a.session, a.fresh = insertSession(a.tx, l), true
	a.out.Sessions++
	a.changed[a.session] = true
}

// attachment stores the bytes of a part under the hash that they had where they came from, so that damaged ones stay
// damaged. Whole ones replace what is damaged here.
func (a *applying) attachment(l *AttachmentLine) {
	hash, err := hex.DecodeString(l.Hash)
	if err != nil || len(hash) != sha256.Size {
		a.damaged("attachment %.80q has no SHA-256", l.Hash)
	}
	a.attached[l.Hash] = attachBytes(a.tx, hash, l.Data)
}

// message stores a message that is not here.
func (a *applying) message(m *MessageLine) {
	if a.purged != nil {
		if slices.Contains(a.purged.Messages, m.ID) {
			return
		}
		a.beginSaved(a.purged.Session)
		defer func() { a.session = 0 }()
		if slices.Contains(a.purged.Messages, m.Parent) {
			m.Parent = 0
		}
		m.Request = 0
	}
	a.possible(m.ID, m.Parent, m.Request)
	if m.ID == 0 || m.Parent >= m.ID {
		a.damaged("message %d cannot follow message %d", m.ID, m.Parent)
	}
	if m.hash == nil {
		m.hash = newPrinter().print(m)
	}
	if here := a.here("messages", m.ID); here != 0 {
		a.messageAgain(here, m)
		return
	}
	if m.Parent != 0 {
		switch a.here("messages", m.Parent) {
		case 0:
			a.fail(ErrWaits)
		case a.session:
		default:
			a.damaged("message %d follows one of another session", m.ID)
		}
	}
	keys := a.attachments(m)
	m.session, m.owner, m.Seq = a.session, "", nextSeq(a.tx, a.session)
	if m.Status == history.Streaming {
		m.Status = history.Interrupted
	}
	a.insert("messages", m.columns())
	m.insertCallsAndParts(a.tx, keys)
	a.out.Messages++
	a.added = append(a.added, m.ID)
	a.changed[a.session] = true
	a.noteDiverged(m)
	mergeWaiting(a.tx, a.session, m.ID)
}

// here is the session of a row of a table, 0 where it is not here.
func (a *applying) here(table string, id int64) int64 {
	return value[int64](a.tx, "SELECT session FROM "+table+" WHERE id = ?", id)
}

// attachments are the keys of the bytes of a message's parts, which come before it.
func (a *applying) attachments(m *MessageLine) (keys []int64) {
	for _, part := range m.parts {
		key, there := a.attached[part.hash]
		if !there {
			a.damaged("message %d has an attachment that does not stand before it (%.80q)", m.ID, part.hash)
		}
		keys = append(keys, key)
	}
	return keys
}

// messageAgain is told of a message that is here. What it says never changes: other content is refused, also of a line
// that names the hash of the content here. Images that an import added elsewhere are added here.
func (a *applying) messageAgain(session int64, m *MessageLine) {
	hash := value[[]byte](a.tx, `SELECT hash FROM messages WHERE id = ?`, m.ID)
	if session == a.session && bytes.Equal(hash, m.hash) {
		return
	}
	state := otherText
	whole := bytes.Equal(newPrinter().print(m), m.hash) // else its sender could not read all of it
	if session == a.session && whole && m.Status == history.Imported {
		state = lacking(a.tx, session, m.Message, m.parts)
	}
	switch state {
	case without:
		a.changed[session] = true
		here := MessageLine{Message: message(a.tx, m.ID), hash: m.hash, parts: m.parts}
		here.replaceParts(a.tx, a.attachments(m))
	case withAll:
	default:
		a.out.Refused++
	}
}

// noteDiverged notes that two machines went on with a session behind the same message.
func (a *applying) noteDiverged(m *MessageLine) {
	if m.Role != history.User || m.Parent == 0 || m.Status == history.Imported || a.diverged[a.session] {
		return
	}
	a.diverged[a.session] = value[bool](a.tx, `
		SELECT EXISTS (
			SELECT 1
			FROM messages
			WHERE session = ?1
				AND parent = ?2
				AND id <> ?3
				AND id & ?4 <> ?3 & ?4
				AND role = 'user'
				AND status <> 'imported'
		)`, a.session, m.Parent, m.ID, idStep-1)
	if a.diverged[a.session] {
		a.out.Diverged++
	}
}

// request stores a request that is not here, or what is known of its end since.
func (a *applying) request(l *RequestLine) {
	a.possible(l.ID, l.User, l.base)
	here := a.here("requests", l.ID)
	if l.ID == 0 || here != 0 && here != a.session {
		a.damaged("request %d is of another session", l.ID)
	}
	if here != 0 {
		a.requestAgain(l.Request)
		return
	}
	if turn := turnOf(a.tx, l.User); turn > 0 {
		l.Turn = turn
	}
	a.insert("requests", l.Request.columns(), a.ofSession())
	a.out.Requests++
	a.changed[a.session] = true
	if l.planned() {
		putChange(a.tx, a.session, l)
	}
	if errors.Is(a.err, errNoBase) {
		a.err = fmt.Errorf("%w: %w", ErrWaits, a.err)
	}
}

// requestAgain takes over how a request ended, and that the server did read the whole of it.
func (a *applying) requestAgain(r Request) {
	for _, was := range readRows[Request](a.tx, "requests WHERE id = ?", r.ID) {
		switch {
		case was.End == "" && r.End != "":
			r.Turn = was.Turn
		case was.CutExpected > 0 && r.CutExpected == 0 && r.End != "":
			was.CutExpected = 0
			r = was
		default:
			return
		}
		a.update("requests", r.columns(), 0, sql.Named("id", r.ID))
		a.changed[a.session] = true
	}
}

func (a *applying) summary(l *Summary) {
	if !inOrder(l.Sources) {
		return // it cannot be told what it stands for
	}
	a.possible(l.ID, l.Sources[0][0], l.LastMessage())
	if a.here("summaries", l.ID) == 0 {
		a.changed[a.session] = true
		insertSummary(a.tx, a.session, l)
	}
}

func (a *applying) repair(l *RepairLine) {
	if a.here("messages", l.Message) != a.session {
		a.damaged("a repair is one of another session")
	}
	there := value[bool](a.tx, `
		SELECT EXISTS (SELECT 1 FROM repairs WHERE message = ? AND kind = ? AND before_hash = ?)`,
		l.Message, l.Kind, l.Before)
	if !there {
		a.insert("repairs", l.columns())
	}
}

func (a *applying) register(r RegisterLine) {
	a.possible(r.Stamp, r.Item)
	if mergeRegister(a.tx, a.session, r) {
		a.changed[a.session] = true
	}
	if errors.Is(a.err, errRegister) {
		a.err = fmt.Errorf("%w: %w", ErrLine, a.err)
	}
}

// tombstone purges a session. What the machine that purged it had not got stays, in a session of its own.
func (a *applying) tombstone(l TombstoneLine) {
	a.possible(l.ID)
	if known := tombstoneOf(a.tx, l.Session); known != nil {
		a.purgedTwice(*known, l)
		return
	}
	n := sessionThere(a.tx, l.Session)
	putTombstone(a.tx, l)
	if n == 0 {
		return
	}
	a.out.Purged++
	a.out.Changed = append(a.out.Changed, l.Session)
	a.save(n, l)
	delete(a.changed, n)
	a.session = 0
	purgeRows(a.tx, n)
}

// purgedTwice is told of a session that two machines purged: what either of them had is gone.
func (a *applying) purgedTwice(known, l TombstoneLine) {
	more := slices.DeleteFunc(slices.Clone(l.Messages), func(id int64) bool {
		return slices.Contains(known.Messages, id)
	})
	if len(more) == 0 {
		return
	}
	known.Messages = append(known.Messages, more...)
	slices.Sort(known.Messages)
	a.exec(`DELETE FROM tombstones WHERE id = ?`, known.ID)
	putTombstone(a.tx, known)
	tellAgain(a.tx, known.ID)
	if n := sessionThere(a.tx, savedID(l.Session)); n != 0 {
		a.unsave(n, more)
	}
}

// unsave takes messages out of a session of saved ones.
func (a *applying) unsave(n int64, gone []int64) {
	const these = ` IN (SELECT value FROM json_each(?))`
	ids := a.ids(`SELECT id FROM messages WHERE session = ? AND id`+these, n, sqlite.IDs(gone))
	if value[int](a.tx, `SELECT count(*) FROM messages WHERE session = ?`, n) == len(ids) {
		delete(a.changed, n)
		purgeRows(a.tx, n)
		return
	}
	a.changed[n] = true
	unindex(a.tx, ids)
	a.fail(search.NotePurged(a.ctx, a.Tx))
	a.exec(`UPDATE messages SET parent = 0 WHERE session = ? AND parent`+these, n, sqlite.IDs(ids))
	a.exec(`DELETE FROM messages WHERE id`+these, sqlite.IDs(ids))
}

// save moves the messages of a session that a purge elsewhere did not know to a session of their own.
func (a *applying) save(n int64, l TombstoneLine) {
	unknown := a.ids(`
		SELECT id
		FROM messages
		WHERE session = ? AND id NOT IN (SELECT value FROM json_each(?))
		ORDER BY id`, n, asJSON{in: l.Messages, none: "[]"})
	if len(unknown) == 0 {
		return
	}
	a.beginSaved(l.Session)
	for i, id := range unknown {
		a.exec(`
			UPDATE messages
			SET session = ?2,
				seq = ?3,
				request = 0,
				parent = iif(parent IN (SELECT value FROM json_each(?4)), parent, 0)
			WHERE id = ?1`, id, a.session, i+1, sqlite.IDs(unknown))
	}
	a.changed[a.session] = true
	tellAgain(a.tx, unknown...)
}

// savedTitle is the title of a session with messages of one that another machine purged.
const savedTitle = "Recovered from a purged chat"

// savedID is the id of the session with the messages of a purged one that were saved.
func savedID(purged string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("winnow recovered "+purged)).String()
}

// beginSaved goes to the session that has the messages of a purged one which the machine that purged it had not got. It
// has the same id on all machines.
func (a *applying) beginSaved(purged string) {
	id := savedID(purged)
	if a.session = sessionThere(a.tx, id); a.session != 0 {
		return
	}
	a.out.Saved++
	a.session = a.s.addSession(a.tx, Session{ID: id, Title: savedTitle, TitleFrom: TitleAuto})
	a.s.use(a.tx, a.session)
}

// finish writes what the rows decide of the sessions that changed.
func (a *applying) finish() {
	// The clock of the file never falls behind an id of another machine.
	a.exec(`UPDATE home SET clock = ?1 WHERE clock < ?1`, a.newest>>numberBits)
	for n := range a.changed {
		a.exec(`
			UPDATE sessions
			SET messages = (SELECT count(*) FROM messages WHERE session = ?1),
				turns = (SELECT count(*) FROM messages WHERE session = ?1 AND role = 'user')
			WHERE n = ?1`, n)
		settleLeaf(a.tx, n)
		raiseChanges(a.tx, n)
		a.out.Changed = append(a.out.Changed, value[string](a.tx, `SELECT id FROM sessions WHERE n = ?`, n))
	}
	slices.Sort(a.out.Changed)
	a.out.Changed = slices.Compact(a.out.Changed)
	indexNewest(a.tx)
}

// tombstoneOf is the tombstone of a session by its id, nil where it was not purged.
func tombstoneOf(t *tx, session string) (l *TombstoneLine) {
	eachRow(t, "tombstones WHERE session = ?", func(r *TombstoneLine) { l = r }, session)
	return l
}

func putTombstone(t *tx, l TombstoneLine) { t.insert("tombstones", l.columns()) }
