package store

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The registers whose names the code uses.
const (
	titleValue = "title"
	tagsValue  = "tags"
	modelValue = "model"
	leafValue  = "leaf"

	flagValue   = "flag"
	remedyValue = "remedy"
	faultValue  = "fault"
)

// sessionRegisters are the registers of a session with the columns that they set.
var sessionRegisters = map[string]string{
	titleValue: "title title_from",
	tagsValue:  "tags",
	"pinned":   "pinned",
	"archived": "archived",
	"deleted":  "deleted_ms",
	modelValue: "endpoint model",
	"settings": "preset overrides",
	"system":   "system system_fixed",
	leafValue:  "leaf",
}

// decisionTables are the tables with what was decided about messages, by register, which is the name of the column too.
var decisionTables = map[string]string{flagValue: "flags", remedyValue: "remedies"}

// RegisterLine is a value that can be set on several machines: of a session, or of one of its messages. The greatest
// stamp holds.
type RegisterLine struct {
	Stamp int64
	Item  int64 // a message, 0 for the session itself
	Name  string
	Value string // JSON
}

func (l *RegisterLine) columns() []column {
	return []column{
		{"stamp", &l.Stamp, 0},
		{"item", &l.Item, 0},
		{"name", &l.Name, 0},
		{"value", &l.Value, secretJSON},
	}
}

// registerColumns are the columns of a session that a register sets, or the one of that name.
func registerColumns(row *SessionLine, name string) (out []column) {
	wanted := strings.Fields(sessionRegisters[name])
	if len(wanted) == 0 {
		wanted = []string{name}
	}
	for _, c := range row.columns() {
		if slices.Contains(wanted, c.name) {
			out = append(out, column{name: c.name, in: c.in, use: c.use &^ local})
		}
	}
	return out
}

// registerJSON is the value of a register of a session.
func registerJSON(t *tx, row *SessionLine, name string) string {
	text, err := marshalColumns(registerColumns(row, name))
	t.fail(err)
	return string(text)
}

// setRegisters keeps for the other machines that values of a session were set, which are in its row already. It raises
// Store.Changes.
func (s *Store) setRegisters(t *tx, session int64, names ...string) {
	for _, name := range names {
		s.setRegister(t, session, 0, name)
	}
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

// setRegister stamps the value that a row has now.
func (s *Store) setRegister(t *tx, session, item int64, name string) {
	value := registerValue(t, session, item, name)
	putRegister(t, session, RegisterLine{Stamp: s.newID(t), Item: item, Name: name, Value: value})
}

// putRegister stores a register in place of the one with an earlier stamp.
func putRegister(t *tx, session int64, r RegisterLine) {
	const same = `session = ? AND item = ? AND name = ?`
	t.exec(`DELETE FROM untold WHERE id = (SELECT stamp FROM registers WHERE `+same+`)`, session, r.Item, r.Name)
	t.exec(`DELETE FROM registers WHERE `+same, session, r.Item, r.Name)
	t.insert("registers", r.columns(), sql.Named("session", session))
}

// registerValue is the value of a register as JSON, as the rows have it.
func registerValue(t *tx, session, item int64, name string) string {
	if sessionRegisters[name] != "" {
		row := sessionByKey(t, session)
		return registerJSON(t, &row, name)
	}
	query := `SELECT fault FROM messages WHERE id = ?`
	if table := decisionTables[name]; table != "" {
		query = "SELECT " + name + " FROM " + table + " WHERE message = ?"
	}
	text, err := marshalText(value[string](t, query, item))
	t.fail(err)
	return string(text)
}

// errRegister says that a register holds what no program writes.
var errRegister = errors.New("a value in it cannot be")

// writeRegister sets what a register says in the rows.
func writeRegister(t *tx, session int64, r RegisterLine) {
	var row SessionLine
	columns := registerColumns(&row, r.Name)
	switch {
	case r.Item != 0:
		text, err := unmarshalText([]byte(r.Value))
		if err != nil {
			t.fail(errRegister)
		}
		writeDecision(t, session, r.Item, r.Name, text)
	case sessionRegisters[r.Name] == "" || unmarshalColumns([]byte(r.Value), columns) != nil:
		t.fail(errRegister)
	case r.Name == tagsValue:
		setTags(t, session, row.Tags)
	default:
		if r.Name == modelValue {
			// What another machine calls by the name of the endpoint is its business.
			t.exec(`UPDATE sessions SET address = '' WHERE n = ? AND endpoint <> ?`, session, row.Endpoint)
		}
		t.update("sessions", columns, 0, sql.Named("n", session))
	}
}

// writeDecision sets what was decided about a message, "" for nothing. Where the message is not here yet it waits in
// the register.
func writeDecision(t *tx, session, message int64, name, decision string) {
	table := decisionTables[name]
	switch {
	case name == faultValue:
		t.exec(`UPDATE messages SET fault = ? WHERE id = ? AND session = ?`, decision, message, session)
	case table == "":
		t.fail(errRegister)
	default:
		t.exec("DELETE FROM "+table+" WHERE message = ?", message)
		t.exec(fmt.Sprintf(`
			INSERT INTO %s (message, %s)
			SELECT id, ?3
			FROM messages
			WHERE id = ?1 AND session = ?2 AND ?3 <> ''`, table, name), message, session, decision)
	}
}

// mergeRegister sets a register where its stamp is greater than that of the one here, and reports whether it is.
func mergeRegister(t *tx, session int64, r RegisterLine) bool {
	if (r.Item == 0) != (sessionRegisters[r.Name] != "") {
		t.fail(errRegister)
	}
	var before RegisterLine
	eachRow(t, "registers WHERE session = ? AND item = ? AND name = ?",
		func(here *RegisterLine) { before = *here }, session, r.Item, r.Name)
	later := r.Stamp > before.Stamp
	if r.Name == titleValue && before.Stamp != 0 && byUser(r) != byUser(before) {
		later = byUser(r) // an automatic title never replaces the user's
	}
	if !later || t.err != nil {
		return false
	}
	if r.Name != leafValue { // whose message may not be here: see settleLeaf
		writeRegister(t, session, r)
	}
	putRegister(t, session, r)
	return true
}

// byUser reports whether a title was given by the user.
func byUser(title RegisterLine) bool {
	var row SessionLine
	err := unmarshalColumns([]byte(title.Value), registerColumns(&row, titleValue))
	return err == nil && row.TitleFrom == TitleUser
}

// mergeWaiting sets what registers say of a message that came after them.
func mergeWaiting(t *tx, session, message int64) {
	for _, r := range readRows[RegisterLine](t, "registers WHERE session = ? AND item = ?", session, message) {
		writeRegister(t, session, r)
	}
}

// settleLeaf sets the end of a session's active branch to the newest message or, where it was chosen after that one was
// written, to the chosen one: the same on every machine that has the same rows.
func settleLeaf(t *tx, session int64) {
	t.exec(`
		WITH
			newest (id) AS (SELECT coalesce(max(id), 0) FROM messages WHERE session = ?1),
			chosen (id) AS (
				SELECT coalesce(value ->> '$.leaf', 0)
				FROM registers
				WHERE session = ?1 AND item = 0 AND name = 'leaf' AND stamp > (SELECT id FROM newest)
			)
		UPDATE sessions
		SET leaf = coalesce(
			(SELECT id FROM chosen WHERE id = 0 OR id IN (SELECT id FROM messages WHERE session = ?1)),
			(SELECT id FROM newest))
		WHERE n = ?1`, session)
}
