package store

import (
	"context"
	"database/sql"

	"winnow/history"
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
	(SELECT count(*) FROM messages x WHERE x.session = m.session AND x.parent = m.parent)`

// row is a message as it stands in the table.
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
		&s.hash, &s.Extra, &s.Reasoning, &s.Content, &s.siblings,
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

// complete adds calls, parts and places to the rows and checks every one of them against its fingerprint.
// A damaged one comes quarantined and without its text: what may not be what was said is neither
// shown as said nor sent.
func complete(ctx context.Context, tx *sql.Tx, session string, rows []row) ([]Message, error) {
	var withCalls, withParts, withSiblings []int64
	for _, r := range rows {
		if r.Siblings > 1 {
			withSiblings = append(withSiblings, r.ID)
		}
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
	parts, err := partsOf(ctx, tx, withParts)
	if err != nil {
		return nil, err
	}
	places, err := placesOf(ctx, tx, withSiblings)
	if err != nil {
		return nil, err
	}
	hash := newPrinter()
	out := make([]Message, len(rows))
	for i, r := range rows {
		m := r.Message
		m.Session = session
		if m.Siblings > 1 {
			m.Sibling = places[m.ID]
		}
		m.ToolCalls = calls[m.ID]
		p := parts[m.ID]
		m.Parts = p.parts
		if p.damaged || len(m.ToolCalls) != r.calls || len(m.Parts) != r.parts ||
			string(hash.print(m, p.hashes)) != r.hash {
			m.Damaged, m.Status = true, history.Quarantined
			m.Content, m.Reasoning, m.ToolCalls, m.Parts, m.Extra = "", "", nil, nil, nil
			m.Name, m.ToolCallID = "", ""
		}
		m.bring()
		out[i] = m
	}
	return out, nil
}
