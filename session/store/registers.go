package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// The registers of a session, and those of one of its messages.
const (
	titleValue    = "title"
	tagsValue     = "tags"
	pinnedValue   = "pinned"
	archivedValue = "archived"
	deletedValue  = "deleted"
	modelValue    = "model"
	settingsValue = "settings"
	systemValue   = "system"
	leafValue     = "leaf"

	flagValue   = "flag"
	remedyValue = "remedy"
	faultValue  = "fault"
)

// registerColumns are the columns of a session's row that its registers set.
var registerColumns = map[string][]string{
	titleValue:    {"title", "title_from"},
	pinnedValue:   {"pinned"},
	archivedValue: {"archived"},
	deletedValue:  {"deleted_ms"},
	modelValue:    {"endpoint", "model"},
	settingsValue: {"preset", "overrides"},
	systemValue:   {"system", "system_fixed"},
	leafValue:     {"leaf"},
}

// decisionTables are the tables with what was decided about messages, by register, which is the name of the column too.
var decisionTables = map[string]string{flagValue: "flags", remedyValue: "remedies"}

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

// setDecision is setRegisters for what was decided about a message. It raises Store.Changes.
func (s *Store) setDecision(ctx context.Context, tx *sql.Tx, message int64, name string) error {
	session, err := sessionHolding(ctx, tx, message)
	if err != nil {
		return err
	}
	if err := s.setRegister(ctx, tx, session, message, name); err != nil {
		return err
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
	value, err := registerValue(ctx, tx, session, item, name)
	if err != nil {
		return err
	}
	stamp, err := s.newID(ctx, tx)
	if err != nil {
		return err
	}
	return putRegister(ctx, tx, session, RegisterLine{Stamp: stamp, Item: item, Name: name, Value: Text(value)})
}

// putRegister stores a register in place of the one with an earlier stamp.
func putRegister(ctx context.Context, tx *sql.Tx, session int64, r RegisterLine) error {
	err := execute(ctx, tx, `
		DELETE FROM untold
		WHERE id = (SELECT stamp FROM registers WHERE session = ? AND item = ? AND name = ?)`, session, r.Item, r.Name)
	if err != nil {
		return err
	}
	return execute(ctx, tx, `
		INSERT OR REPLACE INTO registers (stamp, session, item, name, value)
		VALUES (?, ?, ?, ?, ?)`, r.Stamp, session, r.Item, r.Name, string(r.Value))
}

// decision is what was decided about a message: Value is "" where it was taken back.
type decision struct {
	Value   string `json:"value,omitempty"`
	Created int64  `json:"created_ms,omitempty"`
}

// registerValue is the value of a register as JSON, as the rows have it.
func registerValue(ctx context.Context, tx *sql.Tx, session, item int64, name string) ([]byte, error) {
	switch {
	case name == tagsValue:
		tags, err := tagsOf(ctx, tx, []int64{session})
		if err != nil {
			return nil, err
		}
		texts := make([]Text, len(tags[session]))
		for i, tag := range tags[session] {
			texts[i] = Text(tag)
		}
		return json.Marshal(texts)
	case name == faultValue:
		var fault string
		if err := tx.QueryRowContext(ctx, `SELECT fault FROM messages WHERE id = ?`, item).Scan(&fault); err != nil {
			return nil, err
		}
		return json.Marshal(Text(fault))
	case decisionTables[name] != "":
		var d decision
		err := tx.QueryRowContext(ctx, fmt.Sprintf("SELECT %s, created_ms FROM %s WHERE message = ?", name, decisionTables[name]), item).
			Scan(&d.Value, &d.Created)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		return json.Marshal(d)
	}
	row := map[string]any{}
	for _, column := range registerColumns[name] {
		var value any
		if err := tx.QueryRowContext(ctx, "SELECT "+column+" FROM sessions WHERE n = ?", session).Scan(&value); err != nil {
			return nil, err
		}
		if text, is := value.(string); is {
			value = Text(text)
		}
		row[column] = value
	}
	return json.Marshal(row)
}

// errRegister says that a register holds what no program writes.
var errRegister = errors.New("a value in it cannot be")

// writeRegister sets what a register says in the rows.
func writeRegister(ctx context.Context, tx *sql.Tx, session int64, r RegisterLine) error {
	switch {
	case r.Name == tagsValue:
		var texts []Text
		if json.Unmarshal([]byte(r.Value), &texts) != nil {
			return errRegister
		}
		tags := make([]string, len(texts))
		for i, text := range texts {
			tags[i] = string(text)
		}
		return setTags(ctx, tx, session, tags)
	case r.Name == faultValue:
		var fault Text
		if json.Unmarshal([]byte(r.Value), &fault) != nil {
			return errRegister
		}
		return execute(ctx, tx, `UPDATE messages SET fault = ? WHERE id = ? AND session = ?`, string(fault), r.Item, session)
	case decisionTables[r.Name] != "":
		return writeDecision(ctx, tx, session, r)
	case registerColumns[r.Name] == nil:
		return errRegister
	}
	var row map[string]json.RawMessage
	if json.Unmarshal([]byte(r.Value), &row) != nil {
		return errRegister
	}
	var values []sql.NamedArg
	for _, column := range registerColumns[r.Name] {
		var number int64
		var text Text
		switch {
		case json.Unmarshal(row[column], &number) == nil:
			values = append(values, sql.Named(column, number))
		case json.Unmarshal(row[column], &text) == nil:
			values = append(values, sql.Named(column, string(text)))
		default:
			return errRegister
		}
	}
	if r.Name == modelValue {
		// What another machine calls by the name of the endpoint is its business.
		err := execute(ctx, tx, `UPDATE sessions SET address = '' WHERE n = ? AND endpoint <> ?`, session, values[0].Value)
		if err != nil {
			return err
		}
	}
	_, err := sqlite.Update(ctx, tx, "sessions", values, sql.Named("n", session))
	return err
}

// writeDecision sets what was decided about a message. Where the message is not here yet it waits in the register.
func writeDecision(ctx context.Context, tx *sql.Tx, session int64, r RegisterLine) error {
	var d decision
	if json.Unmarshal([]byte(r.Value), &d) != nil {
		return errRegister
	}
	takes := []string{"", string(history.Pin), string(history.Exclude)}
	if r.Name == remedyValue {
		takes = takes[:1]
		for _, remedy := range history.Remedies() {
			takes = append(takes, string(remedy))
		}
	}
	if !slices.Contains(takes, d.Value) {
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
		WHERE id = ?1
			AND session = ?2`, table, r.Name), r.Item, session, d.Value, d.Created)
}

// mergeRegister sets a register where its stamp is greater than that of the one here, and reports whether it is.
func mergeRegister(ctx context.Context, tx *sql.Tx, session int64, r RegisterLine) (set bool, err error) {
	if (r.Item == 0) != (registerColumns[r.Name] != nil || r.Name == tagsValue) {
		return false, errRegister
	}
	var before RegisterLine
	err = sqlite.EachRow(ctx, tx, "registers WHERE session = ? AND item = ? AND name = ?", func(l *RegisterLine) error {
		before = *l
		return nil
	}, session, r.Item, r.Name)
	if err != nil {
		return false, err
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
	var row struct {
		From TitleSource `json:"title_from"`
	}
	return json.Unmarshal([]byte(title.Value), &row) == nil && row.From == TitleUser
}

// mergeWaiting sets what registers say of a message that came after them.
func mergeWaiting(ctx context.Context, tx *sql.Tx, session, message int64) error {
	return sqlite.EachRow(ctx, tx, "registers WHERE session = ? AND item = ?", func(r *RegisterLine) error {
		return writeRegister(ctx, tx, session, *r)
	}, session, message)
}

// settleLeaf sets the end of a session's active branch to the newest message or, where it was chosen after that one was
// written, to the chosen one: the same on every machine that has the same rows.
func settleLeaf(ctx context.Context, tx *sql.Tx, session int64) error {
	return execute(ctx, tx, `
		WITH
			newest (id) AS (SELECT coalesce(max(id), 0) FROM messages WHERE session = ?1),
			chosen (id) AS (
				SELECT value ->> '$.leaf'
				FROM registers
				WHERE session = ?1
					AND item = 0
					AND name = 'leaf'
					AND stamp > (SELECT id FROM newest)
			)
		UPDATE sessions
		SET leaf = coalesce(
			(
				SELECT id
				FROM chosen
				WHERE id = 0
					OR id IN (SELECT id FROM messages WHERE session = ?1)
			),
			(SELECT id FROM newest))
		WHERE n = ?1`, session)
}
