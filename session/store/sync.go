package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// Sync shares a history with those of other machines. It writes what changed here into numbered segments, and merges
// the segments of the others. It knows no files: whoever calls it carries the lines of a segment to the other machines.
//
// A row stands in a segment under the number that it has at the machine that wrote it. Each machine keeps, for each of the
// others, which of its numbers is which row here.
type Sync struct{ s *Store }

// Sync returns what shares this history.
func (s *Store) Sync() *Sync { return &Sync{s} }

var (
	// ErrSyncWaits says that a segment cannot be merged before others are.
	ErrSyncWaits = errors.New("it follows segments that are not here yet")
	// ErrSyncDamaged says that a segment holds what no history can have written.
	ErrSyncDamaged = errors.New("it is damaged")
	// ErrSyncAhead says that a segment has a clock that no machine can have reached. It comes with ErrSyncDamaged.
	ErrSyncAhead = errors.New("its clock is more than a day ahead")
	// ErrNotSynced says that the history was never shared.
	ErrNotSynced = errors.New("the history is not synced")
)

// SyncLine is one line of a segment. Exactly one of its fields is set, but for the stamps and the plan, which belong to
// a row. A segment begins with its head. Aliases and purged sessions follow, and then the sessions: each with its messages,
// in front of which their attachments stand, its requests, summaries, flags and remedies. All ids are the writer's.
type SyncLine struct {
	Head  *SyncHead  `json:"segment,omitempty"`
	Alias *SyncAlias `json:"alias,omitempty"`
	Purge *SyncPurge `json:"purged,omitempty"`
	Line
	Whole  bool                 `json:"whole,omitempty"`  // of a session: the line has all of it
	Fork   int64                `json:"fork,omitempty"`   // of a whole session: the message of the parent that it was forked at
	Stamps map[string]SyncStamp `json:"stamps,omitempty"` // of a session: its values that the segment sets
	Stamp  *SyncStamp           `json:"stamp,omitempty"`  // of a message, a request, a flag or a remedy that was set again
	Plan   json.RawMessage      `json:"plan,omitempty"`   // of a request: its plan, which is not in the line of the request
}

// SyncHead says whose segment this is.
type SyncHead struct {
	Machine string           `json:"machine"`
	Name    string           `json:"name"` // of the host
	Number  int64            `json:"number"`
	Created int64            `json:"created_ms"`
	Clock   int64            `json:"clock"`
	Seen    map[string]int64 `json:"seen,omitempty"` // the newest segment of each other machine that was merged before
}

// SyncAlias says that ids of the writer are rows that have other ids at another machine.
type SyncAlias struct {
	Machine string `json:"machine"`
	Kind    string `json:"kind"`  // message, request or summary
	First   int64  `json:"first"` // there
	Here    int64  `json:"here"`  // at the writer
	Count   int64  `json:"count"`
}

// SyncPurge names a session that was purged.
type SyncPurge struct {
	Session string `json:"session"`
}

// SyncStamp says when a value was set: the greater one is kept. It is a Lamport clock with the machine that breaks ties,
// so that a machine whose clock is wrong wins no more than others.
type SyncStamp struct {
	Counter int64  `json:"counter"`
	Machine string `json:"machine"`
}

// mostAhead is how far beyond the time a clock may be.
const mostAhead = 24 * time.Hour

// CheckClocks returns ErrSyncAhead where a line has a clock that no machine can have reached: one that grows with each
// change that is sent never gets near the milliseconds since 1970. A greater one would be that of all machines from then
// on, and leave none for what they set.
func (y *Sync) CheckClocks(l SyncLine) error {
	var clocks []int64
	if l.Head != nil {
		clocks = append(clocks, l.Head.Clock)
	}
	if l.Stamp != nil {
		clocks = append(clocks, l.Stamp.Counter)
	}
	for _, stamp := range l.Stamps {
		clocks = append(clocks, stamp.Counter)
	}
	if latest := y.s.now().Add(mostAhead).UnixMilli(); slices.ContainsFunc(clocks, func(c int64) bool { return c > latest }) {
		return fmt.Errorf("%w: %w", ErrSyncDamaged, ErrSyncAhead)
	}
	return nil
}

func (a SyncStamp) after(b SyncStamp) bool {
	if a.Counter != b.Counter {
		return a.Counter > b.Counter
	}
	return a.Machine > b.Machine
}

// SyncState is what is known of the sharing.
type SyncState struct {
	Machine  string // "" where the history was never shared
	Name     string
	Next     int64 // the number of the next segment
	Segments []SyncSegment
	Others   []SyncOther
	Waiting  int64 // rows and changes that no segment has yet
}

// SyncSegment is a segment of this machine.
type SyncSegment struct {
	Number int64  `db:"number"`
	Sum    []byte `db:"sum,null"` // SHA-256 of its file, nil where it is to be written, for the first time or again
	Size   int64  `db:"size"`     // of its file
}

// SyncOther is another machine.
type SyncOther struct {
	Machine string    `db:"machine"`
	Name    string    `db:"name"`
	Merged  int64     `db:"merged"`  // the number of its newest segment that is merged
	Last    time.Time `db:"last_ms"` // when it wrote that
}

// The kinds of rows that have numbers.
const (
	messageKind = "message"
	requestKind = "request"
	summaryKind = "summary"
)

var syncKinds = [...]string{messageKind, requestKind, summaryKind}

// syncMachine is the row of this machine.
type syncMachine struct {
	Machine   string `db:"machine"`
	Place     string `db:"place"`
	Name      string `db:"name"`
	Clock     int64  `db:"clock"`
	Next      int64  `db:"next"`
	Messages  int64  `db:"messages"`
	Requests  int64  `db:"requests"`
	Summaries int64  `db:"summaries"`
}

func (m *syncMachine) newest() NewestIDs { return NewestIDs{m.Messages, m.Requests, m.Summaries} }

// thisMachine reads the row of this machine, or returns ErrNotSynced.
func thisMachine(ctx context.Context, tx *sql.Tx) (m syncMachine, err error) {
	err = ErrNotSynced
	read := sqlite.EachRow(ctx, tx, "sync_machine", func(row *syncMachine) error { m, err = *row, nil; return nil })
	return m, errors.Join(read, err)
}

func (m *syncMachine) save(ctx context.Context, tx *sql.Tx) error {
	values, err := sqlite.Values(*m)
	if err == nil {
		_, err = sqlite.Update(ctx, tx, "sync_machine", values, sql.Named("id", 1))
	}
	return err
}

// Join makes this history one that is shared. place says which file on which host it is: where that has changed, it is
// a copy, and another machine from now on. name is that of the host.
func (y *Sync) Join(ctx context.Context, place, name string) (SyncState, error) {
	return inTx(ctx, y.s.save, "share the history", func(tx *sql.Tx) (SyncState, error) {
		m, err := thisMachine(ctx, tx)
		switch {
		case err == nil && m.Place == place && m.Name != name:
			m.Name = name
			err = m.save(ctx, tx)
		case err == nil && m.Place != place, errors.Is(err, ErrNotSynced):
			// A file that was saved from damage may have some of it. 0 is the stamp of what a session begins with.
			err = newMachine(ctx, tx, syncMachine{Place: place, Name: name, Clock: max(m.Clock, 1)})
		}
		if err != nil {
			return SyncState{}, err
		}
		return syncState(ctx, tx)
	})
}

// Forget makes another machine of this history, which shares all of it anew: rows that the others have already are known
// by what they say. The sessions that were purged, the values that were lost and the changes that were not told yet are
// kept. Former names the machine as it was called.
func (y *Sync) Forget(ctx context.Context) error {
	return y.s.save(ctx, "share the history anew", func(tx *sql.Tx) error {
		m, err := thisMachine(ctx, tx)
		if errors.Is(err, ErrNotSynced) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := execute(ctx, tx, `INSERT OR IGNORE INTO sync_former (machine, purged) VALUES (?, 0)`, m.Machine); err != nil {
			return err
		}
		// What was not told yet is a change of the new machine.
		err = execute(ctx, tx, `
			INSERT OR IGNORE INTO sync_changes (session, item, name)
			SELECT session, item, name
			FROM sync_stamps
			WHERE segment = -1`)
		if err != nil {
			return err
		}
		return newMachine(ctx, tx, syncMachine{Place: m.Place, Name: m.Name, Clock: m.Clock})
	})
}

// newMachine forgets what is known of the sharing but changes that were not told, and makes a new machine of the history.
func newMachine(ctx context.Context, tx *sql.Tx, m syncMachine) error {
	if err := forgetSync(ctx, tx); err != nil {
		return err
	}
	id := make([]byte, 8)
	rand.Read(id)
	m.Machine, m.Next, m.Messages, m.Requests, m.Summaries = hex.EncodeToString(id), 1, 0, 0, 0
	_, err := sqlite.InsertRow(ctx, tx, "sync_machine", m, sql.Named("id", 1))
	return err
}

// Former returns what this machine was called before Forget, as far as its segments may hold sessions that were purged
// since TidiedFormer, and the ids of all sessions that were purged.
func (y *Sync) Former(ctx context.Context) (machines, purged []string, err error) {
	err = y.s.view(ctx, "look for former names of this machine", func(tx *sql.Tx) error {
		machines, err = sqlite.Collect(ctx, tx, sqlite.Only[string], `SELECT machine FROM sync_former WHERE purged < (SELECT count(*) FROM sync_purged) ORDER BY id`)
		if err != nil || len(machines) == 0 {
			return err
		}
		purged, err = sqlite.Collect(ctx, tx, sqlite.Only[string], `SELECT session FROM sync_purged`)
		return err
	})
	return machines, purged, err
}

// TidiedFormer notes that no segment that was written under a former name holds one of so many purged sessions.
func (y *Sync) TidiedFormer(ctx context.Context, machine string, purged int) error {
	return y.s.save(ctx, "note the segments", func(tx *sql.Tx) error {
		_, err := sqlite.Update(ctx, tx, "sync_former", []sql.NamedArg{sql.Named("purged", purged)}, sql.Named("machine", machine))
		return err
	})
}

func forgetSync(ctx context.Context, tx *sql.Tx) error {
	for _, table := range []string{"sync_machine", "sync_segments", "sync_parts", "sync_rows", "sync_ids", "sync_stamps", "sync_others"} {
		if err := execute(ctx, tx, "DELETE FROM "+table); err != nil {
			return err
		}
	}
	return execute(ctx, tx, `UPDATE sync_purged SET segment = -1`)
}

// State returns what is known of the sharing.
func (y *Sync) State(ctx context.Context) (SyncState, error) {
	return inTx(ctx, y.s.view, "read the state of the sync", func(tx *sql.Tx) (SyncState, error) {
		out, err := syncState(ctx, tx)
		if errors.Is(err, ErrNotSynced) {
			err = nil
		}
		return out, err
	})
}

func syncState(ctx context.Context, tx *sql.Tx) (SyncState, error) {
	m, err := thisMachine(ctx, tx)
	if err != nil {
		return SyncState{}, err
	}
	out := SyncState{Machine: m.Machine, Name: m.Name, Next: m.Next}
	if out.Segments, err = sqlite.Rows[SyncSegment](ctx, tx, "sync_segments ORDER BY number"); err != nil {
		return out, err
	}
	if out.Others, err = sqlite.Rows[SyncOther](ctx, tx, "sync_others ORDER BY name, machine"); err != nil {
		return out, err
	}
	err = tx.QueryRowContext(ctx, `
		SELECT
			(SELECT coalesce(sum(last - first + 1), 0) FROM sync_rows WHERE segment = 0)
			+ (SELECT count(*) FROM sync_changes)
			+ (SELECT count(*) FROM sync_stamps WHERE segment = -1)
			+ (SELECT count(*) FROM sync_purged WHERE segment = -1)`).Scan(&out.Waiting)
	if err != nil {
		return out, err
	}
	now, err := newestIDs(ctx, tx)
	out.Waiting += now.Messages - m.Messages + now.Requests - m.Requests + now.Summaries - m.Summaries
	return out, err
}

// Written notes that the file of a segment of this machine is on the disk, with its SHA-256 and its size.
func (y *Sync) Written(ctx context.Context, number int64, sum []byte, size int64) error {
	return y.s.save(ctx, "note the segment", func(tx *sql.Tx) error {
		n, err := sqlite.Update(ctx, tx, "sync_segments", []sql.NamedArg{sql.Named("sum", sum), sql.Named("size", size)}, sql.Named("number", number))
		if err == nil && n == 0 {
			err = fmt.Errorf("there is no segment %d", number)
		}
		return err
	})
}

// FinishPurge overwrites the text of sessions that Merge deleted, because another machine purged them. It does nothing
// where there is none, and returns ErrNotOverwritten as Purge does.
func (y *Sync) FinishPurge(ctx context.Context) error {
	waits, err := inTx(ctx, y.s.view, "look for purged text", func(tx *sql.Tx) (waits bool, err error) {
		err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM purged)`).Scan(&waits)
		return waits, err
	})
	if err != nil || !waits || y.s.path == sqlite.Memory {
		return err
	}
	return y.s.finishPurge(ctx)
}

// SyncDiverged says that a session was continued on two machines at once: the branch that is not the active one.
type SyncDiverged struct {
	Machine string // the name of the machine that continued it there, for people
	Message int64  // the newest message there
	Here    string // the name of the machine that set the active branch
	At      time.Time
}

// Diverged returns which of these sessions, or of all without ids, were continued on two machines at once, with the ends of
// the branches that are not the active one, the newest first.
func (y *Sync) Diverged(ctx context.Context, ids ...string) (map[string][]SyncDiverged, error) {
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	return inTx(ctx, y.s.view, "look for sessions of several machines", func(tx *sql.Tx) (map[string][]SyncDiverged, error) {
		type lost struct {
			id      string
			n, leaf int64
			SyncDiverged
		}
		all, err := sqlite.Collect(ctx, tx, func(scan func(...any) error) (l lost, err error) {
			var at int64
			err = scan(&l.id, &l.n, &l.leaf, &l.Machine, &l.Here, &l.Message, &at)
			l.At = sqlite.Time(at)
			return l, err
		}, `
			SELECT
				s.id,
				s.n,
				s.leaf,
				coalesce((SELECT name FROM sync_others WHERE machine = l.machine), (SELECT name FROM sync_machine), ''),
				coalesce((SELECT o.name FROM sync_stamps t JOIN sync_others o ON o.machine = t.machine WHERE t.session = s.n AND t.item = 0 AND t.name = 'leaf'), (SELECT name FROM sync_machine), ''),
				m.id,
				l.at_ms
			FROM sync_lost l
			JOIN sessions s ON s.n = l.session
			JOIN messages m ON m.id = CAST(l.value AS INTEGER) AND m.session = s.n
			WHERE l.name = 'leaf'
				AND (?1 = 'null' OR s.id IN (SELECT value FROM json_each(?1)))
			ORDER BY m.id DESC, l.id DESC`, string(wanted))
		if err != nil {
			return nil, err
		}
		out := map[string][]SyncDiverged{}
		for _, l := range all {
			// An end that another one has behind it was continued since.
			on, err := isAncestor(ctx, tx, l.n, l.Message, l.leaf)
			for _, other := range out[l.id] {
				if err != nil || on {
					break
				}
				on, err = isAncestor(ctx, tx, l.n, l.Message, other.Message)
			}
			if err != nil {
				return nil, err
			}
			if !on {
				out[l.id] = append(out[l.id], l.SyncDiverged)
			}
		}
		return out, nil
	})
}

// From is the name of the machine that a message came from, "" for this one.
func (y *Sync) From(ctx context.Context, message int64) (string, error) {
	return inTx(ctx, y.s.view, "look where the message is from", func(tx *sql.Tx) (string, error) {
		names, err := sqlite.Collect(ctx, tx, sqlite.Only[string], `
			SELECT o.name
			FROM sync_others o
			WHERE (
				SELECT i.segment >= 0 AND i.here + i.last - i.first >= ?1
				FROM sync_ids i
				WHERE i.machine = o.machine
					AND i.kind = 'message'
					AND i.here <= ?1
				ORDER BY i.here DESC
				LIMIT 1)`, message)
		return strings.Join(names, ", "), err
	})
}

// isAncestor reports whether a message is on the branch that ends at a leaf.
func isAncestor(ctx context.Context, tx *sql.Tx, session, message, leaf int64) (on bool, err error) {
	if message == leaf || message == 0 {
		return true, nil
	}
	if message > leaf {
		return false, nil
	}
	err = tx.QueryRowContext(ctx, branchUp+`
		SELECT EXISTS (
			SELECT 1
			FROM branch
			WHERE id = ?4
		)`, leaf, session, -1, message).Scan(&on)
	return on, err
}

// notePurged keeps for the other machines that a session was purged, and has the segments that hold it written again.
// segment is -1 where this machine is to tell it, and 0 where another one did.
func notePurged(ctx context.Context, tx *sql.Tx, n int64, id, machine string, segment int) error {
	err := execute(ctx, tx, `
		INSERT INTO sync_purged (session, machine, segment)
		VALUES (?, ?, ?)
		ON CONFLICT DO NOTHING`, id, machine, segment)
	if err != nil || n == 0 {
		return err
	}
	return execute(ctx, tx, `
		UPDATE sync_segments
		SET sum = NULL
		WHERE number IN (SELECT segment FROM sync_parts WHERE session = ?)`, n)
}

// wasPurged reports whether a session with an id was purged on one of the machines.
func wasPurged(ctx context.Context, tx *sql.Tx, id string) (purged bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sync_purged WHERE session = ?)`, id).Scan(&purged)
	return purged, err
}

// noteChange notes for the other machines that values of a session changed here, or of one of its messages or requests,
// where the history is shared. It is no trigger of the database: with one, SQLite writes the words of a new message into
// the search index in the middle of the transaction, and an index that is damaged would keep it from being saved.
func noteChange(ctx context.Context, tx *sql.Tx, session, item int64, names ...string) error {
	var shared bool
	err := tx.QueryRowContext(ctx, "SELECT "+isShared).Scan(&shared)
	if err != nil || !shared {
		return err
	}
	return noteShared(ctx, tx, session, item, names...)
}

// isShared is the part of a query that tells whether the history is shared.
const isShared = "EXISTS (SELECT 1 FROM sync_machine)"

// noteShared is noteChange in a history that is shared.
func noteShared(ctx context.Context, tx *sql.Tx, session, item int64, names ...string) error {
	for _, name := range names {
		err := execute(ctx, tx, `
			INSERT OR IGNORE INTO sync_changes (session, item, name)
			VALUES (?, ?, ?)`, session, item, name)
		if err != nil {
			return err
		}
	}
	return nil
}

// noteMessage is noteChange of a message.
func noteMessage(ctx context.Context, tx *sql.Tx, message int64, name string) error {
	session, err := sessionHolding(ctx, tx, message)
	if err != nil {
		return err
	}
	return noteChange(ctx, tx, session, message, name)
}

// noteDecision is noteMessage of what was decided about a message, which raises the count of changes of its session.
func noteDecision(ctx context.Context, tx *sql.Tx, message int64, name string) error {
	session, err := sessionHolding(ctx, tx, message)
	if err != nil {
		return err
	}
	if err := raiseChanges(ctx, tx, session); err != nil {
		return err
	}
	return noteChange(ctx, tx, session, message, name)
}

// sessionHolding is the key of a message's session.
func sessionHolding(ctx context.Context, tx *sql.Tx, message int64) (session int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT session FROM messages WHERE id = ?`, message).Scan(&session)
	return session, found(fmt.Sprintf("find message %d", message), err)
}

// purgeRows deletes the rows of a session and has the index forget its words. Their bytes are overwritten by finishPurge.
func purgeRows(ctx context.Context, tx *sql.Tx, n int64) error {
	if err := unindexSession(ctx, tx, n); err != nil {
		return err
	}
	if err := search.NotePurged(ctx, tx); err != nil {
		return err
	}
	if err := deleteSession(ctx, tx, n); err != nil {
		return err
	}
	// Another session may get its number.
	return execute(ctx, tx, `DELETE FROM sync_changes WHERE session = ?`, n)
}
