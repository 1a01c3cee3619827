package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Names of registers.
const (
	titleValue = "title"
	modelValue = "model"
	leafValue  = "leaf"

	flagValue   = "flag"
	remedyValue = "remedy"
	faultValue  = "fault"
)

// sessionRegisters maps the registers of a session to the columns that they set.
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

// Register is a value of a session or a message that can be set on several machines. The value with the greatest stamp
// wins.
type Register struct {
	Stamp int64 // when it was set: an id from the hybrid clock, see newID
	Item  int64 // the message, 0 for the session itself
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

// registerColumns returns the columns of row that the named register sets.
func registerColumns(row *Session, name string) (out []column) {
	for _, c := range row.columns() {
		if slices.Contains(strings.Fields(sessionRegisters[name]), c.name) {
			c.use &^= local
			out = append(out, c)
		}
	}
	return out
}

// registerJSON returns the value of a session's register.
func registerJSON(t *tx, row *Session, name string) string {
	text, err := marshal(registerColumns(row, name))
	t.Fail(err)
	return string(text)
}

// setRegister sets a register of a session or a message to a JSON value, increments Session.Changes and, if the history
// is synced, queues the register for sync.
func (s *Store) setRegister(t *tx, session, item int64, name, value string) {
	r := Register{Stamp: s.newID(t), Item: item, Name: name, Value: value}
	putRegister(t, session, r)
	t.Exec(`UPDATE sessions SET changes = changes + 1 WHERE n = ?`, session)
}

// sessionOfMessage returns the session key of a message. It fails with ErrNotFound if there is no such message.
func sessionOfMessage(t *tx, message int64) int64 {
	session := sqlite.QueryValue[int64](t, `SELECT session FROM messages WHERE id = ?`, message)
	if session == 0 {
		t.notFound("find message %d", message)
	}
	return session
}

// putRegister stores a register if its stamp is greater than that of the stored one, and reports whether it did. A
// register of the session also sets the columns of the session's row. A title set by the user always replaces an
// automatic one and is never replaced by one.
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
		// On another machine the same endpoint name may stand for another address.
		t.Exec(`UPDATE sessions SET address = '' WHERE n = ? AND endpoint <> ?`, session, row.Endpoint)
	}
	t.update("sessions", columns, "n = ?", session)
	return true
}

// UserDecisions holds the user's flags and remedies for the messages of a session, by message id.
type UserDecisions struct {
	Flags    map[int64]history.Flag
	Remedies map[int64]history.Remedy // what is sent instead of the automatic repair
}

// UserDecisions returns the user's flags and remedies for the messages of a session.
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

// setDecisions stores a decision for each message, "" for none, and queues it for sync. It returns the previous
// decisions of the messages whose decision changed. If one of the messages does not exist, nothing is stored.
func setDecisions[T ~string](s *Store, t *tx, name string, of map[int64]T) map[int64]T {
	before := map[int64]T{}
	for message, now := range of {
		session := sessionOfMessage(t, message)
		was := sqlite.QueryValue[T](t, `
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

// SetFlags pins, excludes or unflags messages by id; the flag "" is none. If one of the messages does not exist, it
// changes nothing. It returns the previous flags of the messages whose flag changed; passing them to SetFlags undoes
// the change.
func (s *Store) SetFlags(ctx context.Context, flags map[int64]history.Flag) (map[int64]history.Flag, error) {
	return inTx(ctx, s.save, "flag the messages", func(t *tx) map[int64]history.Flag {
		return setDecisions(s, t, flagValue, flags)
	})
}

// SetRemedies sets the remedy of messages; history.SendRepaired removes it. If one of the messages does not exist, it
// changes nothing.
func (s *Store) SetRemedies(ctx context.Context, r history.Remedy, messages ...int64) error {
	if r == history.SendRepaired {
		r = ""
	}
	remedies := map[int64]history.Remedy{}
	for _, message := range messages {
		remedies[message] = r
	}
	return s.save(ctx, "save the remedy", func(t *tx) { setDecisions(s, t, remedyValue, remedies) })
}

// SetFault stores why the turn after a message failed, as Message.Fault. The error is ErrNotFound if the message does
// not exist.
func (s *Store) SetFault(ctx context.Context, message int64, fault string) error {
	return s.saveFast(ctx, "record why the turn failed", func(t *tx) {
		setDecisions(s, t, faultValue, map[int64]string{message: fault})
	})
}
