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

// StartAnswer stores an answer that is about to arrive, with the status streaming and without calls
// or parts: those come with FinishAnswer. It becomes the session's leaf and belongs to this store
// until FinishAnswer makes it whole, or Close or the end of the program leaves it interrupted.
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

// SavePartialAnswer stores what has arrived of a streaming answer so far, whole each time. It survives the
// end of the program at once, and a power cut a moment later. It returns ErrNotStreamed where the
// answer is not one of this store's, or is finished.
func (s *Store) SavePartialAnswer(ctx context.Context, id int64, content, reasoning string) error {
	return s.saveFast(ctx, "keep what arrived", func(t *tx) {
		m := s.streamed(t, id)
		m.Content, m.Reasoning = content, reasoning
		// Calls come with the end of an answer, never before it.
		t.Exec(`UPDATE messages SET status = ?, hash = ?, reasoning = ?, content = ? WHERE id = ?`,
			history.Streaming, m.fingerprint(), []byte(reasoning), []byte(content), id)
	})
}

// FinishAnswer stores the answer as it ended, with its calls and parts, and the receipt of its
// request, in one transaction. An empty status is complete, and a request without an ID is none.
//
// The session's leaf stays where it is: the user may have switched branches meanwhile.
func (s *Store) FinishAnswer(ctx context.Context, m Message, r Request) (Message, error) {
	m = m.Redacted(s.clean)
	m.Status = cmp.Or(m.Status, history.Complete)
	return inTx(ctx, s.save, "save the answer", func(t *tx) Message {
		begun := s.streamed(t, m.ID)
		m.owner = "" // nobody owns it now
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

// streamed returns an answer that this store still streams, or fails with ErrNotStreamed. One that was taken for dead
// by mistake counts as well: its owner knows better. Its words leave the index until it ends.
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

// interruptDead marks answers as interrupted whose program died while they arrived, and returns how many
// there were.
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

// interrupt marks the unfinished answers of one owner as interrupted, ends its leases and returns how many answers
// there were. They are whole then, as far as they go, and can be found.
func interrupt(t *tx, token string) int {
	ids := sqlite.List[int64](t, `UPDATE messages SET status = ? WHERE status = 'streaming' AND owner = ? RETURNING id`,
		history.Interrupted, token)
	indexStored(t, ids)
	t.Exec(`DELETE FROM windows WHERE owner = ?`, token)
	return len(ids)
}

// interruptOwn interrupts what this store still streams, leaves its sessions and gives its lock back.
func (s *Store) interruptOwn(ctx context.Context) error {
	token := s.owner.Token()
	if token == "" {
		return nil
	}
	err := s.save(ctx, "keep the unfinished answer", func(t *tx) { interrupt(t, token) })
	s.owner.Release()
	return err
}

// A session that is open in two windows would grow two ends without anybody wanting it. So a window that
// opens a session to write in it takes a lease: a row in the file with the window's owner token. A lease is
// valid as long as its owner holds its lock: a window that died keeps nobody out.

// Lease takes the lease of a session for this store's window, so that other windows do not write in it by
// mistake. leased is true where another living window has it already; then nothing is taken, and release
// does nothing. A store may take a lease several times; it ends when the last of them is released, or when
// the store is closed.
//
// Nothing else in the store depends on it: whoever writes without a lease is not held up.
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
	lease, err := inTx(ctx, s.saveFast, "take the session for this window", func(t *tx) int64 {
		if slices.Contains(s.leased(t), session) {
			return 0
		}
		n := sessionKey(t, session)
		return sqlite.Value[int64](t, `INSERT INTO windows (session, owner) VALUES (?, ?) RETURNING id`, n, token)
	})
	if err != nil || lease == 0 {
		return err == nil, release, err
	}
	return false, sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		// A row that cannot be removed ends with the window.
		_ = s.saveFast(ctx, "let go of the session", func(t *tx) { t.Exec(`DELETE FROM windows WHERE id = ?`, lease) })
	}), nil
}

// LeasedByOthers lists the ids of the sessions that other living windows have leased, in no order.
func (s *Store) LeasedByOthers(ctx context.Context) ([]string, error) {
	return inTx(ctx, s.view, "look which sessions other windows have open", s.leased)
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
