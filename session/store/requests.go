package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"
)

const requestColumns = `
	r.id,
	s.id,
	r.turn,
	r.user,
	r.purpose,
	r.created_ms,
	r.endpoint,
	r.model,
	r.rules,
	r.tokenizer,
	r.estimate,
	r.body_hash,
	r.prompt_tokens,
	r.cached_tokens,
	r.answer_tokens,
	r.reasoning_tokens,
	r.cost_nano,
	r.cost_from,
	r.first_token_us,
	r.took_us,
	r.retries,
	r.finish,
	r.ended,
	r.error,
	r.cut_expected,
	r.options`

func scanRequest(scan func(...any) error) (Request, error) {
	var r Request
	var created, first, took int64
	err := scan(&r.ID, &r.Session, &r.Turn, &r.User, &r.Purpose, &created, &r.Endpoint, &r.Model, &r.Rules, &r.Tokenizer,
		&r.Estimate, &r.BodyHash, &r.Prompt, &r.Cached, &r.Answer, &r.Reasoning, &r.Cost, &r.CostFrom, &first, &took,
		&r.Retries, &r.Finish, &r.End, &r.Error, &r.CutExpected, &r.Options)
	r.Created = at(created)
	r.FirstToken = time.Duration(first) * time.Microsecond
	r.Took = time.Duration(took) * time.Microsecond
	return r, err
}

// AddRequest records a request that is about to be sent with its Plan, and sets its ID, and Created where
// it is zero. Durations are kept to the microsecond. What comes back has no Plan.
func (s *Store) AddRequest(ctx context.Context, r Request) (Request, error) {
	r.ID = 0
	s.mu.Lock()
	newest := s.newestPlan
	s.mu.Unlock()
	var out Request
	var plans verdicts.Writer
	err := s.jot(ctx, "record the request", func(tx *sql.Tx) error {
		var err error
		plans = newest
		out, err = s.putRequest(ctx, tx, &plans, r)
		return err
	})
	if err != nil {
		plans = verdicts.Writer{}
	}
	s.mu.Lock()
	s.newestPlan = plans
	s.mu.Unlock()
	return out, err
}

// UpdateRequest replaces the record with the request's ID, or returns ErrNotFound. Its plan stays.
func (s *Store) UpdateRequest(ctx context.Context, r Request) error {
	if r.ID == 0 {
		return &sqlite.Error{Doing: "update the request", Kind: ErrNotFound}
	}
	return s.jot(ctx, "update the request", func(tx *sql.Tx) error {
		_, err := s.putRequest(ctx, tx, nil, r)
		return err
	})
}

// putRequest inserts a request without an ID, whose plan goes to plans, and replaces one that has it.
func (s *Store) putRequest(ctx context.Context, tx *sql.Tx, plans *verdicts.Writer, r Request) (Request, error) {
	n, err := sessionKey(ctx, tx, r.Session)
	if err != nil {
		return r, err
	}
	r.Error = s.clean(r.Error)
	if r.Created.IsZero() {
		r.Created = s.now()
	}
	r.Created = at(r.Created.UnixMilli())
	r.FirstToken, r.Took = r.FirstToken.Truncate(time.Microsecond), r.Took.Truncate(time.Microsecond)
	values := []any{
		n, r.Turn, r.User, r.Created.UnixMilli(), r.Endpoint, r.Model, r.Rules, r.Tokenizer, r.Estimate,
		r.BodyHash, r.Prompt, r.Cached, r.Answer, r.Reasoning, r.Cost, r.CostFrom, r.FirstToken.Microseconds(),
		r.Took.Microseconds(), r.Retries, r.Finish, r.End, r.Error, nothing(r.Options), r.Purpose, r.CutExpected,
	}
	if r.ID == 0 {
		result, err := tx.ExecContext(ctx, `
			INSERT INTO requests (
				session, turn, user, created_ms, endpoint, model, rules, tokenizer, estimate, body_hash,
				prompt_tokens, cached_tokens, answer_tokens, reasoning_tokens, cost_nano, cost_from, first_token_us,
				took_us, retries, finish, ended, error, options, purpose, cut_expected
			) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, values...)
		if err != nil {
			return r, err
		}
		plan := r.Plan
		r.Plan = nil
		if r.ID, err = result.LastInsertId(); err != nil || plan == nil {
			return r, err
		}
		return r, plans.Put(ctx, tx, verdicts.Key{Session: n, Request: r.ID, Purpose: string(r.Purpose)}, *plan)
	}
	result, err := tx.ExecContext(ctx, `
		UPDATE requests
		SET turn = ?2,
			user = ?3,
			created_ms = ?4,
			endpoint = ?5,
			model = ?6,
			rules = ?7,
			tokenizer = ?8,
			estimate = ?9,
			body_hash = ?10,
			prompt_tokens = ?11,
			cached_tokens = ?12,
			answer_tokens = ?13,
			reasoning_tokens = ?14,
			cost_nano = ?15,
			cost_from = ?16,
			first_token_us = ?17,
			took_us = ?18,
			retries = ?19,
			finish = ?20,
			ended = ?21,
			error = ?22,
			options = ?23,
			purpose = ?24,
			cut_expected = ?25
		WHERE session = ?1
			AND id = ?26`, append(values, r.ID)...)
	return r, touched(fmt.Sprintf("find request %d", r.ID), result, err)
}

// Requests returns the requests of a session, the oldest first.
func (s *Store) Requests(ctx context.Context, session string) ([]Request, error) {
	return s.requestsWhere(ctx, session, `r.session = ?`)
}

// TurnRequests returns the requests of a session's turn, the oldest first. There are several where
// the model called tools, where it was asked again, and where the first was too large; there is none
// where the turn was imported.
func (s *Store) TurnRequests(ctx context.Context, session string, turn int) ([]Request, error) {
	return s.requestsWhere(ctx, session, `r.session = ? AND r.turn = ?`, turn)
}

// NewestRequests returns at most n of a session's requests, the newest first, of those before one with an id; 0 is
// all of them.
func (s *Store) NewestRequests(ctx context.Context, session string, before int64, n int) ([]Request, error) {
	return answers(ctx, s, question{doing: "read the requests", session: session, args: []any{before, n}, query: `
		SELECT` + requestColumns + `
		FROM requests r
		JOIN sessions s ON s.n = r.session
		WHERE r.session = ?1
			AND (?2 = 0 OR r.id < ?2)
		ORDER BY r.id DESC
		LIMIT ?3`}, scanRequest)
}

// requestsWhere returns the requests that a condition of the session and args picks.
func (s *Store) requestsWhere(ctx context.Context, session, condition string, args ...any) ([]Request, error) {
	return answers(ctx, s, question{doing: "read the requests", session: session, args: args, query: `
		SELECT` + requestColumns + `
		FROM requests r
		JOIN sessions s ON s.n = r.session
		WHERE ` + condition + `
		ORDER BY r.id`}, scanRequest)
}

// Turn is the number of the turn that a user's message begins: how many messages the user has
// written in its session up to it, on every branch.
func (s *Store) Turn(ctx context.Context, message int64) (int, error) {
	var turn int
	err := s.view(ctx, "number the turn", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT count(*)
			FROM messages u
			JOIN messages m ON m.session = u.session AND m.seq <= u.seq
			WHERE u.id = ?
				AND m.role = 'user'`, message).Scan(&turn)
	})
	if err == nil && turn == 0 {
		err = &sqlite.Error{Doing: fmt.Sprintf("find message %d", message), Kind: ErrNotFound}
	}
	return turn, err
}

// ClearCuts takes back that the server read only a part of some requests of a session.
func (s *Store) ClearCuts(ctx context.Context, session string, ids []int64) error {
	return s.jot(ctx, "update the requests", func(tx *sql.Tx) error {
		for _, id := range ids {
			_, err := tx.ExecContext(ctx, `
				UPDATE requests
				SET cut_expected = 0
				WHERE id = ?
					AND session = (SELECT n FROM sessions WHERE sessions.id = ?)`, id, session)
			if err != nil {
				return err
			}
		}
		return nil
	})
}
