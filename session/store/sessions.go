package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"winnow/session/store/sqlite"
)

// sessionRow is a session with its key. Tags come from a query of their own.
type sessionRow struct {
	Session
	Key int64 `db:"n"`
}

// sessionsWhere reads sessions with their tags. where is what follows the table in the query.
func sessionsWhere(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]Session, error) {
	_, all, err := keyedSessions(ctx, tx, where, args...)
	return all, err
}

// keyedSessions is sessionsWhere with the key of each session.
func keyedSessions(ctx context.Context, tx *sql.Tx, where string, args ...any) (keys []int64, all []Session, err error) {
	err = sqlite.EachRow(ctx, tx, "sessions "+where, func(row *sessionRow) error {
		if len(all) == cap(all) {
			all = slices.Grow(all, max(4, len(all))) // large rows: to copy them is what append would spend its time on
		}
		keys, all = append(keys, row.Key), append(all, row.Session)
		return nil
	}, args...)
	if err != nil {
		return nil, nil, err
	}
	tags, err := tagsOf(ctx, tx, keys)
	for i, n := range keys {
		all[i].Tags = tags[n]
	}
	return keys, all, err
}

// Session finds a session by its id or a prefix that only one session has. Sessions in the trash
// are found where no other fits. It returns ErrNotFound or an *AmbiguousError.
func (s *Store) Session(ctx context.Context, idOrPrefix string) (Session, error) {
	return inTx(ctx, s.view, "find the session", func(tx *sql.Tx) (Session, error) { return sessionByPrefix(ctx, tx, idOrPrefix) })
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
			WHERE id >= ?1
				AND id < ?1 || 'g'
				AND (deleted_ms <> 0) = ?2
			ORDER BY used DESC`, prefix, trash)
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
	return inTx(ctx, s.view, "find the last session", func(tx *sql.Tx) (Session, error) {
		return oneSession(ctx, tx, "find the last session", `
			INDEXED BY sessions_used
			WHERE deleted_ms = 0
				AND archived = 0
			ORDER BY used DESC
			LIMIT 1`)
	})
}

// oneSession reads the only session of a query, or returns ErrNotFound.
func oneSession(ctx context.Context, tx *sql.Tx, doing, where string, args ...any) (Session, error) {
	all, err := sessionsWhere(ctx, tx, where, args...)
	if err == nil && len(all) == 0 {
		err = &sqlite.Error{Doing: doing, Kind: ErrNotFound}
	}
	if err != nil {
		return Session{}, err
	}
	return all[0], nil
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
	return oneSession(ctx, tx, "find the session", `WHERE n = ?`, n)
}

// addSession inserts a session without messages. An empty id gets a new one.
func (s *Store) addSession(ctx context.Context, tx *sql.Tx, in Session) (int64, error) {
	in.Title, in.System = s.clean(in.Title), s.clean(in.System)
	if in.ID == "" {
		in.ID = newID()
	}
	if in.Created.IsZero() {
		in.Created = s.now()
	}
	in.Updated, in.Leaf, in.Deleted, in.Messages, in.Turns = in.Created, 0, time.Time{}, 0, 0
	n, err := sqlite.InsertRow(ctx, tx, "sessions", in, sql.Named("used", 0))
	if err != nil {
		return 0, fmt.Errorf("begin session %q: %w", in.ID, err)
	}
	return n, setTags(ctx, tx, n, in.Tags)
}

// newID is a new session's id.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// use makes a session the last used one. The order is kept apart from the clock, which may go
// backwards.
func (s *Store) use(ctx context.Context, tx *sql.Tx, n int64) error {
	return execute(ctx, tx, `
		UPDATE sessions
		SET updated_ms = ?1,
			used = max(?1, 1 + (SELECT max(used) FROM sessions))
		WHERE n = ?2`, s.now().UnixMilli(), n)
}

// Filter says which sessions to list: those in use, or those in the trash, or those archived.
type Filter struct {
	Text     string // every word of it is in the title or a tag, whatever the case
	Tag      string // those with this tag, "" for all
	Dir      string // those begun in this folder or below it, "" for all
	Trash    bool
	Archived bool
	Limit    int // 0 for all
}

// listedRow is what a list needs of a session's row, in the order of the table's columns: what stands behind them there,
// such as a long system prompt, is not read then.
type listedRow struct {
	Key      int64       `db:"n"`
	ID       string      `db:"id"`
	Created  time.Time   `db:"created_ms"`
	Updated  time.Time   `db:"updated_ms"`
	Used     int64       `db:"used"`
	Leaf     int64       `db:"leaf"`
	Parent   string      `db:"parent"`
	ForkedAt int64       `db:"forked_at"`
	Pinned   bool        `db:"pinned"`
	Archived bool        `db:"archived"`
	Deleted  time.Time   `db:"deleted_ms"`
	Messages int         `db:"messages"`
	Turns    int         `db:"turns"`
	Title    string      `db:"title"`
	From     TitleSource `db:"title_from"`
	Endpoint string      `db:"endpoint"`
	Model    string      `db:"model"`
	Dir      string      `db:"dir"`
}

func (r *listedRow) session(tags []string) Session {
	return Session{
		ID: r.ID, Created: r.Created, Updated: r.Updated, Leaf: r.Leaf, Parent: r.Parent, ForkedAt: r.ForkedAt,
		Pinned: r.Pinned, Archived: r.Archived, Deleted: r.Deleted, Messages: r.Messages, Turns: r.Turns,
		Title: r.Title, TitleFrom: r.From, Endpoint: r.Endpoint, Model: r.Model, Dir: r.Dir, Tags: tags,
	}
}

// Sessions lists sessions, the last used first and pinned ones on top. They come without what a list does not show:
// Preset, Overrides, System, SystemFixed, Source and Origin, which Session reads.
func (s *Store) Sessions(ctx context.Context, f Filter) ([]Session, error) {
	return inTx(ctx, s.view, "list the sessions", func(tx *sql.Tx) ([]Session, error) { return sessions(ctx, tx, f) })
}

// SessionIDs returns the ids of all sessions, those in the trash and archived included, in their order.
func (s *Store) SessionIDs(ctx context.Context) ([]string, error) {
	return inTx(ctx, s.view, "list the sessions", func(tx *sql.Tx) ([]string, error) {
		return sqlite.Collect(ctx, tx, sqlite.Only[string], `SELECT id FROM sessions ORDER BY id`)
	})
}

// CountSessions is how many sessions are in use.
func (s *Store) CountSessions(ctx context.Context) (int, error) {
	n := 0
	err := s.view(ctx, "count the sessions", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `SELECT count(*) FROM sessions WHERE `+which(Filter{})).Scan(&n)
	})
	return n, err
}

func sessions(ctx context.Context, tx *sql.Tx, f Filter) ([]Session, error) {
	words := strings.Fields(strings.ToLower(f.Text))
	// SQLite folds the case of ASCII only, so words are looked for here, and the list is cut here.
	picks := len(words) > 0 || f.Tag != "" || f.Dir != ""
	from, args := "sessions NOT INDEXED WHERE "+which(f), []any(nil)
	if f.Limit > 0 && !picks {
		from, args = "sessions WHERE "+which(f)+" ORDER BY pinned DESC, used DESC LIMIT ?", []any{f.Limit}
	}
	rows, err := sqlite.PackedRows[listedRow](ctx, tx, from, args...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b listedRow) int {
		switch {
		case a.Pinned == b.Pinned:
			return cmp.Compare(b.Used, a.Used)
		case a.Pinned:
			return -1
		}
		return 1
	})
	keys := make([]int64, len(rows))
	for i, r := range rows {
		keys[i] = r.Key
	}
	tags, err := tagsOf(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	all := make([]Session, 0, len(rows))
	for _, r := range rows {
		s := r.session(tags[r.Key])
		if !picks || f.fits(s) && hasWords(s, words) {
			all = append(all, s)
		}
	}
	if f.Limit > 0 {
		all = all[:min(f.Limit, len(all))]
	}
	return all, nil
}

// which is the condition of a list. It is spelled out, because only then SQLite finds the index of
// the sessions in use.
func which(f Filter) string {
	switch {
	case f.Trash:
		return "deleted_ms <> 0"
	case f.Archived:
		return "deleted_ms = 0 AND archived = 1"
	}
	return "deleted_ms = 0 AND archived = 0"
}

// fits reports whether a session has the tag and was begun in the folder that are asked for.
func (f Filter) fits(s Session) bool {
	if f.Tag != "" && !slices.Contains(s.Tags, f.Tag) {
		return false
	}
	below := strings.TrimSuffix(f.Dir, string(filepath.Separator)) + string(filepath.Separator)
	return f.Dir == "" || s.Dir == f.Dir || strings.HasPrefix(s.Dir, below)
}

// hasWords reports whether every word, in lower case, is in the session's title or tags.
func hasWords(s Session, words []string) bool {
	text := strings.ToLower(s.Title + "\n" + strings.Join(s.Tags, "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// tagsOf returns the tags of the sessions with these keys, in alphabetical order. For a page of
// sessions they are looked up, for more of them the whole small table is read.
func tagsOf(ctx context.Context, tx *sql.Tx, keys []int64) (map[int64][]string, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	of, args := "", []any(nil)
	if len(keys) <= 500 {
		of, args = "WHERE session IN (SELECT value FROM json_each(?))", []any{sqlite.IDs(keys)}
	}
	rows, err := sqlite.PackedRows[tagRow](ctx, tx, "tags "+of+" ORDER BY session, tag", args...)
	tags := map[int64][]string{}
	for _, r := range rows {
		tags[r.Session] = append(tags[r.Session], r.Tag)
	}
	return tags, err
}

type tagRow struct {
	Session int64  `db:"session"`
	Tag     string `db:"tag"`
}
