package store

import (
	"context"
	"crypto/sha256"
	"database/sql"

	"winnow/history"
)

// sought is a stored message as the index and a search see it: with its findable text, and without the
// bytes of its images, which cost a search much and tell it nothing.
type sought struct {
	Message
	session int64  // its session's short key
	text    string // as stored, even where it is damaged
	damaged bool   // what was said fails its fingerprint
}

// soughtMessages reads these messages in the order of their ids. Those that are gone are left out.
func soughtMessages(ctx context.Context, tx *sql.Tx, ids []int64) ([]sought, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := readRows(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
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
	parts, err := textsOf(ctx, tx, withParts)
	if err != nil {
		return nil, err
	}
	hash := newPrinter()
	out := make([]sought, len(rows))
	for i, r := range rows {
		m := r.Message
		m.ToolCalls = calls[m.ID]
		p := parts[m.ID]
		m.Parts = p.parts
		damaged := p.damaged || len(m.ToolCalls) != r.calls || len(m.Parts) != r.parts || string(hash.print(m, p.hashes)) != r.hash
		out[i] = sought{Message: m, session: r.key, text: findable(m.Message), damaged: damaged}
	}
	return out, nil
}

func readRows(ctx context.Context, tx *sql.Tx, ids []int64) ([]row, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT`+messageColumns+`
		FROM messages m
		WHERE m.id IN (SELECT value FROM json_each(?))
		ORDER BY m.id`, list(ids))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []row
	scan := newScan()
	for rows.Next() {
		r, err := scan.next(rows.Scan)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// textsOf is partsOf with the bytes of the text parts alone.
func textsOf(ctx context.Context, tx *sql.Tx, messages []int64) (map[int64]storedParts, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	rows, err := tx.QueryContext(ctx, `
		SELECT
			p.message,
			p.kind,
			p.name,
			p.media_type,
			a.hash,
			CASE p.kind WHEN 'text' THEN a.data END
		FROM parts p
		JOIN attachments a ON a.id = p.attachment
		WHERE p.message IN (SELECT value FROM json_each(?))
		ORDER BY p.message, p.place`, list(messages))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int64]storedParts{}
	for rows.Next() {
		var id int64
		var p history.Part
		var hash, data []byte
		if err := rows.Scan(&id, &p.Kind, &p.Name, &p.MediaType, &hash, &data); err != nil {
			return nil, err
		}
		of := all[id]
		if p.Kind == history.TextPart {
			p.Text = string(data)
			is := sha256.Sum256(data)
			of.damaged = of.damaged || string(is[:]) != string(hash)
		}
		of.parts, of.hashes = append(of.parts, p), append(of.hashes, hash)
		all[id] = of
	}
	return all, rows.Err()
}
