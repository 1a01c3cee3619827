package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/session/store/sqlite"
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

// registerJSON is the value of a register that sets columns.
func registerJSON(columns []column) (string, error) {
	text, err := marshalColumns(columns)
	return string(text), err
}

// setRegisters keeps for the other machines that values of a session were set, which are in its row already. It raises
// Store.Changes.
func (s *Store) setRegisters(ctx context.Context, tx *sql.Tx, session int64, names ...string) error {
	for _, name := range names {
		if err := s.setRegister(ctx, tx, session, 0, name); err != nil {
			return err
		}
	}
	return raiseChanges(ctx, tx, session)
}

// sessionHolding is the key of a message's session.
func sessionHolding(ctx context.Context, tx *sql.Tx, message int64) (session int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT session FROM messages WHERE id = ?`, message).Scan(&session)
	return session, found(fmt.Sprintf("find message %d", message), err)
}

// setRegister stamps the value that a row has now.
func (s *Store) setRegister(ctx context.Context, tx *sql.Tx, session, item int64, name string) error {
	r := RegisterLine{Item: item, Name: name}
	var err error
	if r.Value, err = registerValue(ctx, tx, session, item, name); err != nil {
		return err
	}
	if r.Stamp, err = s.newID(ctx, tx); err != nil {
		return err
	}
	return putRegister(ctx, tx, session, r)
}

// putRegister stores a register in place of the one with an earlier stamp.
func putRegister(ctx context.Context, tx *sql.Tx, session int64, r RegisterLine) error {
	const same = `session = ? AND item = ? AND name = ?`
	err := execute(ctx, tx, `DELETE FROM untold WHERE id = (SELECT stamp FROM registers WHERE `+same+`)`,
		session, r.Item, r.Name)
	if err == nil {
		err = execute(ctx, tx, `DELETE FROM registers WHERE `+same, session, r.Item, r.Name)
	}
	if err != nil {
		return err
	}
	return insertRow(ctx, tx, "registers", &r, sql.Named("session", session))
}

// decision is what was decided about a message: Value is "" where it was taken back.
type decision struct {
	Value   string `json:"value,omitempty"`
	Created int64  `json:"created_ms,omitempty"`
}

// registerValue is the value of a register as JSON, as the rows have it.
func registerValue(ctx context.Context, tx *sql.Tx, session, item int64, name string) (string, error) {
	if sessionRegisters[name] != "" {
		row, err := sessionByKey(ctx, tx, session)
		if err != nil {
			return "", err
		}
		return registerJSON(registerColumns(&row, name))
	}
	if name == faultValue {
		var fault string
		if err := tx.QueryRowContext(ctx, `SELECT fault FROM messages WHERE id = ?`, item).Scan(&fault); err != nil {
			return "", err
		}
		text, err := marshalText(fault)
		return string(text), err
	}
	var d decision
	query := fmt.Sprintf("SELECT %s, created_ms FROM %s WHERE message = ?", name, decisionTables[name])
	err := tx.QueryRowContext(ctx, query, item).Scan(&d.Value, &d.Created)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	text, err := json.Marshal(d)
	return string(text), err
}

// errRegister says that a register holds what no program writes.
var errRegister = errors.New("a value in it cannot be")

// writeRegister sets what a register says in the rows.
func writeRegister(ctx context.Context, tx *sql.Tx, session int64, r RegisterLine) error {
	switch {
	case r.Name == faultValue:
		fault, err := unmarshalText([]byte(r.Value))
		if err != nil {
			return errRegister
		}
		return execute(ctx, tx, `UPDATE messages SET fault = ? WHERE id = ? AND session = ?`, fault, r.Item, session)
	case decisionTables[r.Name] != "":
		return writeDecision(ctx, tx, session, r)
	case sessionRegisters[r.Name] == "":
		return errRegister
	}
	var row SessionLine
	columns := registerColumns(&row, r.Name)
	if unmarshalColumns([]byte(r.Value), columns) != nil {
		return errRegister
	}
	if r.Name == tagsValue {
		return setTags(ctx, tx, session, row.Tags)
	}
	if r.Name == modelValue {
		// What another machine calls by the name of the endpoint is its business.
		err := execute(ctx, tx, `UPDATE sessions SET address = '' WHERE n = ? AND endpoint <> ?`, session, row.Endpoint)
		if err != nil {
			return err
		}
	}
	_, err := sqlite.Update(ctx, tx, "sessions", values(columns, 0), sql.Named("n", session))
	return err
}

// writeDecision sets what was decided about a message. Where the message is not here yet it waits in the register.
func writeDecision(ctx context.Context, tx *sql.Tx, session int64, r RegisterLine) error {
	var d decision
	if json.Unmarshal([]byte(r.Value), &d) != nil {
		return errRegister
	}
	known := d.Value == "" || history.Flag(d.Value) == history.Pin || history.Flag(d.Value) == history.Exclude
	if r.Name == remedyValue {
		known = d.Value == "" || slices.Contains(history.Remedies(), history.Remedy(d.Value))
	}
	if !known {
		return errRegister
	}
	table := decisionTables[r.Name]
	if err := execute(ctx, tx, "DELETE FROM "+table+" WHERE message = ?", r.Item); err != nil || d.Value == "" {
		return err
	}
	return execute(ctx, tx, fmt.Sprintf(`
		INSERT INTO %s (message, %s, created_ms)
		SELECT id, ?3, ?4
		FROM messages
		WHERE id = ?1 AND session = ?2`, table, r.Name), r.Item, session, d.Value, d.Created)
}

// mergeRegister sets a register where its stamp is greater than that of the one here, and reports whether it is.
func mergeRegister(ctx context.Context, tx *sql.Tx, session int64, r RegisterLine) (set bool, err error) {
	if (r.Item == 0) != (sessionRegisters[r.Name] != "") {
		return false, errRegister
	}
	var before RegisterLine
	here, err := readRows[RegisterLine](ctx, tx, "registers WHERE session = ? AND item = ? AND name = ?",
		session, r.Item, r.Name)
	if err != nil {
		return false, err
	}
	if len(here) > 0 {
		before = here[0]
	}
	later := r.Stamp > before.Stamp
	if r.Name == titleValue && before.Stamp != 0 && byUser(r) != byUser(before) {
		later = byUser(r) // an automatic title never replaces the user's
	}
	if !later {
		return false, nil
	}
	if r.Name != leafValue { // whose message may not be here: see settleLeaf
		if err := writeRegister(ctx, tx, session, r); err != nil {
			return false, err
		}
	}
	return true, putRegister(ctx, tx, session, r)
}

// byUser reports whether a title was given by the user.
func byUser(title RegisterLine) bool {
	var row SessionLine
	err := unmarshalColumns([]byte(title.Value), registerColumns(&row, titleValue))
	return err == nil && row.TitleFrom == TitleUser
}

// mergeWaiting sets what registers say of a message that came after them.
func mergeWaiting(ctx context.Context, tx *sql.Tx, session, message int64) error {
	waiting, err := readRows[RegisterLine](ctx, tx, "registers WHERE session = ? AND item = ?", session, message)
	for _, r := range waiting {
		if err := writeRegister(ctx, tx, session, r); err != nil {
			return err
		}
	}
	return err
}

// settleLeaf sets the end of a session's active branch to the newest message or, where it was chosen after that one was
// written, to the chosen one: the same on every machine that has the same rows.
func settleLeaf(ctx context.Context, tx *sql.Tx, session int64) error {
	return execute(ctx, tx, `
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
