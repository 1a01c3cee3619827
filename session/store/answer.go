package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// StartAnswer stores an answer that is about to arrive, with the status streaming and without calls
// or parts: those come with FinishAnswer. It becomes the session's leaf and belongs to this store
// until FinishAnswer makes it whole, or Close or the end of the program leaves it interrupted.
func (s *Store) StartAnswer(ctx context.Context, m Message) (Message, error) {
	doing := "begin the answer"
	if s.readOnly {
		return Message{}, s.refused(doing)
	}
	token, err := s.owner.Take(ctx)
	if err != nil {
		return Message{}, err
	}
	m.Status, m.ToolCalls, m.Parts = history.Streaming, nil, nil
	return inTx(ctx, s.jot, doing, func(tx *sql.Tx) (Message, error) { return s.append(ctx, tx, m, token) })
}

// Checkpoint stores what has arrived of a streaming answer so far, whole each time. It survives the
// end of the program at once, and a power cut a moment later. It returns ErrNotStreamed where the
// answer is not one of this store's, or is finished.
func (s *Store) Checkpoint(ctx context.Context, id int64, content, reasoning string) error {
	token, err := s.mine(id)
	if err != nil {
		return err
	}
	return s.jot(ctx, "keep what arrived", func(tx *sql.Tx) error {
		m, err := streamed(ctx, tx, id, token)
		if err != nil {
			return err
		}
		m.Content, m.Reasoning = content, reasoning
		// Calls come with the end of an answer, never before it.
		_, err = sqlite.Update(ctx, tx, "messages", []sql.NamedArg{
			sql.Named("status", history.Streaming),
			sql.Named("hash", newPrinter().print(&MessageLine{Message: m})),
			sql.Named("reasoning", []byte(reasoning)),
			sql.Named("content", []byte(content)),
		}, sql.Named("id", id))
		return err
	})
}

// FinishAnswer stores the answer as it ended, with its calls and parts, and the receipt of its
// request, in one transaction. An empty status is complete. A request without an ID is added, one
// without a session is left out. It is an error where the role is not the one that the answer began with.
//
// The session's leaf stays where it is: the user may have switched branches meanwhile.
func (s *Store) FinishAnswer(ctx context.Context, m Message, r Request) (Message, error) {
	doing := "save the answer"
	m = s.cleanMessage(m)
	token, err := s.mine(m.ID)
	if err != nil {
		return Message{}, err
	}
	switch m.Status {
	case "":
		m.Status = history.Complete
	case history.Streaming:
		return Message{}, fmt.Errorf("%s: message %d cannot end as streaming", doing, m.ID)
	}
	return inTx(ctx, s.save, doing, func(tx *sql.Tx) (Message, error) {
		begun, err := streamed(ctx, tx, m.ID, token)
		if err != nil {
			return Message{}, err
		}
		if m.Role != begun.Role {
			return Message{}, fmt.Errorf("message %d began as %q and cannot end as %q", m.ID, begun.Role, m.Role)
		}
		m := m
		if r.Session != "" {
			kept, err := s.putRequest(ctx, tx, &newestPlan{}, r)
			if err != nil {
				return Message{}, err
			}
			m.Request = kept.ID
		}
		if err := finishMessage(ctx, tx, m); err != nil {
			return Message{}, err
		}
		out, err := message(ctx, tx, m.ID)
		if err != nil {
			return Message{}, err
		}
		n, err := sessionKey(ctx, tx, out.Session)
		if err != nil {
			return Message{}, err
		}
		return out, s.use(ctx, tx, n)
	})
}

func finishMessage(ctx context.Context, tx *sql.Tx, m Message) error {
	l := MessageLine{Message: m}
	keys, err := l.attach(ctx, tx)
	if err != nil {
		return err
	}
	_, err = sqlite.Update(ctx, tx, "messages", values(l.columns(), fixed), sql.Named("id", m.ID)) // nobody owns it now
	if err != nil {
		return err
	}
	return l.insertContent(ctx, tx, keys)
}

// mine returns this store's token, or ErrNotStreamed where it streams nothing at all.
func (s *Store) mine(id int64) (string, error) {
	doing := fmt.Sprintf("save answer %d", id)
	if s.readOnly {
		return "", s.refused(doing)
	}
	token := s.owner.Token()
	if token == "" {
		return "", &sqlite.Error{Doing: doing, Kind: ErrNotStreamed}
	}
	return token, nil
}

// streamed returns the small fields of an answer that the owner of a token still streams. One that
// was taken for dead by mistake counts as well: the owner knows better. Its words leave the index until
// it ends.
func streamed(ctx context.Context, tx *sql.Tx, id int64, token string) (Message, error) {
	m := Message{}
	err := tx.QueryRowContext(ctx, `
		SELECT
			status,
			role,
			name,
			label,
			tool_call_id,
			extra
		FROM messages
		WHERE id = ?
			AND owner = ?
			AND status IN ('streaming', 'interrupted')`, id, token).
		Scan(&m.Status, &m.Role, &m.Name, &m.Label, &m.ToolCallID, &m.Extra)
	if errors.Is(err, sql.ErrNoRows) {
		return m, &sqlite.Error{Doing: fmt.Sprintf("save answer %d", id), Kind: ErrNotStreamed}
	}
	if err != nil || m.Status == history.Streaming {
		return m, err
	}
	return m, unindex(ctx, tx, []int64{id})
}

// interruptDead marks answers as interrupted whose program died while they arrived, and returns how many
// there were. Open does it; a window that meets an answer that stopped growing may do it again. An
// owner that was taken for dead by mistake, as on a network disk without locks, takes its
// answer back at its next checkpoint.
func (s *Store) interruptDead(ctx context.Context) (int, error) {
	doing := "look for unfinished answers"
	owners, err := inTx(ctx, s.view, doing, func(tx *sql.Tx) ([]string, error) {
		return sqlite.Collect(ctx, tx, sqlite.Only[string], `
			SELECT DISTINCT owner
			FROM messages
			WHERE status = 'streaming'`)
	})
	if err != nil {
		return 0, explain(doing, s.path, err)
	}
	var dead []string
	for _, token := range owners {
		if !s.owner.Alive(token) {
			dead = append(dead, token)
		}
	}
	s.owner.Sweep()
	if len(dead) == 0 {
		return 0, nil
	}
	return inTx(ctx, s.save, doing, func(tx *sql.Tx) (int, error) {
		cut := 0
		for _, token := range dead {
			n, err := interrupt(ctx, tx, token)
			if err != nil {
				return 0, err
			}
			cut += n
		}
		return cut, nil
	})
}

// interrupt marks the unfinished answers of one owner as interrupted. They are whole then, as far as they
// go, and can be found.
func interrupt(ctx context.Context, tx *sql.Tx, token string) (int, error) {
	ids, err := idsWhere(ctx, tx, `
		UPDATE messages
		SET status = ?
		WHERE status = 'streaming' AND owner = ?
		RETURNING id`, history.Interrupted, token)
	if err != nil {
		return 0, fmt.Errorf("mark answers as interrupted: %w", err)
	}
	return len(ids), indexStored(ctx, tx, ids)
}

// disown interrupts what this store still streams, leaves its sessions and gives its lock back.
func (s *Store) disown(ctx context.Context) error {
	token := s.owner.Token()
	if token == "" {
		return nil
	}
	defer s.owner.Release()
	return s.save(ctx, "keep the unfinished answer", func(tx *sql.Tx) error {
		if _, err := interrupt(ctx, tx, token); err != nil {
			return err
		}
		return endLeases(ctx, tx, token)
	})
}
