package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// StartAnswer stores an answer that is about to stream, with the status streaming and without tool calls or parts. It
// becomes the leaf of its session and belongs to this store until FinishAnswer completes it. Close, or the end of the
// program, marks it as interrupted.
func (s *Store) StartAnswer(ctx context.Context, m Message) (Message, error) {
	doing := "begin the answer"
	if s.readOnly {
		return Message{}, s.readOnlyError(doing)
	}
	token, err := s.owner.Take(ctx)
	if err != nil {
		return Message{}, err
	}
	m.Status, m.ToolCalls, m.Parts, m.owner = history.Streaming, nil, nil, token
	return inTx(ctx, s.saveFast, doing, func(t *tx) Message { return s.append(t, m) })
}

// SavePartialAnswer stores the complete text of a streaming answer so far. It survives a crash of the program
// immediately, and a power cut a moment later. The error is ErrNotStreamed if the answer is finished or belongs to
// another store.
func (s *Store) SavePartialAnswer(ctx context.Context, id int64, content, reasoning string) error {
	return s.saveFast(ctx, "save the partial answer", func(t *tx) {
		m := s.streamed(t, id)
		m.Content, m.Reasoning = content, reasoning
		// Calls come with the end of an answer, never before it.
		t.Exec(`UPDATE messages SET status = ?, hash = ?, reasoning = ?, content = ? WHERE id = ?`,
			history.Streaming, m.fingerprint(), []byte(reasoning), []byte(content), id)
	})
}

// FinishAnswer stores a finished answer with its tool calls and parts, and the record of its request, in one
// transaction. An empty status becomes complete; a request with ID 0 is ignored. The error is ErrNotStreamed if the
// answer is finished or belongs to another store.
//
// The leaf of the session does not change, because the user may have switched branches meanwhile.
func (s *Store) FinishAnswer(ctx context.Context, m Message, r Request) (Message, error) {
	m = m.Redacted(s.clean)
	m.Status = cmp.Or(m.Status, history.Complete)
	return inTx(ctx, s.save, "save the answer", func(t *tx) Message {
		begun := s.streamed(t, m.ID)
		m.owner = ""
		if r.ID != 0 {
			updateRequest(t, r)
			m.Request = r.ID
		}
		m.storeParts(t.putAttachment)
		t.update("messages", m.columns(), "id = ?", m.ID)
		m.index(t)
		s.markUsed(t, begun.session)
		return message(t, m.ID)
	})
}

// streamed returns an answer that belongs to this store. It fails with ErrNotStreamed if there is none. An answer that
// another program has wrongly marked as interrupted counts as well; it leaves the search index until it ends.
func (s *Store) streamed(t *tx, id int64) Message {
	m := first[Message](t, `
		placed_messages
		WHERE id = ? AND owner = ? AND owner <> '' AND status IN ('streaming', 'interrupted')`, id, s.owner.Token())
	if m.ID == 0 {
		t.Fail(&sqlite.Error{Doing: fmt.Sprintf("save answer %d", id), Kind: ErrNotStreamed})
	}
	if m.Status == history.Interrupted {
		unindex(t, "id = ?", id)
	}
	return m
}

// interruptDead marks the answers of dead programs as interrupted and returns how many there were.
func (s *Store) interruptDead(ctx context.Context) (int, error) {
	doing := "look for unfinished answers"
	owners, err := inTx(ctx, s.view, doing, func(t *tx) []string {
		return sqlite.List[string](t,
			`SELECT owner FROM messages WHERE status = 'streaming' UNION SELECT owner FROM windows`)
	})
	dead := slices.DeleteFunc(owners, s.owner.Alive)
	s.owner.RemoveDeadLocks()
	if len(dead) == 0 {
		return 0, err
	}
	return inTx(ctx, s.save, doing, func(t *tx) (cut int) {
		for _, token := range dead {
			cut += interrupt(t, token)
		}
		return cut
	})
}

// interrupt marks the streaming answers of an owner as interrupted, indexes them, and ends the owner's leases. It
// returns the number of answers.
func interrupt(t *tx, token string) int {
	ids := sqlite.List[int64](t, `UPDATE messages SET status = ? WHERE status = 'streaming' AND owner = ? RETURNING id`,
		history.Interrupted, token)
	indexStored(t, ids)
	t.Exec(`DELETE FROM windows WHERE owner = ?`, token)
	return len(ids)
}

// interruptOwn interrupts the answers that this store is streaming, ends its leases and releases its lock.
func (s *Store) interruptOwn(ctx context.Context) error {
	token := s.owner.Token()
	if token == "" {
		return nil
	}
	err := s.save(ctx, "save the unfinished answer", func(t *tx) { interrupt(t, token) })
	s.owner.Release()
	return err
}

// If a session were open in two windows, it would get a second branch that nobody wants. So a window takes a lease
// before it writes in a session: a row with the window's owner token. A lease is valid while its owner holds its lock,
// so a dead window blocks nobody.

// Lease takes the lease of a session for this window. leased is true if another living window has it already; then
// nothing is taken and release does nothing. A store may take a lease several times; the lease ends when all of them
// are released or the store is closed.
//
// Leases are advisory: the store does not prevent writes without one.
func (s *Store) Lease(ctx context.Context, session string) (leased bool, release func(), err error) {
	release = func() {}
	if s.readOnly {
		others, err := s.LeasedByOthers(ctx)
		return slices.Contains(others, session), release, err
	}
	token, err := s.owner.Take(ctx)
	if err != nil {
		return false, release, err
	}
	lease, err := inTx(ctx, s.saveFast, "open the chat in this window", func(t *tx) int64 {
		if slices.Contains(s.leased(t), session) {
			return 0
		}
		n := sessionKey(t, session)
		return sqlite.QueryValue[int64](t, `INSERT INTO windows (session, owner) VALUES (?, ?) RETURNING id`, n, token)
	})
	if err != nil || lease == 0 {
		return err == nil, release, err
	}
	return false, sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		// If the row cannot be deleted, the lease ends with the window.
		_ = s.saveFast(ctx, "close the chat", func(t *tx) { t.Exec(`DELETE FROM windows WHERE id = ?`, lease) })
	}), nil
}

// LeasedByOthers returns the ids of the sessions leased by other living windows, in no particular order.
func (s *Store) LeasedByOthers(ctx context.Context) ([]string, error) {
	return inTx(ctx, s.view, "list the chats that other windows have open", s.leased)
}

func (s *Store) leased(t *tx) (sessions []string) {
	var owner, session string
	for range t.Rows([]any{&owner, &session}, `
		SELECT w.owner, s.id
		FROM windows w
		JOIN sessions s ON s.n = w.session
		WHERE w.owner <> ?`, s.owner.Token()) {
		if s.owner.Alive(owner) {
			sessions = append(sessions, session)
		}
	}
	return sessions
}
