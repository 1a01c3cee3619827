package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"

	"winnow/history"
	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"
)

// Dump passes everything that is kept of a session to take, line by line and all of one moment: every
// branch, what was sent for them and what was decided of them. It holds one line in memory at a
// time, however long the session is. Damaged rows come as they are stored, which Line says of them. An
// answer that still arrives comes as an interrupted one. An error of take ends it and comes back.
func (s *Store) Dump(ctx context.Context, session string, take func(Line) error) error {
	begun := false
	return s.view(ctx, "read the session", func(tx *sql.Tx) error {
		if begun {
			return errors.New("the reading was interrupted by another program")
		}
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		begun = true
		return dumpSession(ctx, tx, n, take)
	})
}

// dump hands out rows of the history as lines, in one transaction.
type dump struct {
	tx       *sql.Tx
	take     func(Line) error
	print    *printer
	attached map[int64][]byte // hashes of the attachments that were taken, by key
}

func newDump(tx *sql.Tx, take func(Line) error) *dump {
	return &dump{tx: tx, take: take, print: newPrinter(), attached: map[int64][]byte{}}
}

func dumpSession(ctx context.Context, tx *sql.Tx, session int64, take func(Line) error) error {
	// The context ends between two lines: the driver watches one that can end with a goroutine for every statement.
	stop := ctx.Err
	ctx = context.WithoutCancel(ctx)
	d := newDump(tx, func(l Line) error {
		if err := stop(); err != nil {
			return err
		}
		return take(l)
	})
	row, err := sessionLine(ctx, tx, session)
	if err == nil {
		err = unsentLines(ctx, tx, session, row)
	}
	if err != nil {
		return err
	}
	if err := d.take(Line{Session: row}); err != nil {
		return err
	}
	for _, rows := range []func() error{
		func() error { return d.messages(ctx, "session = ? ORDER BY id", session) },
		func() error { return d.requests(ctx, "session = ? ORDER BY id", session) },
		func() error {
			return sqlite.EachRow(ctx, tx, "repairs WHERE "+ofSession+" ORDER BY message, id",
				func(l *RepairLine) error { return d.take(Line{Repair: l}) }, session)
		},
		func() error { return d.summaries(ctx, "session = ? ORDER BY id", session) },
		func() error { return d.registers(ctx, "session = ? ORDER BY stamp", session) },
	} {
		if err := rows(); err != nil {
			return err
		}
	}
	return nil
}

// ofSession is the condition that a row's message is one of a session. It is asked of each row, because there
// are few of them and many messages.
const ofSession = "EXISTS (SELECT 1 FROM messages m WHERE m.id = message AND m.session = ?)"

// sessionLine reads a session's row and its tags.
func sessionLine(ctx context.Context, tx *sql.Tx, n int64) (*SessionLine, error) {
	var l *SessionLine
	err := sqlite.EachRow(ctx, tx, "sessions WHERE n = ?", func(row *SessionLine) error { l = row; return nil }, n)
	if err == nil && l == nil {
		err = &sqlite.Error{Doing: "read the session", Kind: ErrNotFound}
	}
	if err != nil {
		return nil, err
	}
	tags, err := tagsOf(ctx, tx, []int64{n})
	for _, tag := range tags[n] {
		l.Tags = append(l.Tags, Text(tag))
	}
	return l, err
}

// unsentLines adds the draft and the queue of a session to its line.
func unsentLines(ctx context.Context, tx *sql.Tx, n int64, l *SessionLine) error {
	err := sqlite.EachRow(ctx, tx, "drafts WHERE session = ?", func(row *DraftLine) error { l.Draft = row; return nil }, n)
	if err == nil {
		l.Queued, err = queuedLines(ctx, tx, n)
	}
	return err
}

func (d *dump) registers(ctx context.Context, where string, args ...any) error {
	return sqlite.EachRow(ctx, d.tx, "registers WHERE "+where, func(l *RegisterLine) error { return d.take(Line{Register: l}) }, args...)
}

func (d *dump) summaries(ctx context.Context, where string, args ...any) error {
	return sqlite.EachRow(ctx, d.tx, "summaries WHERE "+where, func(l *SummaryLine) error { return d.take(Line{Summary: l}) }, args...)
}

// requestRow is a request with its session.
type requestRow struct {
	RequestLine
	Session int64 `json:"-" db:"session"`
}

// requests passes on requests with their plans. One whose plan is damaged comes without it.
func (d *dump) requests(ctx context.Context, where string, args ...any) error {
	return sqlite.EachRow(ctx, d.tx, "requests WHERE "+where, func(row *requestRow) error {
		l := &row.RequestLine
		plan, err := verdicts.ReadChange(ctx, d.tx, verdicts.Key{Session: row.Session, Request: l.ID, Purpose: l.Purpose})
		if err != nil && !errors.Is(err, sqlite.ErrColumn) {
			return err
		}
		if err == nil {
			l.Plan = plan
		}
		return d.take(Line{Request: l})
	}, args...)
}

func (d *dump) messages(ctx context.Context, where string, args ...any) error {
	return sqlite.EachRow(ctx, d.tx, "messages WHERE "+where, func(row *messageRow) error { return d.message(ctx, row) }, args...)
}

// message passes on a message with its calls and parts, behind what the parts hold.
func (d *dump) message(ctx context.Context, row *messageRow) error {
	l := &row.MessageLine
	if l.Status == Text(history.Streaming) {
		l.Status = Text(history.Interrupted)
	}
	if row.Calls > 0 {
		err := sqlite.EachRow(ctx, d.tx, "tool_calls WHERE message = ? ORDER BY place", func(call *CallLine) error {
			l.ToolCalls = append(l.ToolCalls, *call)
			return nil
		}, l.ID)
		if err != nil {
			return err
		}
	}
	if row.PartCount > 0 {
		err := sqlite.EachRow(ctx, d.tx, "parts WHERE message = ? ORDER BY place", func(part *partRow) error {
			hash, err := d.attachment(ctx, part.Attachment)
			if errors.Is(err, sql.ErrNoRows) {
				return nil // The part's bytes are gone: the message fails its fingerprint and says so.
			}
			part.PartLine.Hash = hex.EncodeToString(hash)
			l.Parts = append(l.Parts, part.PartLine)
			return err
		}, l.ID)
		if err != nil {
			return err
		}
	}
	if string(d.print.line(l)) != row.Hash {
		l.Damaged = []byte(row.Hash)
	}
	return d.take(Line{Message: l})
}

// partRow is a part with the key of its bytes.
type partRow struct {
	PartLine
	Attachment int64 `db:"attachment"`
}

// attachment passes on the bytes of a part, once, and returns their hash.
func (d *dump) attachment(ctx context.Context, key int64) ([]byte, error) {
	if hash, attached := d.attached[key]; attached {
		return hash, nil
	}
	var hash []byte
	var l AttachmentLine
	err := d.tx.QueryRowContext(ctx, `
		SELECT
			hash,
			data
		FROM attachments
		WHERE id = ?`, key).Scan(&hash, &l.Data)
	if err != nil {
		return nil, err
	}
	d.attached[key] = hash
	l.Hash = hex.EncodeToString(hash)
	return hash, d.take(Line{Attachment: &l})
}
