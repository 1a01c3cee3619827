package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"winnow/history"
)

// Flags returns what the user decided about the messages of a session, by message.
func (s *Store) Flags(ctx context.Context, session string) (map[int64]history.Flag, error) {
	return decisions[history.Flag](ctx, s, session, flagValue)
}

// Remedies returns what the user had sent in place of the damaged messages of a session, by message.
// Messages whose repair is sent are not among them.
func (s *Store) Remedies(ctx context.Context, session string) (map[int64]history.Remedy, error) {
	return decisions[history.Remedy](ctx, s, session, remedyValue)
}

// decisions reads what the user decided about messages of a session, by message.
func decisions[T ~string](ctx context.Context, s *Store, session, name string) (map[int64]T, error) {
	return withSession(ctx, s.view, "read the "+name+"s", session, func(t *tx, n int64) map[int64]T {
		decided := map[int64]T{}
		t.each(func(scan func(...any) error) error {
			var message int64
			var decision T
			err := scan(&message, &decision)
			decided[message] = decision
			return err
		}, `SELECT item, value ->> '$' FROM registers WHERE session = ? AND name = ? AND value <> '""'`, n, name)
		return decided
	})
}

// decide keeps what was decided about a message, "" for nothing, and has the other machines told.
func (s *Store) decide(t *tx, message int64, name, of string) {
	s.setRegister(t, sessionHolding(t, message), message, name, strconv.Quote(of))
}

// SetFlags pins or excludes messages: each of them gets its flag, "" for none, or none does where one is
// not there. It returns the flags that were there before, "" for none, of those messages that have another
// one now: to set them again undoes it.
func (s *Store) SetFlags(ctx context.Context, flags map[int64]history.Flag) (map[int64]history.Flag, error) {
	for message, flag := range flags {
		if !slices.Contains([]history.Flag{history.Pin, history.Exclude, ""}, flag) {
			return nil, fmt.Errorf("flag message %d: there is no flag %q", message, flag)
		}
	}
	return inTx(ctx, s.save, "flag the messages", func(t *tx) map[int64]history.Flag {
		before := map[int64]history.Flag{}
		for message, flag := range flags {
			was := value[history.Flag](t, `
				SELECT value ->> '$'
				FROM registers
				WHERE session = ? AND item = ? AND name = ?`, sessionHolding(t, message), message, flagValue)
			if was != flag {
				before[message] = was
				s.decide(t, message, flagValue, string(flag))
			}
		}
		return before
	})
}

// SetRemedies keeps a remedy for some messages, or for none of them where one is not there; history.SendRepaired
// takes theirs away. Recorded repairs of these messages are undone by any other remedy.
func (s *Store) SetRemedies(ctx context.Context, r history.Remedy, messages ...int64) error {
	if !slices.Contains(history.Remedies(), r) {
		return fmt.Errorf("set the remedy of messages %v: there is no remedy %q", messages, r)
	}
	return s.save(ctx, "keep the remedy", func(t *tx) {
		for _, message := range messages {
			undone := r != history.SendRepaired
			decision := ""
			if undone {
				decision = string(r)
			}
			s.decide(t, message, remedyValue, decision)
			t.exec(`UPDATE repairs SET undone = ? WHERE message = ?`, undone, message)
		}
	})
}
