package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"

	"winnow/history"
)

// messages hands out the messages of every branch, in the order in which they were stored.
func (d *dump) messages(ctx context.Context, stop func() error) error {
	rows, err := d.tx.QueryContext(ctx, `
		SELECT
			m.id,
			m.seq,
			m.parent,
			m.role,
			m.status,
			m.created_ms,
			m.calls,
			m.parts,
			m.tokens,
			m.tokenizer,
			coalesce((SELECT r.id FROM requests r WHERE r.id = m.request AND r.session = m.session), 0),
			m.endpoint,
			m.model,
			m.finish_reason,
			m.label,
			m.name,
			m.tool_call_id,
			m.hash,
			coalesce(m.extra, x''),
			m.reasoning,
			m.content,
			m.alone
		FROM messages m
		WHERE m.session = ?
		ORDER BY m.seq`, d.session)
	if err != nil {
		return err
	}
	defer rows.Close()
	print := newPrinter()
	for rows.Next() {
		if err := stop(); err != nil {
			return err
		}
		var l MessageLine
		var calls, parts int64
		var hash []byte
		err := rows.Scan(&l.ID, &l.Seq, &l.Parent, &l.Role, &l.Status, &l.Created, &calls, &parts, &l.Tokens, &l.Tokenizer,
			&l.Request, &l.Endpoint, &l.Model, &l.FinishReason, &l.Label, &l.Name, &l.ToolCallID, &hash, &l.Extra,
			&l.Reasoning, &l.Content, &l.Alone)
		if err != nil {
			return err
		}
		if l.Status == Text(history.Streaming) {
			l.Status = Text(history.Interrupted)
		}
		if err := d.callsAndParts(ctx, &l, calls > 0, parts > 0); err != nil {
			return err
		}
		if string(print.line(&l)) != string(hash) {
			l.Damaged = hash
		}
		if err := d.take(Line{Message: &l}); err != nil {
			return err
		}
	}
	return rows.Err()
}

// callsAndParts reads the calls and parts of a message that has some, and hands out what the parts hold.
func (d *dump) callsAndParts(ctx context.Context, l *MessageLine, calls, parts bool) error {
	if calls {
		of, err := callsOf(ctx, d.tx, []int64{l.ID})
		if err != nil {
			return err
		}
		for _, c := range of[l.ID] {
			l.ToolCalls = append(l.ToolCalls, CallLine{Text(c.ID), Text(c.Name), Text(c.Arguments)})
		}
	}
	if !parts {
		return nil
	}
	var err error
	l.Parts, err = d.parts(ctx, l.ID)
	return err
}

func (d *dump) parts(ctx context.Context, message int64) ([]PartLine, error) {
	rows, err := d.tx.QueryContext(ctx, `
		SELECT
			kind,
			name,
			media_type,
			tokens,
			attachment
		FROM parts
		WHERE message = ?
		ORDER BY place`, message)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var parts []PartLine
	for rows.Next() {
		var p PartLine
		var key int64
		if err := rows.Scan(&p.Kind, &p.Name, &p.MediaType, &p.Tokens, &key); err != nil {
			return nil, err
		}
		hash, err := d.attachment(ctx, key)
		if errors.Is(err, sql.ErrNoRows) {
			continue // A part whose bytes are gone: the message fails its fingerprint and says so.
		}
		if err != nil {
			return nil, err
		}
		p.Hash = hex.EncodeToString(hash)
		parts = append(parts, p)
	}
	return parts, rows.Err()
}

// line is the fingerprint of a message's line, as print takes it of a message.
func (p *printer) line(l *MessageLine) []byte {
	p.hash.Reset()
	for _, text := range []Text{l.Role, l.Name, l.Label, l.Content, l.Reasoning, l.ToolCallID, l.Extra} {
		p.field(string(text))
	}
	for _, c := range l.ToolCalls {
		p.field(string(c.ID))
		p.field(string(c.Name))
		p.field(string(c.Arguments))
	}
	for _, part := range l.Parts {
		hash, err := hex.DecodeString(part.Hash)
		if err != nil || len(hash) != sha256.Size {
			hash = nil
		}
		p.field(string(part.Kind))
		p.field(string(part.Name))
		p.field(string(part.MediaType))
		p.field(string(hash))
	}
	p.sum = p.hash.Sum(p.sum[:0])
	return p.sum
}
