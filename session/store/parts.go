package store

import (
	"context"
	"crypto/sha256"
	"database/sql"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// insertCallsAndParts stores the calls and parts of a message, whose bytes have these keys, at their places.
func insertCallsAndParts(ctx context.Context, tx *sql.Tx, message int64, l MessageLine, attachments []int64) error {
	insert := func(table string, place int, row any) error {
		_, err := sqlite.InsertRow(ctx, tx, table, row, sql.Named("message", message), sql.Named("place", place))
		return err
	}
	for i, call := range l.ToolCalls {
		if err := insert("tool_calls", i, call); err != nil {
			return err
		}
	}
	for i, part := range l.Parts {
		if err := insert("parts", i, partRow{part, attachments[i]}); err != nil {
			return err
		}
	}
	return nil
}

// callsOf returns the calls of these messages, in order.
func callsOf(ctx context.Context, tx *sql.Tx, messages []int64) (map[int64][]history.ToolCall, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	calls := map[int64][]history.ToolCall{}
	err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		var id int64
		var c history.ToolCall
		err := scan(&id, &c.ID, &c.Name, &c.Arguments)
		calls[id] = append(calls[id], c)
		return err
	}, `
		SELECT
			message,
			call_id,
			name,
			arguments
		FROM tool_calls
		WHERE message IN (SELECT value FROM json_each(?))
		ORDER BY message, place`, sqlite.IDs(messages))
	return calls, err
}

// bytesOf returns what a part is stored as.
func bytesOf(p history.Part) []byte {
	if p.Kind == history.TextPart {
		return []byte(p.Text)
	}
	return p.Data
}

// attach stores the parts' bytes, each once however often it is attached, and returns their keys
// and hashes.
func attach(ctx context.Context, tx *sql.Tx, parts []history.Part) (keys []int64, hashes [][]byte, err error) {
	for _, p := range parts {
		data := bytesOf(p)
		hash := sha256.Sum256(data)
		key, err := attachBytes(ctx, tx, hash[:], data)
		if err != nil {
			return nil, nil, err
		}
		keys, hashes = append(keys, key), append(hashes, hash[:])
	}
	return keys, hashes, nil
}

// attachBytes stores bytes under a hash and returns their key. Where other bytes stand under it already,
// those that have the hash are kept: a good copy repairs every message with a damaged one.
func attachBytes(ctx context.Context, tx *sql.Tx, hash, data []byte) (key int64, err error) {
	if data == nil {
		data = []byte{}
	}
	is := sha256.Sum256(data)
	result, err := tx.ExecContext(ctx, `
		INSERT INTO attachments (hash, data)
		VALUES (?1, ?2)
		ON CONFLICT (hash) DO UPDATE
		SET data = ?2
		WHERE ?3
			AND data <> ?2`, hash, data, string(is[:]) == string(hash))
	if err != nil {
		return 0, err
	}
	written, err := result.RowsAffected()
	if err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `
		SELECT id
		FROM attachments
		WHERE hash = ?`, hash).Scan(&key)
	if err != nil || written == 0 {
		return key, err
	}
	messages, err := idsWhere(ctx, tx, `
		SELECT message
		FROM parts
		WHERE attachment = ?`, key)
	if err != nil {
		return 0, err
	}
	// While they were damaged they had no words to find.
	return key, indexStored(ctx, tx, messages)
}

// storedParts are the parts of one message, with the hashes of their bytes.
type storedParts struct {
	parts   []history.Part
	hashes  [][]byte
	damaged bool // bytes that were read fail their hash
}

// partsOf returns the parts of these messages, those that are no texts with their bytes only where
// images is true.
func partsOf(ctx context.Context, tx *sql.Tx, messages []int64, images bool) (map[int64]storedParts, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	all := map[int64]storedParts{}
	err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		var id int64
		var p history.Part
		var hash, data []byte
		if err := scan(&id, &p.Kind, &p.Name, &p.MediaType, &p.Tokens, &hash, &data); err != nil {
			return err
		}
		of := all[id]
		if p.Kind == history.TextPart || images {
			is := sha256.Sum256(data)
			of.damaged = of.damaged || string(is[:]) != string(hash)
		}
		if p.Kind == history.TextPart {
			p.Text = string(data)
		} else {
			p.Data = data
		}
		of.parts, of.hashes = append(of.parts, p), append(of.hashes, hash)
		all[id] = of
		return nil
	}, `
		SELECT
			p.message,
			p.kind,
			p.name,
			p.media_type,
			p.tokens,
			a.hash,
			CASE WHEN p.kind = 'text' OR ?2 THEN a.data END
		FROM parts p
		JOIN attachments a ON a.id = p.attachment
		WHERE p.message IN (SELECT value FROM json_each(?1))
		ORDER BY p.message, p.place`, sqlite.IDs(messages), images)
	return all, err
}
