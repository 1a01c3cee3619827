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
	"time"

	"winnow/session/store/sqlite"
)

// Sync shares a history with those of other machines: it hands out the rows that no other machine was told of, and
// merges what the others hand out. It knows no files: whoever calls it carries lines in segments, files that are named by
// their content and never change.
type Sync struct{ s *Store }

// Sync returns what shares this history.
func (s *Store) Sync() *Sync { return &Sync{s} }

// ErrNotSynced says that the history was never shared.
var ErrNotSynced = errors.New("the history is not synced")

// Home is this history among those that share it.
type Home struct {
	Folder string // a random name, "" where the history was never shared
	Name   string // of the host, for people
	Number int64  // the lowest bits of the ids that it gives
}

func (h *Home) columns() []column {
	return []column{{"folder", &h.Folder, 0}, {"name", &h.Name, 0}, {"number", &h.Number, 0}}
}

// Segment is a file with lines.
type Segment struct {
	Home     string // the folder of the machine that wrote it
	Name     string
	Size     int64 // of the file
	Created  time.Time
	Sessions []string // ids of those that it names
	Gone     bool     // others have its lines now
}

func (s *Segment) columns() []column {
	return []column{
		{"home", &s.Home, 0},
		{"name", &s.Name, 0},
		{"size", &s.Size, 0},
		{"created_ms", millis{&s.Created}, 0},
		{"sessions", asJSON{in: &s.Sessions, none: "[]"}, 0},
		{"gone", &s.Gone, 0},
	}
}

// SyncState is what is known of the sharing.
type SyncState struct {
	Home
	Others   []Home
	Segments []Segment // that were written or merged, the oldest first
	Purged   []string  // ids of sessions that were purged on one of the machines
	Waiting  int       // rows that no segment has yet
}

// Join makes this history one that is shared, under the name of the host: all of it is to be told.
func (y *Sync) Join(ctx context.Context, name string) (SyncState, error) {
	return inTx(ctx, y.s.save, "share the history", func(tx *sql.Tx) (SyncState, error) {
		h, err := homeOf(ctx, tx)
		if err != nil {
			return SyncState{}, err
		}
		if h.Folder == "" {
			id := make([]byte, 8)
			rand.Read(id)
			h.Folder = hex.EncodeToString(id)
			if err := tellAll(ctx, tx, "1", nil); err != nil {
				return SyncState{}, err
			}
		}
		if err := execute(ctx, tx, `UPDATE home SET folder = ?, name = ?`, h.Folder, name); err != nil {
			return SyncState{}, err
		}
		return syncState(ctx, tx)
	})
}

func homeOf(ctx context.Context, tx *sql.Tx) (h Home, err error) {
	err = tx.QueryRowContext(ctx, `SELECT folder, name, number FROM home`).Scan(fields(h.columns())...)
	return h, err
}

// tellAll has the other machines told of all rows of the sessions that a condition picks.
func tellAll(ctx context.Context, tx *sql.Tx, condition string, arg any) error {
	for _, rows := range []string{
		"id FROM messages", "id FROM requests", "id FROM summaries", "stamp FROM registers",
	} {
		err := execute(ctx, tx, `
			INSERT OR IGNORE INTO untold (id)
			SELECT `+rows+`
			WHERE session IN (SELECT n FROM sessions WHERE `+condition+`)`, arg)
		if err != nil {
			return err
		}
	}
	return execute(ctx, tx, `INSERT OR IGNORE INTO untold (id) SELECT id FROM tombstones`)
}

// State returns what is known of the sharing.
func (y *Sync) State(ctx context.Context) (SyncState, error) {
	return inTx(ctx, y.s.view, "read the state of the sync", func(tx *sql.Tx) (SyncState, error) { return syncState(ctx, tx) })
}

func syncState(ctx context.Context, tx *sql.Tx) (out SyncState, err error) {
	if out.Home, err = homeOf(ctx, tx); err != nil {
		return out, err
	}
	if out.Others, err = readRows[Home](ctx, tx, "homes ORDER BY name, folder"); err != nil {
		return out, err
	}
	if out.Segments, err = readRows[Segment](ctx, tx, "segments ORDER BY created_ms, id"); err != nil {
		return out, err
	}
	if out.Purged, err = sqlite.Collect(ctx, tx, sqlite.Only[string], `SELECT session FROM tombstones`); err != nil {
		return out, err
	}
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM untold`).Scan(&out.Waiting)
	return out, err
}

// Collected are rows that were handed out.
type Collected struct {
	IDs      []int64  // of the rows, for Told
	Sessions []string // ids of the sessions that the lines name
	Messages int
	More     bool // there are more of them
}

// Collect hands out rows that no segment has yet, as lines, until they have about as many bytes as most says. A row that
// is not finished waits. The lines are of one moment.
func (y *Sync) Collect(ctx context.Context, most int, take func(Line) error) (Collected, error) {
	var out Collected
	begun := false
	err := y.s.view(ctx, "collect what is new", func(tx *sql.Tx) error {
		if begun {
			return errInterrupted
		}
		c := collecting{ctx: context.WithoutCancel(ctx), tx: tx, most: most, out: &out}
		c.dump = newDump(ctx, tx, func(l Line) error {
			begun = true
			c.bytes += sizeOf(l)
			return take(l)
		})
		return c.run(y.s.now())
	})
	return out, err
}

// collecting is a Collect within its transaction.
type collecting struct {
	ctx     context.Context
	tx      *sql.Tx
	dump    *dump
	most    int
	bytes   int
	session int64 // whose line was taken last
	out     *Collected
}

// untoldRow is a row that is to be told.
type untoldRow struct {
	id, session int64
	kind        string
}

// requestPatience is how long a request without an end is taken for one that still runs.
const requestPatience = time.Hour

func (c *collecting) run(now time.Time) error {
	// A request comes behind the messages that it names, which are older than its answer but may be younger than the
	// request itself: messages first.
	rows, err := sqlite.Collect(c.ctx, c.tx, func(scan func(...any) error) (r untoldRow, err error) {
		err = scan(&r.id, &r.session, &r.kind)
		return r, err
	}, `
		SELECT id, session, kind
		FROM (
			SELECT m.id, m.session, 'message' AS kind, 1 AS place
			FROM untold u
			JOIN messages m ON m.id = u.id
			WHERE m.status <> 'streaming'
			UNION ALL
			SELECT r.id, r.session, 'request', 2
			FROM untold u
			JOIN requests r ON r.id = u.id
			WHERE r.ended <> ''
				OR r.created_ms < ?
			UNION ALL
			SELECT t.id, t.session, 'summary', 3
			FROM untold u
			JOIN summaries t ON t.id = u.id
			UNION ALL
			SELECT t.stamp, t.session, 'register', 4
			FROM untold u
			JOIN registers t ON t.stamp = u.id
			UNION ALL
			SELECT t.id, 0, 'tombstone', 5
			FROM untold u
			JOIN tombstones t ON t.id = u.id
		)
		ORDER BY session = 0, session, place, id`, milliseconds(now.Add(-requestPatience)))
	if err != nil {
		return err
	}
	for _, row := range rows {
		attached, waits, err := c.look(row)
		if err != nil {
			return err
		}
		if waits {
			continue
		}
		if c.bytes >= c.most || c.bytes > 0 && c.bytes+attached > c.most {
			c.out.More = true
			break
		}
		if err := c.row(row); err != nil {
			return err
		}
		c.out.IDs = append(c.out.IDs, row.id)
	}
	slices.Sort(c.out.Sessions)
	return nil
}

// look returns how many bytes the attachments of a message have as text, and whether a row waits: a message that follows
// one which is still arriving, and what belongs to a session that has no other message yet.
func (c *collecting) look(row untoldRow) (attached int, waits bool, err error) {
	switch row.kind {
	case "tombstone":
		return 0, false, nil
	case "request", "summary", "register":
		err = c.tx.QueryRowContext(c.ctx, `
			SELECT NOT EXISTS (
				SELECT 1
				FROM messages
				WHERE session = ?
					AND status <> 'streaming'
			)`, row.session).Scan(&waits)
		return 0, waits, err
	}
	err = c.tx.QueryRowContext(c.ctx, `
		SELECT
			(
				SELECT coalesce(sum(length(a.data)), 0) * 4 / 3
				FROM parts p
				JOIN attachments a ON a.id = p.attachment
				WHERE p.message = m.id
			),
			EXISTS (SELECT 1 FROM messages p WHERE p.id = m.parent AND p.status = 'streaming')
		FROM messages m
		WHERE m.id = ?`, row.id).Scan(&attached, &waits)
	return attached, waits, err
}

func (c *collecting) row(row untoldRow) error {
	if row.kind == "tombstone" {
		return c.dump.tombstones("id = ?", row.id)
	}
	if c.session != row.session {
		id, err := c.dump.session(row.session)
		if err != nil {
			return err
		}
		c.session, c.out.Sessions = row.session, append(c.out.Sessions, id)
	}
	switch row.kind {
	case "message":
		c.out.Messages++
		return c.dump.messages("id = ?", row.id)
	case "request":
		return c.dump.requests("id = ?", row.id)
	case "summary":
		return c.dump.summaries("id = ?", row.id)
	}
	return c.dump.registers("stamp = ?", row.id)
}

// sizeOf is about how many bytes a line has, apart from its small fields.
func sizeOf(l Line) int {
	const small = 200
	switch {
	case l.Attachment != nil:
		return small + len(l.Attachment.Data)*4/3
	case l.Message != nil:
		n := small + len(l.Message.Content) + len(l.Message.Reasoning) + len(l.Message.Extra)
		for _, call := range l.Message.ToolCalls {
			n += len(call.Arguments)
		}
		return n
	case l.Request != nil:
		return small + len(l.Request.Options) + small*len(l.Request.verdicts)
	case l.Summary != nil:
		return small + len(l.Summary.Text)
	}
	return small
}

// Told notes that segments with the rows of these ids are on the disk, and which segments they replace.
func (y *Sync) Told(ctx context.Context, ids []int64, written []Segment, replaced []string) error {
	return y.s.save(ctx, "note the segment", func(tx *sql.Tx) error {
		for _, id := range ids {
			if err := execute(ctx, tx, `DELETE FROM untold WHERE id = ?`, id); err != nil {
				return err
			}
		}
		for _, segment := range written {
			if err := putSegment(ctx, tx, segment); err != nil {
				return err
			}
		}
		return markGone(ctx, tx, replaced)
	})
}

func putSegment(ctx context.Context, tx *sql.Tx, segment Segment) error {
	if err := execute(ctx, tx, `DELETE FROM segments WHERE name = ?`, segment.Name); err != nil {
		return err
	}
	segment.Gone = false
	return insertRow(ctx, tx, "segments", &segment)
}

// markGone notes that the lines of segments are in others now. One that was never merged is noted as well: it need not be.
func markGone(ctx context.Context, tx *sql.Tx, names []string) error {
	for _, name := range names {
		err := execute(ctx, tx, `
			INSERT INTO segments (home, name, size, created_ms, sessions, gone)
			VALUES ('', ?, 0, 0, '[]', 1)
			ON CONFLICT (name) DO UPDATE
			SET gone = 1`, name)
		if err != nil {
			return err
		}
	}
	return nil
}

// Merge applies the lines of a segment of another machine, or of this one where its file was restored from a backup.
// replaced are the names of segments whose lines it has. A segment that is merged already changes nothing. The errors
// are those of Apply.
func (y *Sync) Merge(
	ctx context.Context, from Home, segment Segment, replaced []string, lines func(take func(Line) error) error,
) (Applied, error) {
	return inTx(ctx, y.s.save, "merge the segment", func(tx *sql.Tx) (Applied, error) {
		var merged bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM segments WHERE name = ?)`, segment.Name).Scan(&merged)
		if err != nil || merged {
			return Applied{}, err
		}
		sessions := map[string]bool{}
		out, err := y.s.apply(ctx, tx, func(take func(Line) error) error {
			return lines(func(l Line) error {
				if l.Session != nil {
					sessions[l.Session.ID] = true
				}
				return take(l)
			})
		})
		if err != nil {
			return out, err
		}
		for id := range sessions {
			segment.Sessions = append(segment.Sessions, id)
		}
		slices.Sort(segment.Sessions)
		if err := putSegment(ctx, tx, segment); err != nil {
			return out, err
		}
		if err := markGone(ctx, tx, replaced); err != nil {
			return out, err
		}
		return out, meet(ctx, tx, from)
	})
}

// meet notes another machine. Where it gives ids with the number of this one, this one takes another number.
func meet(ctx context.Context, tx *sql.Tx, other Home) error {
	h, err := homeOf(ctx, tx)
	if err != nil || other.Folder == h.Folder {
		return err
	}
	err = execute(ctx, tx, `
		INSERT INTO homes (folder, number, name)
		VALUES (?1, ?2, ?3)
		ON CONFLICT (folder) DO UPDATE
		SET number = ?2,
			name = ?3`, other.Folder, other.Number, other.Name)
	if err != nil || other.Number != h.Number {
		return err
	}
	for taken := true; taken; {
		var bits [2]byte
		rand.Read(bits[:])
		h.Number = (int64(bits[0])<<8 | int64(bits[1])) % idStep
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM homes WHERE number = ?1) OR ?1 = ?2`, h.Number, other.Number).Scan(&taken)
		if err != nil {
			return err
		}
	}
	return execute(ctx, tx, `UPDATE home SET number = ?`, h.Number)
}

// Lost notes that the files of segments are not there any more, although no other has their lines: the rows of their
// sessions are told again by this machine.
func (y *Sync) Lost(ctx context.Context, segments ...Segment) error {
	return y.s.save(ctx, "tell lost rows again", func(tx *sql.Tx) error {
		for _, segment := range segments {
			sessions, err := json.Marshal(segment.Sessions)
			if err != nil {
				return err
			}
			if err := tellAll(ctx, tx, "id IN (SELECT value FROM json_each(?))", string(sessions)); err != nil {
				return err
			}
			if err := execute(ctx, tx, `DELETE FROM segments WHERE name = ?`, segment.Name); err != nil {
				return err
			}
		}
		return nil
	})
}

// From is the name of the machine that a message came from, "" for this one.
func (y *Sync) From(ctx context.Context, message int64) (name string, err error) {
	err = y.s.view(ctx, "look where the message is from", func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT name FROM homes WHERE number = ? & ?`, message, idStep-1).Scan(&name)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return name, err
}

// Diverged returns the newest messages of the branches with which other machines went on in a session while one did with
// the active branch, the newest first.
func (y *Sync) Diverged(ctx context.Context, session string) ([]int64, error) {
	return withSession(ctx, y.s.view, "look for branches of other machines", session, func(tx *sql.Tx, n int64) ([]int64, error) {
		// The user's messages that follow the same answer as one of the active branch and were written on another machine,
		// each with the newest message behind it.
		return idsWhere(ctx, tx, fmt.Sprintf(`
			WITH RECURSIVE active (id, parent) AS (
				SELECT m.id, m.parent
				FROM sessions s
				JOIN messages m ON m.id = s.leaf
				WHERE s.n = ?1
				UNION ALL
				SELECT m.id, m.parent
				FROM active
				JOIN messages m ON m.id = active.parent AND m.session = ?1
			),
			there (first, id) AS (
				SELECT o.id, o.id
				FROM active a
				JOIN messages m ON m.id = a.id AND m.role = 'user'
				JOIN messages o ON o.session = ?1 AND o.parent = a.parent AND o.id <> a.id AND o.role = 'user'
				WHERE a.parent <> 0
					AND o.id & %[1]d <> a.id & %[1]d
				UNION ALL
				SELECT there.first, m.id
				FROM there
				JOIN messages m ON m.session = ?1 AND m.parent = there.id
			)
			SELECT max(id)
			FROM there
			GROUP BY first
			ORDER BY 1 DESC`, idStep-1), n)
	})
}
