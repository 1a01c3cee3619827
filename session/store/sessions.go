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

// shortIDLength is the length of a shortened session id: the part with its time in milliseconds.
const shortIDLength = 13

// ShortID returns the beginning of a session id, which is usually enough to identify it.
func ShortID(id string) string { return id[:min(len(id), shortIDLength)] }

// Session is the row of a conversation.
type Session struct {
	ID        string // a UUIDv7, or a UUIDv5 for an imported session; a unique prefix is enough to find it
	Title     string
	TitleFrom TitleSource // an automatic title never replaces one set by the user
	Created   time.Time
	Updated   time.Time
	Endpoint  string // the name of the endpoint used last
	Address   string // base URL that this machine sends its requests to, without secrets; "" before the first
	Model     string // as the endpoint names it
	Preset    string // the preset chosen for this session, "" for the configured one
	Overrides string // TOML: the keys of [context] that this session overrides
	System    string // the system prompt
	// SystemFixed means that System applies even if it is "". Without it, "" means the configured prompt.
	SystemFixed bool
	Leaf        int64  // the newest message of the active branch, 0 for none
	Parent      string // the session it was forked from
	ForkedAt    int64  // the message it was forked at
	Pinned      bool
	Archived    bool
	Deleted     time.Time // when it went to the trash, zero otherwise
	Dir         string    // the working directory in which it was started
	Source      string    // the program that it was imported from, "" for winnow's own sessions and for plain files
	Origin      string    // its id in that program
	Tags        []string
	Messages    int // number of messages on all branches
	Turns       int // number of user messages on all branches
	// Changes is incremented by each change to the session, here or by a merge: to messages, flags, remedies, settings,
	// system prompt or title. If it differs, what was read before is stale.
	Changes int64

	key  int64 // the short key that other tables refer to
	used int64 // position in the order of last use
}

// TitleSource says who set the title of a session, "" if it has none.
type TitleSource string

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

// readSession reads a session by its short key.
func readSession(t *tx, n int64) Session { return first[Session](t, "sessions WHERE n = ?", n) }

// sessionKey returns the short key of a session by its full id. It fails with ErrNotFound if there is none.
func sessionKey(t *tx, id string) int64 {
	n := findSession(t, id)
	if n == 0 {
		t.notFound("find chat %q", id)
	}
	return n
}

// findSession returns the short key of a session by its full id, or 0 if there is none.
func findSession(t *tx, id string) int64 {
	return sqlite.QueryValue[int64](t, `SELECT n FROM sessions WHERE id = ?`, id)
}

// Session finds a session by its id or by a prefix that no other session has. Sessions in the trash are considered only
// if no other matches. The error is ErrNotFound or ErrAmbiguous.
func (s *Store) Session(ctx context.Context, idOrPrefix string) (Session, error) {
	return inTx(ctx, s.view, "find the chat", func(t *tx) Session {
		// 'g' sorts after every character of an id.
		all := readRows[Session](t, `sessions WHERE id >= ?1 AND id < ?1 || 'g' AND ?1 <> '' ORDER BY deleted_ms <> 0`,
			strings.ToLower(strings.TrimSpace(idOrPrefix)))
		if len(all) == 0 {
			t.notFound("find chat %q", idOrPrefix)
			return Session{}
		}
		fit := slices.DeleteFunc(all, func(row Session) bool { return row.Deleted.IsZero() != all[0].Deleted.IsZero() })
		if len(fit) > 1 {
			kind := fmt.Errorf("%q matches %d chats; use more of the id", idOrPrefix, len(fit))
			t.Fail(&sqlite.Error{Doing: "find the chat", Kind: kind, Cause: ErrAmbiguous})
		}
		return fit[0]
	})
}

// addSession inserts a session without messages and returns its key. An empty id is replaced by a new one.
func (s *Store) addSession(t *tx, in Session) int64 {
	in.ID = cmp.Or(in.ID, newSessionID())
	if in.Created.IsZero() {
		in.Created = s.now()
	}
	in.Updated, in.Deleted = in.Created, time.Time{}
	return insertSession(t, in)
}

// insertSession inserts the row of a session without messages and returns its key.
func insertSession(t *tx, in Session) int64 {
	in.Leaf, in.Messages, in.Turns, in.Tags = 0, 0, 0, normalizeTags(in.Tags)
	t.put("INSERT INTO sessions", in.columns(), "")
	return findSession(t, in.ID)
}

// normalizeTags returns tags as they are stored: sorted, without duplicates.
func normalizeTags(tags []string) []string { return slices.Compact(slices.Sorted(slices.Values(tags))) }

// newSessionID returns a new UUIDv7.
func newSessionID() string { return uuid.Must(uuid.NewV7()).String() }

// markUsed makes a session the one used last. The order does not depend on the clock, which may go backwards.
func (s *Store) markUsed(t *tx, n int64) {
	t.Exec(`
		UPDATE sessions
		SET updated_ms = ?1, used = max(?1, 1 + (SELECT max(used) FROM sessions))
		WHERE n = ?2`, s.now().UnixMilli(), n)
}

// SessionFilter selects the sessions to list. The zero value selects all that are neither archived nor in the trash.
type SessionFilter struct {
	Text     string // each of its words must occur in the title or a tag, ignoring case
	Tag      string // only sessions with this tag, "" for all
	Trash    bool
	Archived bool
	All      bool // also the archived ones and those in the trash
	LastUsed bool // the last used first, even if others are pinned
	Limit    int  // the maximum number, 0 for all
}

// Sessions lists sessions, pinned ones first, then by last use.
func (s *Store) Sessions(ctx context.Context, f SessionFilter) ([]Session, error) {
	return inTx(ctx, s.view, "list the chats", func(t *tx) (all []Session) {
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

// fits reports whether a session matches the filter.
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

// UpdateSession applies change to the session with this full id and stores what changed: title, tags, Pinned, Archived,
// Deleted, model, settings, system prompt, Address and Leaf. If the history is synced, the changes are queued for sync.
// An automatic title does not replace one set by the user, and a session in the trash keeps its date of deletion.
// change may be called several times.
func (s *Store) UpdateSession(ctx context.Context, id string, change func(*Session)) error {
	return s.save(ctx, "change the chat", func(t *tx) {
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
