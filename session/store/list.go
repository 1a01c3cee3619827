package store

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
)

// Filter says which sessions to list: those in use, or those in the trash, or those archived.
type Filter struct {
	Text     string // every word of it is in the title or a tag, whatever the case
	Tag      string // those with this tag, "" for all
	Dir      string // those begun in this folder or below it, "" for all
	Trash    bool
	Archived bool
	Limit    int // 0 for all
	Offset   int
}

// Sessions lists sessions, the last used first and pinned ones on top.
func (s *Store) Sessions(ctx context.Context, f Filter) ([]Session, error) {
	var out []Session
	err := s.view(ctx, "list the sessions", func(tx *sql.Tx) error {
		var err error
		out, err = sessions(ctx, tx, f)
		return err
	})
	return out, err
}

func sessions(ctx context.Context, tx *sql.Tx, f Filter) ([]Session, error) {
	words := strings.Fields(strings.ToLower(f.Text))
	limit, offset := f.Limit, f.Offset
	if limit <= 0 {
		limit = -1 // SQLite's "all"
	}
	// SQLite folds the case of ASCII only, so words are looked for here, and pages are cut here.
	picks := len(words) > 0 || f.Tag != "" || f.Dir != ""
	if picks {
		limit, offset = -1, 0
	}
	all, err := sessionsWhere(ctx, tx, `
		WHERE `+which(f)+`
		ORDER BY s.pinned DESC, s.used DESC
		LIMIT ?
		OFFSET ?`, limit, max(0, offset))
	if err != nil || !picks {
		return all, err
	}
	all = slices.DeleteFunc(all, func(s Session) bool { return !f.fits(s) || !hasWords(s, words) })
	all = all[min(max(0, f.Offset), len(all)):]
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
		return "s.deleted_ms <> 0"
	case f.Archived:
		return "s.deleted_ms = 0 AND s.archived = 1"
	}
	return "s.deleted_ms = 0 AND s.archived = 0"
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
		of, args = "WHERE session IN (SELECT value FROM json_each(?))", []any{list(keys)}
	}
	rows, err := tx.QueryContext(ctx, `
		SELECT
			session,
			tag
		FROM tags
		`+of+`
		ORDER BY session, tag`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	tags := map[int64][]string{}
	for rows.Next() {
		var n int64
		var tag string
		if err := rows.Scan(&n, &tag); err != nil {
			return nil, err
		}
		tags[n] = append(tags[n], tag)
	}
	return tags, rows.Err()
}
