package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"winnow/session/store/sqlite"

	"github.com/google/uuid"
)

// sessionColumns are what sessionScan reads. Tags come from a query of their own.
const sessionColumns = `
	s.n,
	s.id,
	s.title,
	s.title_from,
	s.created_ms,
	s.updated_ms,
	s.endpoint,
	s.model,
	s.preset,
	s.overrides,
	s.system,
	s.system_fixed,
	s.leaf,
	s.parent,
	s.forked_at,
	s.pinned,
	s.archived,
	s.deleted_ms,
	s.dir,
	s.source,
	s.origin,
	s.messages,
	s.turns`

// sessionScan reads rows of sessions, one after the other, into one set of targets, as scan does for
// messages. It notes the key of each.
type sessionScan struct {
	Session
	key, created, updated, pinned, archived, deleted, messages, turns, fixed int64

	targets []any
	keys    []int64
}

func newSessionScan() *sessionScan {
	s := &sessionScan{}
	s.targets = []any{
		&s.key, &s.ID, &s.Title, &s.TitleFrom, &s.created, &s.updated, &s.Endpoint, &s.Model, &s.Preset,
		&s.Overrides, &s.System, &s.fixed, &s.Leaf, &s.Parent, &s.ForkedAt, &s.pinned, &s.archived, &s.deleted, &s.Dir,
		&s.Source, &s.Origin, &s.messages, &s.turns,
	}
	return s
}

// next reads one row with the Scan of an *sql.Rows.
func (s *sessionScan) next(scan func(...any) error) (Session, error) {
	if err := scan(s.targets...); err != nil {
		return Session{}, err
	}
	s.keys = append(s.keys, s.key)
	out := s.Session
	out.Created, out.Updated, out.Deleted = at(s.created), at(s.updated), at(s.deleted)
	out.Pinned, out.Archived, out.SystemFixed = s.pinned != 0, s.archived != 0, s.fixed != 0
	out.Messages, out.Turns = int(s.messages), int(s.turns)
	return out, nil
}

// sessionsWhere reads sessions with their tags. where is what follows the table in the query, in which
// a session is called s.
func sessionsWhere(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]Session, error) {
	_, all, err := keyedSessions(ctx, tx, where, args...)
	return all, err
}

// keyedSessions is sessionsWhere with the key of each session.
func keyedSessions(ctx context.Context, tx *sql.Tx, where string, args ...any) (keys []int64, all []Session, err error) {
	scan := newSessionScan()
	all, err = sqlite.Collect(ctx, tx, scan.next, `
		SELECT`+sessionColumns+`
		FROM sessions s
		`+where, args...)
	if err != nil {
		return nil, nil, err
	}
	tags, err := tagsOf(ctx, tx, scan.keys)
	for i, n := range scan.keys {
		all[i].Tags = tags[n]
	}
	return scan.keys, all, err
}

// Session finds a session by its id or a prefix that only one session has. Sessions in the trash
// are found where no other fits. It returns ErrNotFound or an *AmbiguousError.
func (s *Store) Session(ctx context.Context, idOrPrefix string) (Session, error) {
	var out Session
	err := s.view(ctx, "find the session", func(tx *sql.Tx) error {
		var err error
		out, err = sessionByPrefix(ctx, tx, idOrPrefix)
		return err
	})
	return out, err
}

func sessionByPrefix(ctx context.Context, tx *sql.Tx, typed string) (Session, error) {
	prefix := strings.ToLower(strings.TrimSpace(typed))
	what := fmt.Sprintf("find session %q", typed)
	if prefix == "" {
		return Session{}, &sqlite.Error{Doing: what, Kind: ErrNotFound}
	}
	for _, trash := range []bool{false, true} {
		// 'g' follows every character of an id.
		all, err := sessionsWhere(ctx, tx, `
			WHERE s.id >= ?1
				AND s.id < ?1 || 'g'
				AND (s.deleted_ms <> 0) = ?2
			ORDER BY s.used DESC`, prefix, trash)
		if err != nil {
			return Session{}, err
		}
		switch {
		case len(all) == 1:
			return all[0], nil
		case len(all) > 1:
			return Session{}, &AmbiguousError{Prefix: typed, Matches: all[:min(10, len(all))], Count: len(all)}
		}
	}
	return Session{}, &sqlite.Error{Doing: what, Kind: ErrNotFound}
}

// Last returns the session used last that is neither in the trash nor archived, or ErrNotFound.
func (s *Store) Last(ctx context.Context) (Session, error) {
	var out Session
	err := s.view(ctx, "find the last session", func(tx *sql.Tx) error {
		all, err := sessionsWhere(ctx, tx, `
			INDEXED BY sessions_used
			WHERE s.deleted_ms = 0
				AND s.archived = 0
			ORDER BY s.used DESC
			LIMIT 1`)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return &sqlite.Error{Doing: "find the last session", Kind: ErrNotFound}
		}
		out = all[0]
		return nil
	})
	return out, err
}

// sessionKey returns the short key of a session by its whole id.
func sessionKey(ctx context.Context, tx *sql.Tx, id string) (int64, error) {
	var n int64
	err := tx.QueryRowContext(ctx, `
		SELECT n
		FROM sessions
		WHERE id = ?`, id).Scan(&n)
	return n, found(fmt.Sprintf("find session %q", id), err)
}

// sessionByKey reads one session by its short key.
func sessionByKey(ctx context.Context, tx *sql.Tx, n int64) (Session, error) {
	all, err := sessionsWhere(ctx, tx, `WHERE s.n = ?`, n)
	if err == nil && len(all) == 0 {
		err = &sqlite.Error{Doing: "find the session", Kind: ErrNotFound}
	}
	if err != nil {
		return Session{}, err
	}
	return all[0], nil
}

// addSession inserts a session without messages. An empty id gets a new one.
func (s *Store) addSession(ctx context.Context, tx *sql.Tx, in Session) (int64, error) {
	in.Title, in.System = s.clean(in.Title), s.clean(in.System)
	if in.ID == "" {
		in.ID = newID()
	}
	created := ms(in.Created)
	if created == 0 {
		created = s.now().UnixMilli()
	}
	result, err := tx.ExecContext(ctx, `
		INSERT INTO sessions (
			id, title, title_from, created_ms, updated_ms, used, endpoint, model, preset, overrides, system,
			system_fixed, parent, forked_at, pinned, archived, dir, source, origin
		) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		in.ID, in.Title, in.TitleFrom, created, created, in.Endpoint, in.Model, in.Preset, in.Overrides, in.System,
		in.SystemFixed, in.Parent, in.ForkedAt, in.Pinned, in.Archived, in.Dir, in.Source, in.Origin)
	if err != nil {
		return 0, fmt.Errorf("begin session %q: %w", in.ID, err)
	}
	n, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	return n, setTags(ctx, tx, n, in.Tags)
}

// newID is a new session's id.
func newID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.NewString() // a random one where the clock is of no use
	}
	return id.String()
}

// use makes a session the last used one. The order is kept apart from the clock, which may go
// backwards.
func (s *Store) use(ctx context.Context, tx *sql.Tx, n int64) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE sessions
		SET updated_ms = ?1,
			used = max(?1, 1 + (SELECT max(used) FROM sessions))
		WHERE n = ?2`, s.now().UnixMilli(), n)
	return err
}
