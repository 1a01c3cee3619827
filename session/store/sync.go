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

// Sync shares a history with those of other machines: it hands out the rows that no other machine was told of, and
// merges what the others hand out. It knows no files: whoever calls it carries lines in segments, files that are named
// by their content and never change.
type Sync struct{ s *Store }

// Sync returns what shares this history.
func (s *Store) Sync() *Sync { return &Sync{s} }

// Machine is this history among those that share it.
type Machine struct {
	Folder string // a random name, "" where the history was never shared
	Name   string // of the host, for people
	Number int64  // the lowest bits of the ids that it gives
}

func (h *Machine) columns() []column {
	return []column{{"folder", &h.Folder, 0}, {"name", &h.Name, 0}, {"number", &h.Number, 0}}
}

// Segment is a file with lines.
type Segment struct {
	Machine  string // the folder of the machine that wrote it
	Name     string
	Size     int64 // of the file
	Created  time.Time
	Sessions []string // ids of those that it names
	Replaced bool     // others have its lines now
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

// SyncState is what is known of the sharing.
type SyncState struct {
	Machine
	Others   []Machine
	Segments []Segment // that were written or merged, the oldest first
	Purged   []string  // ids of sessions that were purged on one of the machines
	Waiting  int       // rows that no segment has yet
}

// Join makes this history one that is shared, under the name of the host: all of it is to be told.
func (y *Sync) Join(ctx context.Context, name string) (SyncState, error) {
	return inTx(ctx, y.s.save, "share the history", func(t *tx) SyncState {
		if t.Exec(`UPDATE home SET folder = lower(hex(randomblob(8))) WHERE folder = ''`) > 0 {
			queueSessionsForSync(t, sqlite.List[string](t, `SELECT id FROM sessions UNION ALL SELECT session FROM tombstones`))
		}
		t.Exec(`UPDATE home SET name = ?`, name)
		return syncState(t)
	})
}

func thisMachine(t *tx) Machine { return first[Machine](t, "home") }

// queueSessionsForSync has the other machines told of all rows of the sessions with these ids, or that they were purged, where
// the history is shared.
func queueSessionsForSync(t *tx, ids []string) {
	if thisMachine(t).Folder == "" {
		return
	}
	t.Exec(`
		INSERT OR IGNORE INTO untold (id)
		SELECT id FROM shared_rows WHERE session IN (SELECT n FROM sessions WHERE id`+inArray+`)
		UNION ALL SELECT id FROM tombstones WHERE session`+inArray, &jsonColumn{ids}, &jsonColumn{ids})
}

// State returns what is known of the sharing.
func (y *Sync) State(ctx context.Context) (SyncState, error) {
	return inTx(ctx, y.s.view, "read the state of the sync", syncState)
}

func syncState(t *tx) SyncState {
	return SyncState{
		Machine:  thisMachine(t),
		Others:   readRows[Machine](t, "homes ORDER BY name, folder"),
		Segments: readRows[Segment](t, "segments ORDER BY created_ms, id"),
		Purged:   sqlite.List[string](t, `SELECT session FROM tombstones`),
		Waiting:  sqlite.Value[int](t, `SELECT count(*) FROM untold`),
	}
}

// CollectResult are rows that were handed out.
type CollectResult struct {
	IDs      []int64 // of the rows, for Told
	Messages int
	More     bool // there are more of them
}

// errFull ends a reading of which enough was handed out.
var errFull = errors.New("it is full")

// maxRequestTime is how long a request without an end is taken for one that still runs.
const maxRequestTime = time.Hour

// Collect hands out rows that no segment has yet, as lines, until they have about as many bytes as most says. A row
// that is not finished waits, and so does what follows an answer that still arrives. The lines are of one moment.
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

// notSynced is the further condition that no segment has a row.
const notSynced = " AND id IN (SELECT id FROM untold)"

// MarkWritten notes that segments with the rows of these ids are on the disk, and which segments they replace.
func (y *Sync) MarkWritten(ctx context.Context, ids []int64, written []Segment, replaced []string) error {
	return y.s.save(ctx, "note the segment", func(t *tx) {
		t.Exec(`DELETE FROM untold WHERE id`+inArray, sqlite.JSONArray(ids))
		noteSegments(t, written, replaced)
	})
}

// noteSegments notes segments, and that the lines of others are in them now. One of those that was never merged is
// noted as well: it need not be.
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

// Merge applies the lines of a segment of another machine, or of this one where its file was restored from a backup.
// replaced are the names of segments whose lines it has. A segment that is merged already changes nothing. The errors
// are those of Apply.
func (y *Sync) Merge(
	ctx context.Context, from Machine, segment Segment, replaced []string, lines func(take func(Line) error) error,
) (ApplyResult, error) {
	return inTx(ctx, y.s.save, "merge the segment", func(t *tx) ApplyResult {
		if sqlite.Value[bool](t, `SELECT EXISTS (SELECT 1 FROM segments WHERE name = ?)`, segment.Name) {
			return ApplyResult{}
		}
		out := y.s.apply(t, lines)
		segment.Sessions = out.named
		noteSegments(t, []Segment{segment}, replaced)
		addMachine(t, from)
		return out
	})
}

// addMachine notes another machine. Where one gives ids with the number of this one, this one takes another number.
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

// MarkLost notes that the files of segments are not there any more, although no other has their lines: the rows of their
// sessions are told again by this machine.
func (y *Sync) MarkLost(ctx context.Context, segments ...Segment) error {
	return y.s.save(ctx, "tell lost rows again", func(t *tx) {
		lost := sqlite.List[string](t, `SELECT session FROM tombstones`)
		for _, segment := range segments {
			lost = append(lost, segment.Sessions...)
			t.Exec(`DELETE FROM segments WHERE name = ?`, segment.Name)
		}
		queueSessionsForSync(t, lost)
	})
}

// ErrSyncRunning says that another run has not ended.
var ErrSyncRunning = errors.New("another window syncs at this moment")

// Lock keeps other runs on this history out, in this program and in others, until release is called. The system takes
// the lock away from a program that ends without that. The error is ErrSyncRunning where somebody else has it.
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
