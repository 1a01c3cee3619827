package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"winnow/history"
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
	t.fail(err)
	return string(text)
}

// setRegister sets a value of a session, or of one of its messages, and raises Store.Changes. value is JSON. Where the
// history is shared, the other machines are to be told.
func (s *Store) setRegister(t *tx, session, item int64, name, value string) {
	r := Register{Stamp: s.newID(t), Item: item, Name: name, Value: value}
	writeRegister(t, session, r)
	putRegister(t, session, r)
	t.exec(`UPDATE sessions SET changes = changes + 1 WHERE n = ?`, session)
}

// sessionHolding is the key of a message's session, and fails with ErrNotFound where there is no such message.
func sessionHolding(t *tx, message int64) int64 {
	session := value[int64](t, `SELECT session FROM messages WHERE id = ?`, message)
	if session == 0 {
		t.missing("find message %d", message)
	}
	return session
}

// putRegister stores a register in place of the one with an earlier stamp.
func putRegister(t *tx, session int64, r Register) {
	t.exec(`DELETE FROM untold WHERE id = (SELECT id FROM `+sameRegister+`)`, session, r.Item, r.Name)
	t.exec(`DELETE FROM `+sameRegister, session, r.Item, r.Name)
	t.put("INSERT INTO registers", r.columns(), sql.Named("session", session))
}

// sameRegister are the registers of a name, of which there is one.
const sameRegister = `registers WHERE session = ? AND item = ? AND name = ?`

// writeRegister sets what a register of a session says in its row. What is said of a message is read from the register.
func writeRegister(t *tx, session int64, r Register) {
	var row Session
	columns := registerColumns(&row, r.Name)
	if r.Item != 0 || unmarshal([]byte(r.Value), columns) != nil {
		return
	}
	if r.Name == modelValue {
		// What another machine calls by the name of the endpoint is its business.
		t.exec(`UPDATE sessions SET address = '' WHERE n = ? AND endpoint <> ?`, session, row.Endpoint)
	}
	t.update("sessions", columns, 0, sql.Named("n", session))
}

// mergeRegister sets a register where its stamp is greater than that of the one here, and reports whether it is.
func mergeRegister(t *tx, session int64, r Register) bool {
	before := first[Register](t, sameRegister, session, r.Item, r.Name)
	later := r.Stamp > before.Stamp
	if r.Name == titleValue && before.Stamp != 0 && byUser(r) != byUser(before) {
		later = byUser(r) // an automatic title never replaces the user's
	}
	if !later {
		return false
	}
	putRegister(t, session, r)
	if r.Name != leafValue { // whose message may not be here: see settleSession
		writeRegister(t, session, r)
	}
	return true
}

// byUser reports whether a title was given by the user.
func byUser(title Register) bool {
	var row Session
	return unmarshal([]byte(title.Value), registerColumns(&row, titleValue)) == nil && row.TitleFrom == TitleUser
}

// Decisions are what the user decided about the messages of a session, by message.
type Decisions struct {
	Flags    map[int64]history.Flag
	Remedies map[int64]history.Remedy // what is sent in place of damaged messages, where that is not their repair
}

// Decisions returns what the user decided about the messages of a session.
func (s *Store) Decisions(ctx context.Context, session string) (Decisions, error) {
	return withSession(ctx, s.view, "read the flags", session, func(t *tx, n int64) Decisions {
		d := Decisions{Flags: map[int64]history.Flag{}, Remedies: map[int64]history.Remedy{}}
		var message int64
		var name, of string
		for range t.rows([]any{&message, &name, &of}, `
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

// decide keeps what was decided about a message, "" for nothing, and has the other machines told.
func (s *Store) decide(t *tx, message int64, name, of string) {
	s.setRegister(t, sessionHolding(t, message), message, name, strconv.Quote(of))
}

// SetFlags pins or excludes messages: each of them gets its flag, "" for none, or none does where one is
// not there. It returns the flags that were there before, "" for none, of those messages that have another
// one now: to set them again undoes it.
func (s *Store) SetFlags(ctx context.Context, flags map[int64]history.Flag) (map[int64]history.Flag, error) {
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
// takes theirs away.
func (s *Store) SetRemedies(ctx context.Context, r history.Remedy, messages ...int64) error {
	if !slices.Contains(history.Remedies(), r) {
		return fmt.Errorf("set the remedy of messages %v: there is no remedy %q", messages, r)
	}
	decision := ""
	if r != history.SendRepaired {
		decision = string(r)
	}
	return s.save(ctx, "keep the remedy", func(t *tx) {
		for _, message := range messages {
			s.decide(t, message, remedyValue, decision)
		}
	})
}

// RepairCount is how many faults of one kind the messages of a model had.
type RepairCount struct {
	Endpoint string // "" where the messages were imported
	Model    string
	Kind     string // C1 to C15
	Faults   int
}

// RepairCounts counts all repairs that requests held by the model that wrote the message, or the call that a tool's
// result belongs to, and by kind.
func (s *Store) RepairCounts(ctx context.Context) ([]RepairCount, error) {
	return inTx(ctx, s.view, "count the repairs", func(t *tx) (all []RepairCount) {
		var c RepairCount
		for range t.rows([]any{&c.Endpoint, &c.Model, &c.Kind, &c.Faults},
			`SELECT endpoint, model, kind, faults FROM repair_counts`) {
			all = append(all, c)
		}
		return all
	})
}
