package store

import (
	"context"
	"database/sql"

	"winnow/session/store/sqlite"
)

// question is a query about one session, whose key is the query's first argument.
type question struct {
	doing   string // what is being tried, for the error
	session string
	query   string
	args    []any // those behind the key
}

// answers reads every row of the answer to a question.
func answers[T any](ctx context.Context, s *Store, q question, scan func(scan func(...any) error) (T, error)) ([]T, error) {
	var out []T
	err := s.view(ctx, q.doing, func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, q.session)
		if err != nil {
			return err
		}
		out, err = sqlite.Collect(ctx, tx, scan, q.query, append([]any{n}, q.args...)...)
		return err
	})
	return out, err
}

// decisions reads what the user decided about messages, by message.
func decisions[T ~string](ctx context.Context, s *Store, q question) (map[int64]T, error) {
	type decision struct {
		message int64
		what    T
	}
	list, err := answers(ctx, s, q, func(scan func(...any) error) (d decision, err error) {
		err = scan(&d.message, &d.what)
		return d, err
	})
	decided := make(map[int64]T, len(list))
	for _, d := range list {
		decided[d.message] = d.what
	}
	return decided, err
}
