package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"hash"

	"winnow/session/store/sqlite"
)

// Digest is the hex SHA-256 of all that the history holds of its sessions: every session with its
// settings, tags and draft, every message with its calls, parts and times, what was attached, flags,
// remedies, repairs, summaries and the records of requests. Row numbers do not count: two files with
// the same content have the same digest, in whichever order they got it.
//
// The history of prompts and what was learned about models belong to no session and are not in it.
func (s *Store) Digest(ctx context.Context) (string, error) {
	sum := sha256.New()
	err := s.view(ctx, "take the history's digest", func(tx *sql.Tx) error {
		sum.Reset()
		keys, err := idsWhere(ctx, tx, `
			SELECT n
			FROM sessions
			ORDER BY id`)
		if err != nil {
			return err
		}
		for _, n := range keys {
			d := NewDigester()
			if err := dumpSession(ctx, tx, n, d.Add); err != nil {
				return err
			}
			field(sum, []byte(d.Whole()))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// SessionIDs returns the ids of all sessions, those in the trash and archived included, in their order.
func (s *Store) SessionIDs(ctx context.Context) ([]string, error) {
	var ids []string
	err := s.view(ctx, "list the sessions", func(tx *sql.Tx) error {
		var err error
		ids, err = sqlite.Collect(ctx, tx, sqlite.Only[string], `
			SELECT id
			FROM sessions
			ORDER BY id`)
		return err
	})
	return ids, err
}

// Digester takes the digests of one session from its lines, in their order.
type Digester struct {
	sum, said hash.Hash
	id        [2]string // the session's own and its parent's
	print     *printer
	shift     Shift
	messages  int64
}

// NewDigester returns a Digester for one session.
func NewDigester() *Digester {
	return &Digester{sum: sha256.New(), said: sha256.New(), print: newPrinter()}
}

// Add takes the next line. The first one is the session's.
func (d *Digester) Add(l Line) error {
	switch {
	case l.Session != nil:
		s := *l.Session
		d.shift = Shift{1 - s.FirstMessage, 1 - s.FirstRequest, 1 - s.FirstSummary}
		d.id = [2]string{s.ID, s.Parent}
		s.ID, s.Parent = "", ""
		l = Line{Session: &s}
	case l.Message != nil:
		d.messages++
		d.hear(l.Message)
	}
	l, err := d.shift.relative(l)
	if err != nil {
		return err
	}
	text, err := marshal(l)
	if err != nil {
		return err
	}
	field(d.sum, text)
	return nil
}

// relative is a line with its ids moved, in the one form that all lines have that say the same.
func (s Shift) relative(l Line) (Line, error) {
	switch {
	case l.Request != nil:
		r := *l.Request
		r.Options = s.record(r.Options)
		if text, ok := s.verdicts(r.Plan); ok {
			r.Plan = text
		}
		r.ID, r.User = moved(r.ID, s.Requests), moved(r.User, s.Messages)
		return Line{Request: &r}, nil
	case l.Attachment != nil:
		// What it is called by is not trusted: bytes that are damaged have another hash.
		sum := sha256.Sum256(l.Attachment.Data)
		return Line{Attachment: &AttachmentLine{Hash: l.Attachment.Hash, Data: sum[:]}}, nil
	}
	return s.Line(l)
}

// Sum is the hex digest of all lines so far but for the session's own id and its parent's: a session that
// was brought in under another id is still the same.
func (d *Digester) Sum() string { return hex.EncodeToString(d.sum.Sum(nil)) }

// Whole is the hex digest of all lines so far.
func (d *Digester) Whole() string {
	sum := sha256.New()
	for _, part := range []string{d.id[0], d.id[1], d.Sum()} {
		field(sum, []byte(part))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Said is the hex digest of who said what, in which order and on which branches, and nothing beside:
// a session that went on since has it among the messages that it began with. Messages says of how many
// it is.
func (d *Digester) Said() string { return hex.EncodeToString(d.said.Sum(nil)) }

// Messages is the number of messages so far.
func (d *Digester) Messages() int64 { return d.messages }

func (d *Digester) hear(l *MessageLine) {
	print := l.Damaged
	if print == nil {
		print = d.print.line(l)
	}
	hear(d.said, l.Seq, moved(l.Parent, d.shift.Messages), print)
}

// hear adds a message to the digest of what was said.
func hear(said hash.Hash, seq, parent int64, print []byte) {
	field(said, binary.LittleEndian.AppendUint64(nil, uint64(seq)))
	field(said, binary.LittleEndian.AppendUint64(nil, uint64(parent)))
	field(said, print)
}

// heard is Digester.Said of the first messages of a stored session, "" where it has fewer.
func heard(ctx context.Context, tx *sql.Tx, session, messages int64) (string, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT
			seq,
			parent,
			hash,
			(SELECT min(id) FROM messages WHERE session = ?1)
		FROM messages
		WHERE session = ?1
		ORDER BY seq
		LIMIT ?2`, session, messages)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	sum := sha256.New()
	count := int64(0)
	for rows.Next() {
		var seq, parent, first int64
		var print []byte
		if err := rows.Scan(&seq, &parent, &print, &first); err != nil {
			return "", err
		}
		hear(sum, seq, moved(parent, 1-first), print)
		count++
	}
	if err := rows.Err(); err != nil || count < messages {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// digestOf is the digest of a stored session.
func digestOf(ctx context.Context, tx *sql.Tx, session int64) (string, error) {
	d := NewDigester()
	err := dumpSession(ctx, tx, session, d.Add)
	return d.Sum(), err
}

// field adds bytes after their length, so that what moves from one field to the next is noticed.
func field(sum hash.Hash, data []byte) {
	sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(data))))
	sum.Write(data)
}
