package store

import (
	"database/sql"
	"slices"
	"strings"
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
	raiseChanges(t, session)
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
	t.insert("registers", r.columns(), sql.Named("session", session))
}

// sameRegister are the registers of a name, of which there is one.
const sameRegister = `registers WHERE session = ? AND item = ? AND name = ?`

// writeRegister sets what a register of a session says in its row. What is said of a message is read from the register,
// but for its fault, which settleSession sets.
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
	var before Register
	for here := range each[Register](t, sameRegister, session, r.Item, r.Name) {
		before = *here
	}
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
