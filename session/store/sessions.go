package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// Session is one conversation's row.
type Session struct {
	ID        string // a UUIDv7; any unique prefix finds it
	Title     string
	TitleFrom TitleSource // an automatic title never replaces the user's
	Created   time.Time
	Updated   time.Time
	Endpoint  string // the name of the endpoint last used
	Address   string // where this machine's requests go, without secrets, "" before the first one
	Model     string // as the endpoint knows it
	Preset    string // the preset that was chosen for this session, "" for the configured one
	Overrides string // TOML of the policy keys that this session overrides
	System    string // its system prompt
	// SystemFixed says that System is the session's own even if it is "". Without it, "" is the configured one.
	SystemFixed bool
	Leaf        int64  // the newest message of the active branch, 0 for none
	Parent      string // the session it was forked from
	ForkedAt    int64  // the message it was forked at
	Pinned      bool
	Archived    bool
	Deleted     time.Time // when it went to the trash, zero otherwise
	Dir         string    // the working directory it was begun in: a facet, never a wall
	Source      string    // the program it was imported from, "" for winnow's own and for plain files
	Origin      string    // its id there
	Tags        []string
	Messages    int // all its messages, every branch
	Turns       int // its user messages
	// Changes counts what was written of it, here or by a merge: messages, flags, remedies, settings, the system
	// prompt, the title. What was read of it is stale once the count is another one.
	Changes int64

	key  int64 // the short key that other tables use
	used int64 // the order of last use
}

// TitleSource says where a session's title comes from, "" for no title.
type TitleSource string

// The sources of titles.
const (
	TitleAuto TitleSource = "auto"
	TitleUser TitleSource = "user"
)

func (s *Session) columns() []column {
	return []column{
		{"n", &s.key, generated},
		{"id", &s.ID, 0},
		{"created_ms", (*millis)(&s.Created), 0},
		{"updated_ms", (*millis)(&s.Updated), 0},
		{"used", &s.used, 0},
		{"leaf", &s.Leaf, local},
		{"parent", &s.Parent, 0},
		{"forked_at", &s.ForkedAt, 0},
		{"pinned", &s.Pinned, 0},
		{"archived", &s.Archived, 0},
		{"deleted_ms", (*millis)(&s.Deleted), 0},
		{"messages", &s.Messages, local},
		{"turns", &s.Turns, local},
		{"changes", &s.Changes, local},
		{"title", &s.Title, secret},
		{"title_from", &s.TitleFrom, 0},
		{"source", &s.Source, 0},
		{"origin", &s.Origin, 0},
		{"endpoint", &s.Endpoint, 0},
		{"address", &s.Address, local},
		{"model", &s.Model, 0},
		{"preset", &s.Preset, 0},
		{"dir", &s.Dir, 0},
		{"overrides", &s.Overrides, 0},
		{"system", &s.System, secret},
		{"system_fixed", &s.SystemFixed, 0},
		{"tags", &jsonColumn{&s.Tags}, 0},
	}
}

// readSession reads one session by its short key.
func readSession(t *tx, n int64) Session { return first[Session](t, "sessions WHERE n = ?", n) }

// sessionKey returns the short key of a session by its whole id, and fails with ErrNotFound where there is none.
func sessionKey(t *tx, id string) int64 {
	n := findSession(t, id)
	if n == 0 {
		t.notFound("find session %q", id)
	}
	return n
}

// findSession is the short key of a session by its whole id, 0 where there is none.
func findSession(t *tx, id string) int64 {
	return sqlite.Value[int64](t, `SELECT n FROM sessions WHERE id = ?`, id)
}

// Session finds a session by its id or a prefix that only one session has. Sessions in the trash
// are found where no other fits. The error is ErrNotFound or ErrAmbiguous.
func (s *Store) Session(ctx context.Context, idOrPrefix string) (Session, error) {
	return inTx(ctx, s.view, "find the session", func(t *tx) Session {
		// 'g' follows every character of an id.
		all := readRows[Session](t, `sessions WHERE id >= ?1 AND id < ?1 || 'g' AND ?1 <> '' ORDER BY deleted_ms <> 0`,
			strings.ToLower(strings.TrimSpace(idOrPrefix)))
		if len(all) == 0 {
			t.notFound("find session %q", idOrPrefix)
			return Session{}
		}
		fit := slices.DeleteFunc(all, func(row Session) bool { return row.Deleted.IsZero() != all[0].Deleted.IsZero() })
		if len(fit) > 1 {
			kind := fmt.Errorf("%q matches %d sessions; use more of the id", idOrPrefix, len(fit))
			t.Fail(&sqlite.Error{Doing: "find the session", Kind: kind, Cause: ErrAmbiguous})
		}
		return fit[0]
	})
}

// addSession inserts a session without messages and returns its key. An empty id gets a new one.
func (s *Store) addSession(t *tx, in Session) int64 {
	in.ID = cmp.Or(in.ID, newSessionID())
	if in.Created.IsZero() {
		in.Created = s.now()
	}
	in.Updated, in.Deleted = in.Created, time.Time{}
	return insertSession(t, in)
}

// insertSession stores a session's row, as one without messages, and returns its key.
func insertSession(t *tx, in Session) int64 {
	in.Leaf, in.Messages, in.Turns, in.Tags = 0, 0, 0, normalizeTags(in.Tags)
	t.put("INSERT INTO sessions", in.columns(), "")
	return findSession(t, in.ID)
}

// normalizeTags are tags as they are stored: in order, and each once.
func normalizeTags(tags []string) []string { return slices.Compact(slices.Sorted(slices.Values(tags))) }

// newSessionID is a new session's id.
func newSessionID() string { return uuid.Must(uuid.NewV7()).String() }

// markUsed makes a session the last used one. The order is kept apart from the clock, which may go
// backwards.
func (s *Store) markUsed(t *tx, n int64) {
	t.Exec(`
		UPDATE sessions
		SET updated_ms = ?1, used = max(?1, 1 + (SELECT max(used) FROM sessions))
		WHERE n = ?2`, s.now().UnixMilli(), n)
}

// SessionFilter says which sessions to list: those in use, unless one of Trash, Archived and All is set.
type SessionFilter struct {
	Text     string // every word of it is in the title or a tag, whatever the case
	Tag      string // those with this tag, "" for all
	Trash    bool
	Archived bool
	All      bool // wherever they are
	LastUsed bool // the last used first; otherwise the pinned ones come before the others
	Limit    int  // 0 for all
}

// Sessions lists sessions, the last used first and pinned ones on top.
func (s *Store) Sessions(ctx context.Context, f SessionFilter) ([]Session, error) {
	return inTx(ctx, s.view, "list the sessions", func(t *tx) (all []Session) {
		order := "pinned DESC, used DESC"
		if f.LastUsed {
			order = "used DESC"
		}
		for row := range each[Session](t, "sessions ORDER BY "+order) {
			if f.fits(row) {
				all = append(all, *row)
			}
			if len(all) == f.Limit && f.Limit > 0 {
				break
			}
		}
		return all
	})
}

// fits reports whether a session is one of those to list.
func (f SessionFilter) fits(s *Session) bool {
	trash := !s.Deleted.IsZero()
	if !f.All && (trash != f.Trash || !trash && s.Archived != f.Archived) {
		return false
	}
	text := strings.ToLower(s.Title + "\n" + strings.Join(s.Tags, "\n"))
	for _, word := range strings.Fields(strings.ToLower(f.Text)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return f.Tag == "" || slices.Contains(s.Tags, f.Tag)
}

// UpdateSession changes what can be set of the session with this whole id: its title, its tags, whether it is pinned, archived
// or in the trash, its model, settings, system prompt and address, and the end of its active branch. Other machines are
// told of what change changed. An automatic title never replaces the user's, and a session that is in the trash already
// keeps its date. change may run several times.
func (s *Store) UpdateSession(ctx context.Context, id string, change func(*Session)) error {
	return s.save(ctx, "change the session", func(t *tx) {
		before := readSession(t, sessionKey(t, id))
		row := before
		row.Tags = slices.Clone(before.Tags)
		change(&row)
		row.Title, row.System, row.Tags = s.clean(row.Title), s.clean(row.System), normalizeTags(row.Tags)
		if row.TitleFrom == TitleAuto && before.TitleFrom == TitleUser {
			row.Title, row.TitleFrom = before.Title, before.TitleFrom
		}
		if !row.Deleted.IsZero() && !before.Deleted.IsZero() {
			row.Deleted = before.Deleted
		}
		inSession(t, before.key, row.Leaf)
		for name := range sessionRegisters {
			if now := registerJSON(t, &row, name); now != registerJSON(t, &before, name) {
				s.setRegister(t, before.key, 0, name, now)
			}
		}
		t.Exec(`UPDATE sessions SET address = ? WHERE n = ?`, row.Address, before.key)
	})
}
