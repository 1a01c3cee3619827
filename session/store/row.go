package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strconv"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// messageRow is a message as the table has it. Its calls and parts are rows of their own.
type messageRow struct {
	MessageLine
	Session   int64  `db:"session"` // the session's short key
	Seq       int64  `db:"seq"`     // its place in the session, from 1
	Calls     int    `db:"calls"`   // how many calls and parts it should have
	PartCount int    `db:"parts"`
	Hash      string `db:"hash,blob"`
}

// rowOf is the row of a message of a session. hashes are those of its parts.
func rowOf(session int64, m Message, hashes [][]byte) messageRow {
	r := messageRow{
		MessageLine: MessageLine{
			ID: m.ID, Parent: m.Parent, Role: Text(m.Role), Status: Text(m.Status), Created: m.CreatedMS,
			Tokens: int64(m.Tokens), Tokenizer: Text(m.Tokenizer), Request: m.Request, Endpoint: Text(m.Endpoint), Model: Text(m.Model),
			FinishReason: Text(m.FinishReason), Label: Text(m.Label), Name: Text(m.Name), ToolCallID: Text(m.ToolCallID),
			Content: Text(m.Content), Reasoning: Text(m.Reasoning), Alone: m.Alone, Fault: Text(m.Fault), Extra: Text(m.Extra),
		},
		Session: session, Seq: int64(m.Seq), Calls: len(m.ToolCalls), PartCount: len(m.Parts), Hash: string(fingerprint(m, hashes)),
	}
	for _, c := range m.ToolCalls {
		r.ToolCalls = append(r.ToolCalls, CallLine{Text(c.ID), Text(c.Name), Text(c.Arguments)})
	}
	for _, p := range m.Parts {
		r.Parts = append(r.Parts, PartLine{Kind: Text(p.Kind), Name: Text(p.Name), MediaType: Text(p.MediaType), Tokens: int64(p.Tokens)})
	}
	return r
}

// message is the message of a line, without the bytes of its parts.
func (l *MessageLine) message() Message {
	m := Message{
		Message: history.Message{
			ID: l.ID, Role: history.Role(l.Role), Status: history.Status(l.Status), CreatedMS: l.Created, Tokens: int(l.Tokens),
			Label: string(l.Label), Name: string(l.Name), ToolCallID: string(l.ToolCallID), Content: string(l.Content), Reasoning: string(l.Reasoning),
		},
		Parent: l.Parent, Tokenizer: string(l.Tokenizer), Request: l.Request, Endpoint: string(l.Endpoint), Model: string(l.Model),
		FinishReason: string(l.FinishReason), Alone: l.Alone, Fault: string(l.Fault),
	}
	if l.Extra != "" {
		m.Extra = []byte(l.Extra)
	}
	for _, c := range l.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, history.ToolCall{ID: string(c.ID), Name: string(c.Name), Arguments: string(c.Arguments)})
	}
	for _, p := range l.Parts {
		m.Parts = append(m.Parts, history.Part{Kind: history.PartKind(p.Kind), Name: string(p.Name), MediaType: string(p.MediaType), Tokens: int(p.Tokens)})
	}
	return m
}

// row is a message with what tells whether it is whole.
type row struct {
	Message
	key   int64 // the session's short key
	calls int   // how many calls and parts it should have
	parts int
	hash  string
}

// readRows reads messages. from is what follows FROM in the query, in which a message is called m.
func readRows(ctx context.Context, tx *sql.Tx, from string, args ...any) ([]row, error) {
	var siblings int64 // how many there are, and in the lower half the message's place among them
	read := sqlite.RowScan[messageRow](&siblings)
	return sqlite.Collect(ctx, tx, func(scan func(...any) error) (row, error) {
		r, err := read(scan)
		m := r.message()
		m.Seq = int(r.Seq)
		m.Siblings, m.Sibling = int(siblings>>32), int(siblings&(1<<32-1))
		return row{m, r.Session, r.Calls, r.PartCount, r.Hash}, err
	}, `
		SELECT
			(SELECT count(*) << 32 | sum(x.id <= m.id) FROM messages x WHERE x.session = m.session AND x.parent = m.parent),
			`+sqlite.Columns[messageRow]("m")+`
		FROM `+from, args...)
}

// rowsWhere reads messages. condition is what follows WHERE in the query, in which a message is called m.
func rowsWhere(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]row, error) {
	return readRows(ctx, tx, "messages m WHERE "+condition, args...)
}

// assemble adds their calls and parts to the rows, and returns of each whether it fails its fingerprint. images
// is whether parts that are no texts come with their bytes, and are checked.
func assemble(ctx context.Context, tx *sql.Tx, rows []row, images bool) (damaged []bool, err error) {
	var withCalls, withParts []int64
	for _, r := range rows {
		if r.calls > 0 {
			withCalls = append(withCalls, r.ID)
		}
		if r.parts > 0 {
			withParts = append(withParts, r.ID)
		}
	}
	calls, err := callsOf(ctx, tx, withCalls)
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(ctx, tx, withParts, images)
	if err != nil {
		return nil, err
	}
	hash := newPrinter()
	damaged = make([]bool, len(rows))
	for i := range rows {
		r := &rows[i]
		p := parts[r.ID]
		r.ToolCalls, r.Parts = calls[r.ID], p.parts
		damaged[i] = p.damaged || len(r.ToolCalls) != r.calls || len(r.Parts) != r.parts ||
			string(hash.print(r.Message, p.hashes)) != r.hash
	}
	return damaged, nil
}

// complete assembles the rows and adds their places. A damaged one comes quarantined and without its text:
// what may not be what was said is neither shown as said nor sent.
func complete(ctx context.Context, tx *sql.Tx, session string, rows []row) ([]Message, error) {
	damaged, err := assemble(ctx, tx, rows, true)
	if err != nil {
		return nil, err
	}
	out := make([]Message, len(rows))
	for i, r := range rows {
		m := r.Message
		m.Session = session
		if damaged[i] {
			m.Damaged, m.Status, m.Remains = true, history.Quarantined, m.Content
			m.Content, m.Reasoning, m.ToolCalls, m.Parts, m.Extra = "", "", nil, nil, nil
			m.Name, m.ToolCallID = "", ""
		}
		m.readExtra()
		out[i] = m
	}
	return out, nil
}

// readExtra sets what a message's row says of the reply beside the text: who wrote it, and the keys
// that only its server understands. Extra has those in one object: under message the keys of the
// message, under tool_calls those of each call by its place from 0, and under chunk what came beside
// the message and belongs to nobody. The values keep their bytes. The result of a recall has under read_again the
// positions of the messages that it holds.
func (m *Message) readExtra() {
	m.Origin = history.Origin{Endpoint: m.Endpoint, Model: m.Model}
	m.Replay, m.ReadAgain = "", nil
	if len(m.Extra) == 0 {
		return
	}
	var extra struct {
		Message   json.RawMessage            `json:"message"`
		ToolCalls map[string]json.RawMessage `json:"tool_calls"`
		ReadAgain []int                      `json:"read_again"`
	}
	if json.Unmarshal(m.Extra, &extra) != nil {
		return // Not a reply's: it is kept as it is and goes nowhere.
	}
	m.Replay = string(extra.Message)
	if m.Role == history.Tool {
		m.ReadAgain = extra.ReadAgain
	}
	if len(extra.ToolCalls) == 0 {
		return
	}
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for place := range m.ToolCalls {
		m.ToolCalls[place].Replay = string(extra.ToolCalls[strconv.Itoa(place)])
	}
}
