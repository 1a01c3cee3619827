package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// The registers whose names the code uses.
const (
	titleValue = "title"
	modelValue = "model"
	leafValue  = "leaf"

	flagValue   = "flag"
	remedyValue = "remedy"
	faultValue  = "fault"
)

// sessionRegisters are the registers of a session with the columns that they set.
var sessionRegisters = map[string]string{
	titleValue: "title title_from",
	"tags":     "tags",
	"pinned":   "pinned",
	"archived": "archived",
	"deleted":  "deleted_ms",
	modelValue: "endpoint model",
	"settings": "preset overrides",
	"system":   "system system_fixed",
	leafValue:  "leaf",
}

// Register is a value that can be set on several machines: of a session, or of one of its messages. The greatest
// stamp holds.
type Register struct {
	Stamp int64
	Item  int64 // a message, 0 for the session itself
	Name  string
	Value string // JSON
}

func (l *Register) columns() []column {
	return []column{
		{"id", &l.Stamp, 0},
		{"item", &l.Item, 0},
		{"name", &l.Name, 0},
		{"value", &l.Value, secret},
	}
}

// registerColumns are the columns of a session that a register sets.
func registerColumns(row *Session, name string) (out []column) {
	for _, c := range row.columns() {
		if slices.Contains(strings.Fields(sessionRegisters[name]), c.name) {
			c.use &^= local
			out = append(out, c)
		}
	}
	return out
}

// registerJSON is the value of a register of a session.
func registerJSON(t *tx, row *Session, name string) string {
	text, err := marshal(registerColumns(row, name))
	t.Fail(err)
	return string(text)
}

// setRegister sets a value of a session, or of one of its messages, and raises Session.Changes. value is JSON. Where
// the history is shared, the other machines are to be told.
func (s *Store) setRegister(t *tx, session, item int64, name, value string) {
	r := Register{Stamp: s.newID(t), Item: item, Name: name, Value: value}
	putRegister(t, session, r)
	t.Exec(`UPDATE sessions SET changes = changes + 1 WHERE n = ?`, session)
}

// sessionOfMessage is the key of a message's session, and fails with ErrNotFound where there is no such message.
func sessionOfMessage(t *tx, message int64) int64 {
	session := sqlite.Value[int64](t, `SELECT session FROM messages WHERE id = ?`, message)
	if session == 0 {
		t.notFound("find message %d", message)
	}
	return session
}

// putRegister stores a register where its stamp is greater than that of the one here, and reports whether it is. What
// it says of the session is set in its row, and what it says of a message is read from the register. An automatic title
// never replaces the user's, which replaces any of those.
func putRegister(t *tx, session int64, r Register) bool {
	rows := t.put("INSERT INTO registers", append(r.columns(), column{"session", session, 0}), `
		ON CONFLICT (session, item, name) DO UPDATE
		SET id = excluded.id, value = excluded.value
		WHERE iif(
			name = 'title' AND (value ->> 'title_from' IS 'user') <> (excluded.value ->> 'title_from' IS 'user'),
			excluded.value ->> 'title_from' IS 'user',
			excluded.id > id
		)`)
	var row Session
	columns := registerColumns(&row, r.Name)
	if rows == 0 || r.Item != 0 || unmarshal([]byte(r.Value), columns) != nil {
		return rows > 0
	}
	if r.Name == modelValue {
		// What another machine calls by the name of the endpoint is its business.
		t.Exec(`UPDATE sessions SET address = '' WHERE n = ? AND endpoint <> ?`, session, row.Endpoint)
	}
	t.update("sessions", columns, "n = ?", session)
	return true
}

// UserDecisions are what the user decided about the messages of a session, by message.
type UserDecisions struct {
	Flags    map[int64]history.Flag
	Remedies map[int64]history.Remedy // what is sent in place of damaged messages, where that is not their repair
}

// UserDecisions returns what the user decided about the messages of a session.
func (s *Store) UserDecisions(ctx context.Context, session string) (UserDecisions, error) {
	return withSession(ctx, s.view, "read the flags", session, func(t *tx, n int64) UserDecisions {
		d := UserDecisions{Flags: map[int64]history.Flag{}, Remedies: map[int64]history.Remedy{}}
		var message int64
		var name, of string
		for range t.Rows([]any{&message, &name, &of}, `
			SELECT item, name, value ->> '$'
			FROM registers
			WHERE session = ? AND item <> 0 AND value <> '""'`, n) {
			switch name {
			case flagValue:
				d.Flags[message] = history.Flag(of)
			case remedyValue:
				d.Remedies[message] = history.Remedy(of)
			}
		}
		return d
	})
}

// setDecisions keeps something about each of some messages, "" for nothing, or about none where one is not there, and has the
// other machines told. It returns what was kept before of those messages of which it is something else.
func setDecisions[T ~string](s *Store, t *tx, name string, of map[int64]T) map[int64]T {
	before := map[int64]T{}
	for message, now := range of {
		session := sessionOfMessage(t, message)
		was := sqlite.Value[T](t, `
			SELECT value ->> '$'
			FROM registers
			WHERE session = ? AND item = ? AND name = ?`, session, message, name)
		if was == now {
			continue
		}
		before[message] = was
		text, err := json.Marshal(now)
		t.Fail(err)
		s.setRegister(t, session, message, name, string(text))
	}
	return before
}

// SetFlags pins or excludes messages: each of them gets its flag, "" for none, or none does where one is
// not there. It returns the flags that were there before, "" for none, of those messages that have another
// one now: to set them again undoes it.
func (s *Store) SetFlags(ctx context.Context, flags map[int64]history.Flag) (map[int64]history.Flag, error) {
	return inTx(ctx, s.save, "flag the messages", func(t *tx) map[int64]history.Flag {
		return setDecisions(s, t, flagValue, flags)
	})
}

// SetRemedies keeps a remedy for some messages, or for none of them where one is not there; history.SendRepaired
// takes theirs away.
func (s *Store) SetRemedies(ctx context.Context, r history.Remedy, messages ...int64) error {
	if r == history.SendRepaired {
		r = ""
	}
	remedies := map[int64]history.Remedy{}
	for _, message := range messages {
		remedies[message] = r
	}
	return s.save(ctx, "keep the remedy", func(t *tx) { setDecisions(s, t, remedyValue, remedies) })
}

// SetFault keeps why a turn failed behind a message, as Message.Fault. It changes nothing that was said. The error is
// ErrNotFound where the message is gone.
func (s *Store) SetFault(ctx context.Context, message int64, fault string) error {
	return s.saveFast(ctx, "record why the turn failed", func(t *tx) {
		setDecisions(s, t, faultValue, map[int64]string{message: fault})
	})
}
