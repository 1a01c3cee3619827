package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"winnow/session/store/sqlite"
)

// Sync exchanges the history with other machines: it returns the rows that were not sent yet, and merges rows from
// others. It works with lines and does no file I/O; its caller stores them in segments, which are files named by the
// hash of their content.
type Sync struct{ s *Store }

// Sync returns the interface for syncing this history.
func (s *Store) Sync() *Sync { return &Sync{s} }

// Machine is one of the machines that share a history.
type Machine struct {
	Folder string // the random name of its folder, "" if its history was never synced
	Name   string // the host name, for people
	Number int64  // the lowest 12 bits of the ids that it assigns
}

func (h *Machine) columns() []column {
	return []column{{"folder", &h.Folder, 0}, {"name", &h.Name, 0}, {"number", &h.Number, 0}}
}

// Segment describes a file of lines.
type Segment struct {
	Machine  string // Machine.Folder of the machine that wrote it
	Name     string
	Size     int64 // in bytes
	Created  time.Time
	Sessions []string // ids of the sessions that it names
	Replaced bool     // its lines are in other segments now
}

func (s *Segment) columns() []column {
	return []column{
		{"home", &s.Machine, 0},
		{"name", &s.Name, 0},
		{"size", &s.Size, 0},
		{"created_ms", (*millis)(&s.Created), 0},
		{"sessions", &jsonColumn{&s.Sessions}, 0},
		{"gone", &s.Replaced, 0},
	}
}

// SyncState is what this history knows about its sync.
type SyncState struct {
	Machine
	Others   []Machine // the other machines
	Segments []Segment // written or merged, oldest first
	Purged   []string  // ids of the sessions that were purged on any machine
	Waiting  int       // number of rows that are in no segment yet
}

// Join starts sharing this history, under the given host name, and queues all of it for sync. On a shared history it
// only updates the name.
func (y *Sync) Join(ctx context.Context, name string) (SyncState, error) {
	return inTx(ctx, y.s.save, "share the history", func(t *tx) SyncState {
		if t.Exec(`UPDATE home SET folder = lower(hex(randomblob(8))) WHERE folder = ''`) > 0 {
			all := sqlite.List[string](t, `SELECT id FROM sessions UNION ALL SELECT session FROM tombstones`)
			queueSessionsForSync(t, all)
		}
		t.Exec(`UPDATE home SET name = ?`, name)
		return syncState(t)
	})
}

// thisMachine returns this machine, with an empty Folder if the history is not synced.
func thisMachine(t *tx) Machine { return first[Machine](t, "home") }

// queueSessionsForSync queues all rows of the sessions with these ids, or their tombstones, if the history is synced.
func queueSessionsForSync(t *tx, ids []string) {
	if thisMachine(t).Folder == "" {
		return
	}
	t.Exec(`
		INSERT OR IGNORE INTO untold (id)
		SELECT id FROM shared_rows WHERE session IN (SELECT n FROM sessions WHERE id`+inArray+`)
		UNION ALL SELECT id FROM tombstones WHERE session`+inArray, &jsonColumn{ids}, &jsonColumn{ids})
}

// State returns the state of the sync.
func (y *Sync) State(ctx context.Context) (SyncState, error) {
	return inTx(ctx, y.s.view, "read the state of the sync", syncState)
}

func syncState(t *tx) SyncState {
	return SyncState{
		Machine:  thisMachine(t),
		Others:   readRows[Machine](t, "homes ORDER BY name, folder"),
		Segments: readRows[Segment](t, "segments ORDER BY created_ms, id"),
		Purged:   sqlite.List[string](t, `SELECT session FROM tombstones`),
		Waiting:  sqlite.QueryValue[int](t, `SELECT count(*) FROM untold`),
	}
}

// CollectResult describes the rows that Collect passed on.
type CollectResult struct {
	IDs      []int64 // of the rows, for MarkWritten
	Messages int     // the number of messages among them
	More     bool    // there are more rows to collect
}

// errFull stops a Collect that has reached its limit.
var errFull = errors.New("it is full")

// maxRequestTime is how long a request without an end is considered to be running.
const maxRequestTime = time.Hour

// Collect passes the rows that are in no segment yet to take, as lines from one snapshot, until they have about most
// bytes of JSON. It skips rows that are not finished, and messages after an answer that is still streaming.
func (y *Sync) Collect(ctx context.Context, most int, take func(Line) error) (CollectResult, error) {
	var out CollectResult
	err := y.s.view(ctx, "collect what is new", func(t *tx) {
		size := 0
		d := &dump{tx: t, attached: map[string]bool{}, take: func(id int64, l Line) error {
			text, err := json.Marshal(l)
			if size += len(text); size > most && len(out.IDs) > 0 {
				out.More = true
				return errFull
			}
			if id != 0 {
				out.IDs = append(out.IDs, id)
			}
			if l.Message != nil {
				out.Messages++
			}
			return cmp.Or(err, take(l))
		}}
		ended := milliseconds(y.s.now().Add(-maxRequestTime))
		and := map[string]string{
			"placed_messages": notSynced + " AND status <> 'streaming'" +
				" AND parent NOT IN (SELECT id FROM messages WHERE status = 'streaming')",
			"requests":  fmt.Sprintf("%s AND (ended <> '' OR created_ms < %d)", notSynced, ended),
			"summaries": notSynced,
			"registers": notSynced,
		}
		for _, row := range readRows[Session](t, `
			sessions
			WHERE n IN (SELECT session FROM shared_rows WHERE 1`+notSynced+`)
				AND EXISTS (SELECT 1 FROM messages m WHERE m.session = sessions.n AND m.status <> 'streaming')`) {
			d.emit(0, Line{Session: &row})
			d.sharedRows(row.key, and)
		}
		for r := range each[Tombstone](t, "tombstones WHERE 1"+notSynced) {
			d.emit(r.ID, Line{Tombstone: r})
		}
		if out.More && errors.Is(t.Err, errFull) {
			t.Err = nil
		}
	})
	return out, err
}

// notSynced is an SQL condition: the row is in no segment yet.
const notSynced = " AND id IN (SELECT id FROM untold)"

// MarkWritten records that the rows with these ids are on disk in the written segments, and that those replace other
// segments.
func (y *Sync) MarkWritten(ctx context.Context, ids []int64, written []Segment, replaced []string) error {
	return y.s.save(ctx, "record the segment", func(t *tx) {
		t.Exec(`DELETE FROM untold WHERE id`+inArray, sqlite.JSONArray(ids))
		noteSegments(t, written, replaced)
	})
}

// noteSegments records segments, and that others are replaced by them. A replaced segment that was never merged is
// recorded too, so that it will not be merged.
func noteSegments(t *tx, segments []Segment, replaced []string) {
	for _, segment := range segments {
		t.put("INSERT OR REPLACE INTO segments", segment.columns(), "")
	}
	t.Exec(`
		INSERT INTO segments (name, gone)
		SELECT value, 1 FROM json_each(?) WHERE true
		ON CONFLICT (name) DO UPDATE
		SET gone = 1`, &jsonColumn{&replaced})
}

// Merge applies the lines of a segment written by another machine, or by this one before its file was restored from a
// backup. replaced names the segments whose lines it contains. Merging a segment again changes nothing. The errors are
// those of Apply.
func (y *Sync) Merge(
	ctx context.Context, from Machine, segment Segment, replaced []string, lines func(take func(Line) error) error,
) (ApplyResult, error) {
	return inTx(ctx, y.s.save, "merge the segment", func(t *tx) ApplyResult {
		if sqlite.QueryValue[bool](t, `SELECT EXISTS (SELECT 1 FROM segments WHERE name = ?)`, segment.Name) {
			return ApplyResult{}
		}
		out := y.s.apply(t, lines)
		segment.Sessions = out.named
		noteSegments(t, []Segment{segment}, replaced)
		addMachine(t, from)
		return out
	})
}

// addMachine records another machine. If it uses the same number for its ids, this machine takes another number.
func addMachine(t *tx, other Machine) {
	if other.Folder == thisMachine(t).Folder {
		return
	}
	t.put("INSERT OR REPLACE INTO homes", other.columns(), "")
	taken := int64(1)
	for taken > 0 {
		taken = t.Exec(`UPDATE home SET number = abs(random() % ?) WHERE number IN (SELECT number FROM homes)`, idStep)
	}
}

// MarkLost records that the files of segments are gone although no other segment has their lines. It queues the rows of
// their sessions for sync again.
func (y *Sync) MarkLost(ctx context.Context, segments ...Segment) error {
	return y.s.save(ctx, "queue lost rows for sync", func(t *tx) {
		lost := sqlite.List[string](t, `SELECT session FROM tombstones`)
		for _, segment := range segments {
			lost = append(lost, segment.Sessions...)
			t.Exec(`DELETE FROM segments WHERE name = ?`, segment.Name)
		}
		queueSessionsForSync(t, lost)
	})
}

// ErrSyncRunning means that another window is syncing this history.
var ErrSyncRunning = errors.New("another window syncs at this moment")

// Lock prevents other syncs of this history, in this program and in others, until release is called. The operating
// system releases the lock if the program dies. The error is ErrSyncRunning if the lock is taken.
func (y *Sync) Lock() (release func(), err error) {
	if y.s.path == sqlite.InMemory {
		return func() {}, nil
	}
	release, err = sqlite.LockFile(y.s.path + "-sync")
	if sqlite.IsBusy(err) {
		err = ErrSyncRunning
	}
	return release, err
}
