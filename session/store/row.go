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

// messageColumns are what scan reads. Calls, parts and the place among siblings come from
// queries of their own, because few messages have them. The casts leave every byte as it is and save
// a copy: the driver hands bytes out as []byte, and a text as string.
const messageColumns = `
	m.id,
	m.session,
	m.seq,
	m.parent,
	m.role,
	m.status,
	m.created_ms,
	m.calls,
	m.parts,
	m.tokens,
	m.tokenizer,
	m.request,
	m.endpoint,
	m.model,
	m.finish_reason,
	m.label,
	CAST(m.name AS TEXT),
	CAST(m.tool_call_id AS TEXT),
	CAST(m.hash AS TEXT),
	m.extra,
	CAST(m.reasoning AS TEXT),
	CAST(m.content AS TEXT),
	m.alone,
	(SELECT count(*) FROM messages x WHERE x.session = m.session AND x.parent = m.parent)`

// row is a message as it is in the table.
type row struct {
	Message
	key   int64 // the session's short key
	calls int   // how many calls and parts it should have
	parts int
	hash  string
}

// scan reads rows, one after the other, into one set of targets. They are int64 and string, which is
// what the driver gives: any other type would be printed and parsed again. Both matter where a
// window of messages is read before the first frame.
type scan struct {
	row
	seq, nCalls, nParts, tokens, siblings int64
	role, status                          string
	targets                               []any
}

func newScan() *scan {
	s := &scan{}
	s.targets = []any{
		&s.ID, &s.key, &s.seq, &s.row.Parent, &s.role, &s.status, &s.CreatedMS, &s.nCalls, &s.nParts, &s.tokens,
		&s.Tokenizer, &s.Request, &s.Endpoint, &s.Model, &s.FinishReason, &s.Label, &s.Name, &s.ToolCallID,
		&s.hash, &s.Extra, &s.Reasoning, &s.Content, &s.Alone, &s.siblings,
	}
	return s
}

// next reads one row with the Scan of an *sql.Row or *sql.Rows.
func (s *scan) next(scan func(...any) error) (row, error) {
	if err := scan(s.targets...); err != nil {
		return row{}, err
	}
	r := s.row
	r.Role, r.Status = history.Role(s.role), history.Status(s.status)
	r.Seq, r.calls, r.parts, r.Tokens = int(s.seq), int(s.nCalls), int(s.nParts), int(s.tokens)
	r.Siblings, r.Sibling = int(s.siblings), 1
	return r, nil
}

// rowsWhere reads messages. condition is what follows WHERE in the query, in which a message is called m.
func rowsWhere(ctx context.Context, tx *sql.Tx, condition string, args ...any) ([]row, error) {
	return sqlite.Collect(ctx, tx, newScan().next, "SELECT"+messageColumns+" FROM messages m WHERE "+condition, args...)
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
	var withSiblings []int64
	for _, r := range rows {
		if r.Siblings > 1 {
			withSiblings = append(withSiblings, r.ID)
		}
	}
	places, err := placesOf(ctx, tx, withSiblings)
	if err != nil {
		return nil, err
	}
	out := make([]Message, len(rows))
	for i, r := range rows {
		m := r.Message
		m.Session = session
		if m.Siblings > 1 {
			m.Sibling = places[m.ID]
		}
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
// the message and belongs to nobody. The values keep their bytes.
func (m *Message) readExtra() {
	m.Origin = history.Origin{Endpoint: m.Endpoint, Model: m.Model}
	m.Replay = ""
	if len(m.Extra) == 0 {
		return
	}
	var extra struct {
		Message   json.RawMessage            `json:"message"`
		ToolCalls map[string]json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(m.Extra, &extra) != nil {
		return // Not a reply's: it is kept as it is and goes nowhere.
	}
	m.Replay = string(extra.Message)
	if len(extra.ToolCalls) == 0 {
		return
	}
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for place := range m.ToolCalls {
		m.ToolCalls[place].Replay = string(extra.ToolCalls[strconv.Itoa(place)])
	}
}
