package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
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
	// ErrPurged says that a session was purged, here or on another machine.
	ErrPurged = errors.New("it was purged")
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
// first on each time it is called. ErrLine, which may be ErrAhead, says that the lines cannot be a history's.
func (s *Store) Apply(ctx context.Context, lines func(take func(Line) error) error) (Applied, error) {
	return inTx(ctx, s.save, "merge the conversations", func(tx *sql.Tx) (Applied, error) { return s.apply(ctx, tx, lines) })
}

func (s *Store) apply(ctx context.Context, tx *sql.Tx, lines func(take func(Line) error) error) (Applied, error) {
	a := applying{
		ctx: context.WithoutCancel(ctx), s: s, tx: tx,
		clean: cleaner{clean: s.redact, hashes: map[string]string{}}, attached: map[string]int64{},
		changed: map[int64]bool{}, diverged: map[int64]bool{}, latest: s.now().Add(mostAhead).UnixMilli() << numberBits,
	}
	err := lines(func(l Line) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.clean.line(&l)
		return a.line(l)
	})
	if err == nil {
		err = a.finish()
	}
	var broken sqlite3.Error
	if errors.As(err, &broken) && broken.Code == sqlite3.ErrConstraint {
		err = fmt.Errorf("%w: a row of it cannot be stored: %w", ErrLine, err)
	}
	return a.out, err
}

// applying is an Apply within its transaction.
type applying struct {
	ctx      context.Context
	s        *Store
	tx       *sql.Tx
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

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrLine, fmt.Sprintf(format, args...))
}

func (a *applying) line(l Line) error {
	switch {
	case l.Session != nil:
		return a.beginSession(l.Session)
	case l.Tombstone != nil:
		return a.tombstone(*l.Tombstone)
	case l.Attachment != nil:
		return a.attachment(l.Attachment)
	case a.session == 0 && a.purged == nil:
		return damaged("a row stands before its session")
	case l.Message != nil:
		return a.message(l.Message)
	case a.purged != nil:
		return nil
	case l.Draft != nil:
		return a.unsent("drafts", l.Draft)
	case l.Queued != nil:
		return a.unsent("queued", l.Queued)
	case l.Request != nil:
		return a.request(l.Request)
	case l.Summary != nil:
		return a.summary(l.Summary)
	case l.Repair != nil:
		return a.repair(l.Repair)
	case l.Register != nil:
		return a.register(*l.Register)
	}
	return damaged("a row is of no kind")
}

// possible refuses ids that no machine can have given.
func (a *applying) possible(ids ...int64) error {
	for _, id := range ids {
		if id < 0 {
			return damaged("%d is no id", id)
		}
		if id > a.latest {
			return fmt.Errorf("%w: %w", ErrLine, ErrAhead)
		}
		a.newest = max(a.newest, id)
	}
	return nil
}

// beginSession finds or adds the session that the next lines belong to.
func (a *applying) beginSession(l *SessionLine) error {
	if l.ID == "" || len(l.ID) > 64 {
		return damaged("a session cannot have the id %.80q", l.ID)
	}
	var err error
	if a.purged, err = tombstoneOf(a.ctx, a.tx, l.ID); err != nil || a.purged != nil {
		a.session = 0
		return err
	}
	if a.session, err = sessionThere(a.ctx, a.tx, l.ID); err != nil {
		return err
	}
	if a.fresh = a.session == 0; a.fresh {
		return a.addSession(l)
	}
	moved, err := changedRows(a.tx.ExecContext(a.ctx, `
		UPDATE sessions
		SET updated_ms = max(updated_ms, ?2), used = max(used, ?3)
		WHERE n = ?1 AND (updated_ms < ?2 OR used < ?3)`, a.session, milliseconds(l.Updated), l.used))
	if moved > 0 {
		a.changed[a.session] = true
	}
	return err
}

// changedRows is how many rows a statement changed.
func changedRows(result sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (a *applying) addSession(l *SessionLine) error {
	if max(l.used, milliseconds(l.Updated), milliseconds(l.Created)) > a.latest>>numberBits || l.used < 0 {
		return fmt.Errorf("%w: %w", ErrLine, ErrAhead)
	}
	if err := a.possible(l.ForkedAt); err != nil {
		return err
	}
	l.Leaf, l.Messages, l.Turns, l.Address = 0, 0, 0, ""
	var err error
	if a.session, err = insertSession(a.ctx, a.tx, l); err != nil {
		return err
	}
	a.out.Sessions++
	a.changed[a.session] = true
	return nil
}

// unsent adds a draft or a queued message to a session that was not here.
func (a *applying) unsent(table string, r row) error {
	if !a.fresh {
		return nil
	}
	return a.insert(table, r)
}

// insert adds a row of the session to a table.
func (a *applying) insert(table string, r row) error {
	return insertRow(a.ctx, a.tx, table, r, sql.Named("session", a.session))
}

// attachment stores the bytes of a part under the hash that they had where they came from, so that damaged ones stay
// damaged. Whole ones replace what is damaged here.
func (a *applying) attachment(l *AttachmentLine) error {
	hash, err := hex.DecodeString(l.Hash)
	if err != nil || len(hash) != sha256.Size {
		return damaged("attachment %.80q has no SHA-256", l.Hash)
	}
	a.attached[l.Hash], err = attachBytes(a.ctx, a.tx, hash, l.Data)
	return err
}

// message stores a message that is not here.
func (a *applying) message(m *MessageLine) error {
	if a.purged != nil {
		if slices.Contains(a.purged.Messages, m.ID) {
			return nil
		}
		if err := a.beginSaved(a.purged.Session); err != nil {
			return err
		}
		defer func() { a.session = 0 }()
		if slices.Contains(a.purged.Messages, m.Parent) {
			m.Parent = 0
		}
		m.Request = 0
	}
	if err := a.possible(m.ID, m.Parent, m.Request); err != nil {
		return err
	}
	if m.ID == 0 || m.Parent >= m.ID {
		return damaged("message %d cannot follow message %d", m.ID, m.Parent)
	}
	here, err := a.here("messages", m.ID)
	if err != nil {
		return err
	}
	if m.hash == nil {
		m.hash = newPrinter().print(m)
	}
	if here != 0 {
		return a.messageAgain(here, m)
	}
	if m.Parent != 0 {
		there, err := a.here("messages", m.Parent)
		if err != nil {
			return err
		}
		if there == 0 {
			return ErrWaits
		}
		if there != a.session {
			return damaged("message %d follows one of another session", m.ID)
		}
	}
	var keys []int64
	for _, part := range m.parts {
		key, there := a.attached[part.hash]
		if !there {
			return damaged("message %d has an attachment that does not stand before it (%.80q)", m.ID, part.hash)
		}
		keys = append(keys, key)
	}
	m.session, m.owner = a.session, ""
	if m.Seq, err = nextSeq(a.ctx, a.tx, a.session); err != nil {
		return err
	}
	if m.Status == history.Streaming {
		m.Status = history.Interrupted
	}
	if err := insertRow(a.ctx, a.tx, "messages", m); err != nil {
		return err
	}
	if err := m.insertCallsAndParts(a.ctx, a.tx, keys); err != nil {
		return err
	}
	a.out.Messages++
	a.added = append(a.added, m.ID)
	a.changed[a.session] = true
	if err := a.noteDiverged(m); err != nil {
		return err
	}
	return mergeWaiting(a.ctx, a.tx, a.session, m.ID)
}

// here is the session of a row of a table, 0 where it is not here.
func (a *applying) here(table string, id int64) (session int64, err error) {
	err = a.tx.QueryRowContext(a.ctx, "SELECT session FROM "+table+" WHERE id = ?", id).Scan(&session)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return session, err
}

// messageAgain is told of a message that is here. What it says never changes: other content is refused, also of a line
// that names the hash of the content here.
func (a *applying) messageAgain(session int64, m *MessageLine) error {
	var hash []byte
	if err := a.tx.QueryRowContext(a.ctx, `SELECT hash FROM messages WHERE id = ?`, m.ID).Scan(&hash); err != nil {
		return err
	}
	if !bytes.Equal(hash, m.hash) || session != a.session {
		a.out.Refused++
	}
	return nil
}

// noteDiverged notes that two machines went on with a session behind the same message.
func (a *applying) noteDiverged(m *MessageLine) error {
	if m.Role != history.User || m.Parent == 0 || a.diverged[a.session] {
		return nil
	}
	var diverged bool
	err := a.tx.QueryRowContext(a.ctx, `
		SELECT EXISTS (
			SELECT 1
			FROM messages
			WHERE session = ?1
				AND parent = ?2
				AND id <> ?3
				AND id & ?4 <> ?3 & ?4
				AND role = 'user'
		)`, a.session, m.Parent, m.ID, idStep-1).Scan(&diverged)
	if diverged {
		a.diverged[a.session] = true
		a.out.Diverged++
	}
	return err
}

// request stores a request that is not here, or what is known of its end since.
func (a *applying) request(l *RequestLine) error {
	if err := a.possible(l.ID, l.User, l.base); err != nil {
		return err
	}
	here, err := a.here("requests", l.ID)
	if err != nil {
		return err
	}
	if l.ID == 0 || here != 0 && here != a.session {
		return damaged("request %d is of another session", l.ID)
	}
	if here != 0 {
		return a.requestAgain(l.Request)
	}
	if turn, err := turnOf(a.ctx, a.tx, l.User); err != nil {
		return err
	} else if turn > 0 {
		l.Turn = turn
	}
	if err := a.insert("requests", &l.Request); err != nil {
		return err
	}
	a.out.Requests++
	a.changed[a.session] = true
	if l.Sum == nil {
		return nil
	}
	if err = putChange(a.ctx, a.tx, a.session, l); errors.Is(err, errNoBase) {
		err = fmt.Errorf("%w: %w", ErrWaits, err)
	}
	return err
}

// requestAgain takes over how a request ended, and that the server did read the whole of it.
func (a *applying) requestAgain(r Request) error {
	here, err := readRows[Request](a.ctx, a.tx, "requests WHERE id = ?", r.ID)
	if err != nil {
		return err
	}
	was := here[0]
	switch {
	case was.End == "" && r.End != "":
		r.Turn = was.Turn
	case was.CutExpected > 0 && r.CutExpected == 0 && r.End != "":
		was.CutExpected = 0
		r = was
	default:
		return nil
	}
	_, err = sqlite.Update(a.ctx, a.tx, "requests", values(r.columns(), 0), sql.Named("id", r.ID))
	a.changed[a.session] = true
	return err
}

func (a *applying) summary(l *Summary) error {
	if !inOrder(l.Sources) {
		return nil // it cannot be told what it stands for
	}
	if err := a.possible(l.ID, l.Sources[0][0], l.LastMessage()); err != nil {
		return err
	}
	here, err := a.here("summaries", l.ID)
	if err != nil || here != 0 {
		return err
	}
	a.changed[a.session] = true
	return insertSummary(a.ctx, a.tx, a.session, l)
}

func (a *applying) repair(l *RepairLine) error {
	if err := inSession(a.ctx, a.tx, a.session, l.Message); err != nil {
		return damaged("a repair is one of another session")
	}
	var there bool
	err := a.tx.QueryRowContext(a.ctx, `SELECT EXISTS (SELECT 1 FROM repairs WHERE message = ? AND kind = ? AND before_hash = ?)`,
		l.Message, l.Kind, l.Before).Scan(&there)
	if err != nil || there {
		return err
	}
	return insertRow(a.ctx, a.tx, "repairs", l)
}

func (a *applying) register(r RegisterLine) error {
	if err := a.possible(r.Stamp, r.Item); err != nil {
		return err
	}
	set, err := mergeRegister(a.ctx, a.tx, a.session, r)
	if errors.Is(err, errRegister) {
		return damaged("%v", err)
	}
	if set {
		a.changed[a.session] = true
	}
	return err
}

// tombstone purges a session. What the machine that purged it had not got stays, in a session of its own.
func (a *applying) tombstone(l TombstoneLine) error {
	if err := a.possible(l.ID); err != nil {
		return err
	}
	known, err := tombstoneOf(a.ctx, a.tx, l.Session)
	if err != nil {
		return err
	}
	if known != nil {
		return a.purgedTwice(*known, l)
	}
	n, err := sessionThere(a.ctx, a.tx, l.Session)
	if err != nil {
		return err
	}
	if err := putTombstone(a.ctx, a.tx, l); err != nil || n == 0 {
		return err
	}
	a.out.Purged++
	a.out.Changed = append(a.out.Changed, l.Session)
	if err := a.save(n, l); err != nil {
		return err
	}
	delete(a.changed, n)
	a.session = 0
	return purgeRows(a.ctx, a.tx, n)
}

// purgedTwice is told of a session that two machines purged: what either of them had is gone.
func (a *applying) purgedTwice(known, l TombstoneLine) error {
	var more []int64
	for _, id := range l.Messages {
		if !slices.Contains(known.Messages, id) {
			more = append(more, id)
		}
	}
	if len(more) == 0 {
		return nil
	}
	known.Messages = append(known.Messages, more...)
	slices.Sort(known.Messages)
	if err := execute(a.ctx, a.tx, `DELETE FROM tombstones WHERE id = ?`, known.ID); err != nil {
		return err
	}
	if err := putTombstone(a.ctx, a.tx, known); err != nil {
		return err
	}
	if err := tellAgain(a.ctx, a.tx, known.ID); err != nil {
		return err
	}
	n, err := sessionThere(a.ctx, a.tx, savedID(l.Session))
	if err != nil || n == 0 {
		return err
	}
	return a.unsave(n, more)
}

// unsave takes messages out of a session of saved ones.
func (a *applying) unsave(n int64, ids []int64) error {
	ids, err := idsWhere(a.ctx, a.tx, `SELECT id FROM messages WHERE session = ? AND id IN (SELECT value FROM json_each(?))`, n, sqlite.IDs(ids))
	if err != nil || len(ids) == 0 {
		return err
	}
	var left int
	err = a.tx.QueryRowContext(a.ctx, `SELECT count(*) FROM messages WHERE session = ?`, n).Scan(&left)
	if err != nil {
		return err
	}
	if left == len(ids) {
		delete(a.changed, n)
		return purgeRows(a.ctx, a.tx, n)
	}
	a.changed[n] = true
	if err := unindex(a.ctx, a.tx, ids); err != nil {
		return err
	}
	if err := search.NotePurged(a.ctx, a.tx); err != nil {
		return err
	}
	err = execute(a.ctx, a.tx, `UPDATE messages SET parent = 0 WHERE session = ? AND parent IN (SELECT value FROM json_each(?))`, n, sqlite.IDs(ids))
	if err != nil {
		return err
	}
	return execute(a.ctx, a.tx, `DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?))`, sqlite.IDs(ids))
}

// save moves the messages of a session that a purge elsewhere did not know to a session of their own.
func (a *applying) save(n int64, l TombstoneLine) error {
	gone, err := json.Marshal(l.Messages)
	if err != nil {
		return err
	}
	unknown, err := idsWhere(a.ctx, a.tx, `
		SELECT id
		FROM messages
		WHERE session = ?
			AND id NOT IN (SELECT value FROM json_each(?))
		ORDER BY id`, n, string(gone))
	if err != nil || len(unknown) == 0 {
		return err
	}
	if err := a.beginSaved(l.Session); err != nil {
		return err
	}
	for i, id := range unknown {
		err := execute(a.ctx, a.tx, `
			UPDATE messages
			SET session = ?2,
				seq = ?3,
				request = 0,
				parent = iif(parent IN (SELECT value FROM json_each(?4)), parent, 0)
			WHERE id = ?1`, id, a.session, i+1, sqlite.IDs(unknown))
		if err != nil {
			return err
		}
	}
	a.changed[a.session] = true
	return tellAgain(a.ctx, a.tx, unknown...)
}

// savedTitle is the title of a session with messages of one that another machine purged.
const savedTitle = "Recovered from a purged chat"

// savedID is the id of the session with the messages of a purged one that were saved.
func savedID(purged string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("winnow recovered "+purged)).String()
}

// beginSaved goes to the session that has the messages of a purged one which the machine that purged it had not got. It
// has the same id on all machines.
func (a *applying) beginSaved(purged string) error {
	id := savedID(purged)
	var err error
	if a.session, err = sessionThere(a.ctx, a.tx, id); err != nil || a.session != 0 {
		return err
	}
	a.out.Saved++
	a.session, err = a.s.addSession(a.ctx, a.tx, Session{ID: id, Title: savedTitle, TitleFrom: TitleAuto})
	if err != nil {
		return err
	}
	return a.s.use(a.ctx, a.tx, a.session)
}

// finish writes what the rows decide of the sessions that changed.
func (a *applying) finish() error {
	if err := noteClock(a.ctx, a.tx, a.newest); err != nil {
		return err
	}
	for n := range a.changed {
		err := execute(a.ctx, a.tx, `
			UPDATE sessions
			SET messages = (SELECT count(*) FROM messages WHERE session = ?1),
				turns = (SELECT count(*) FROM messages WHERE session = ?1 AND role = 'user')
			WHERE n = ?1`, n)
		if err == nil {
			err = settleLeaf(a.ctx, a.tx, n)
		}
		if err == nil {
			err = raiseChanges(a.ctx, a.tx, n)
		}
		var id string
		if err == nil {
			err = a.tx.QueryRowContext(a.ctx, `SELECT id FROM sessions WHERE n = ?`, n).Scan(&id)
		}
		if err != nil {
			return err
		}
		a.out.Changed = append(a.out.Changed, id)
	}
	slices.Sort(a.out.Changed)
	a.out.Changed = slices.Compact(a.out.Changed)
	return indexNew(a.ctx, a.tx, a.added)
}

// tombstoneOf is the tombstone of a session by its id, nil where it was not purged.
func tombstoneOf(ctx context.Context, tx *sql.Tx, session string) (*TombstoneLine, error) {
	all, err := readRows[TombstoneLine](ctx, tx, "tombstones WHERE session = ?", session)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &all[0], nil
}

func putTombstone(ctx context.Context, tx *sql.Tx, l TombstoneLine) error {
	return insertRow(ctx, tx, "tombstones", &l)
}
