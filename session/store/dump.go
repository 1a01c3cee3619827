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

// dump is the reading of one session. Its context ends between two lines: the driver watches one that
// can end with a goroutine for every statement.
type dump struct {
	tx       *sql.Tx
	take     func(Line) error
	print    *printer
	session  int64
	plans    *verdicts.Sweep
	requests map[int64]bool   // those that were taken
	attached map[int64][]byte // the hashes of the attachments that were taken, by key
}

func dumpSession(ctx context.Context, tx *sql.Tx, session int64, take func(Line) error) error {
	stop := ctx.Err
	ctx = context.WithoutCancel(ctx)
	plans, err := verdicts.NewSweep(ctx, tx, session)
	if err != nil {
		return err
	}
	defer plans.Close()
	d := dump{tx: tx, session: session, plans: plans, print: newPrinter(), requests: map[int64]bool{}, attached: map[int64][]byte{}}
	d.take = func(l Line) error {
		if err := stop(); err != nil {
			return err
		}
		return take(l)
	}
	row, err := sessionLine(ctx, tx, session)
	if err != nil {
		return err
	}
	if err := d.take(Line{Session: row}); err != nil {
		return err
	}
	for _, lines := range []func() error{
		func() error { return d.requestLines(ctx) },
		func() error {
			return sqlite.EachRow(ctx, tx, "messages WHERE session = ? ORDER BY seq",
				func(row *messageRow) error { return d.message(ctx, row) }, session)
		},
		func() error {
			return sqlite.EachRow(ctx, tx, "repairs WHERE "+ofSession+" ORDER BY message, id",
				func(l *RepairLine) error { return d.take(Line{Repair: l}) }, session)
		},
		func() error {
			return sqlite.EachRow(ctx, tx, "flags WHERE "+ofSession+" ORDER BY message",
				func(l *FlagLine) error { return d.take(Line{Flag: l}) }, session)
		},
		func() error {
			return sqlite.EachRow(ctx, tx, "remedies WHERE "+ofSession+" ORDER BY message",
				func(l *RemedyLine) error { return d.take(Line{Remedy: l}) }, session)
		},
		func() error {
			return sqlite.EachRow(ctx, tx, "summaries WHERE session = ? ORDER BY id",
				func(l *SummaryLine) error { return d.take(Line{Summary: l}) }, session)
		},
	} {
		if err := lines(); err != nil {
			return err
		}
	}
	return nil
}

// ofSession is the condition that a row's message is one of a session. It is asked of each row, because there
// are few of them and many messages.
const ofSession = "EXISTS (SELECT 1 FROM messages m WHERE m.id = message AND m.session = ?)"

// sessionLine reads a session's row, its tags, its draft and its queue.
func sessionLine(ctx context.Context, tx *sql.Tx, n int64) (*SessionLine, error) {
	var l *SessionLine
	err := sqlite.EachRow(ctx, tx, "sessions WHERE n = ?", func(row *SessionLine) error { l = row; return nil }, n)
	if err != nil {
		return nil, err
	}
	err = sqlite.EachRow(ctx, tx, "drafts WHERE session = ?", func(row *DraftLine) error { l.Draft = row; return nil }, n)
	if err != nil {
		return nil, err
	}
	if l.Queued, err = queuedLines(ctx, tx, n); err != nil {
		return nil, err
	}
	tags, err := tagsOf(ctx, tx, []int64{n})
	if err != nil {
		return nil, err
	}
	for _, tag := range tags[n] {
		l.Tags = append(l.Tags, Text(tag))
	}
	err = tx.QueryRowContext(ctx, `
		SELECT
			iif(s.forked_at < 0, -s.forked_at, coalesce((
				SELECT m.seq
				FROM sessions p
				JOIN messages m ON m.session = p.n AND m.id = s.forked_at
				WHERE p.id = s.parent), 0)),
			(SELECT coalesce(min(id), 0) FROM messages WHERE session = s.n),
			(SELECT coalesce(min(id), 0) FROM requests WHERE session = s.n),
			(SELECT coalesce(min(id), 0) FROM summaries WHERE session = s.n)
		FROM sessions s
		WHERE s.n = ?`, n).Scan(&l.ForkedAt, &l.FirstMessage, &l.FirstRequest, &l.FirstSummary)
	return l, err
}

// requestRow is a request with the columns that its line does not have.
type requestRow struct {
	RequestLine
	verdicts.Record
}

// requests passes on the requests. One whose record is damaged comes without its plan.
func (d *dump) requestLines(ctx context.Context) error {
	read := sqlite.RowScan[requestRow]()
	return sqlite.Each(ctx, d.tx, func(scan func(...any) error) error {
		row, err := read(scan)
		if err != nil && !errors.Is(err, sqlite.ErrColumn) {
			return err
		}
		l := &row.RequestLine
		d.requests[l.ID] = true
		if err == nil && row.Sum != nil {
			l.Plan, err = d.plans.Packed(verdicts.Key{Session: d.session, Request: l.ID, Purpose: l.Purpose}, row.Record)
			if err != nil {
				return err
			}
		}
		return d.take(Line{Request: l})
	}, "SELECT "+sqlite.Columns[requestRow]("r")+" FROM requests r WHERE session = ? ORDER BY id", d.session)
}

// message passes on a message with its calls and parts, behind what the parts hold.
func (d *dump) message(ctx context.Context, row *messageRow) error {
	l := &row.MessageLine
	if l.Status == Text(history.Streaming) {
		l.Status = Text(history.Interrupted)
	}
	if !d.requests[l.Request] {
		l.Request = 0 // it was purged, or is another session's
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
