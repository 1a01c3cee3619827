package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
)

// Dump hands out everything that is kept of a session, line by line and all of one moment: every
// branch, what was sent for them and what was decided of them. It holds one line in memory at a
// time, however long the session is. Damaged rows come as they stand, which Line says of them. An
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
		return (&dump{tx: tx, session: n, take: take}).all(ctx)
	})
}

// dump is the reading of one session. Its context ends between two lines: the driver watches one that
// can end with a goroutine for every statement.
type dump struct {
	tx      *sql.Tx
	session int64
	take    func(Line) error
	given   map[[sha256.Size]byte]bool // the attachments that were handed out
}

func (d *dump) all(ctx context.Context) error {
	d.given = map[[sha256.Size]byte]bool{}
	stop := ctx.Err
	ctx = context.WithoutCancel(ctx)
	row, err := sessionLine(ctx, d.tx, d.session)
	if err != nil {
		return err
	}
	if err := d.take(Line{Session: row}); err != nil {
		return err
	}
	for _, kind := range []func(context.Context, func() error) error{
		d.requests, d.messages, d.repairs, d.flags, d.remedies, d.summaries,
	} {
		if err := kind(ctx, stop); err != nil {
			return err
		}
	}
	return nil
}

// each hands out a line for every row of a query about the session.
func (d *dump) each(ctx context.Context, stop func() error, query string, line func(scan func(...any) error) (Line, error)) error {
	rows, err := d.tx.QueryContext(ctx, query, d.session)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := stop(); err != nil {
			return err
		}
		l, err := line(rows.Scan)
		if err != nil {
			return err
		}
		if err := d.take(l); err != nil {
			return err
		}
	}
	return rows.Err()
}

// sessionLine reads a session's row, its tags and its draft.
func sessionLine(ctx context.Context, tx *sql.Tx, n int64) (*SessionLine, error) {
	var l SessionLine
	var draft DraftLine
	var drafted bool
	err := tx.QueryRowContext(ctx, `
		SELECT
			s.id,
			s.title,
			s.title_from,
			s.created_ms,
			s.updated_ms,
			s.used,
			s.leaf,
			s.parent,
			iif(s.forked_at < 0, -s.forked_at, coalesce((
				SELECT m.seq
				FROM sessions p
				JOIN messages m ON m.session = p.n AND m.id = s.forked_at
				WHERE p.id = s.parent), 0)),
			s.pinned,
			s.archived,
			s.deleted_ms,
			s.endpoint,
			s.model,
			s.preset,
			s.dir,
			s.overrides,
			s.system,
			s.system_fixed,
			s.source,
			s.origin,
			d.session IS NOT NULL,
			coalesce(d.updated_ms, 0),
			coalesce(d.text, x''),
			coalesce(d.files, ''),
			(SELECT coalesce(min(id), 0) FROM messages WHERE session = s.n),
			(SELECT coalesce(min(id), 0) FROM requests WHERE session = s.n),
			(SELECT coalesce(min(id), 0) FROM summaries WHERE session = s.n)
		FROM sessions s
		LEFT JOIN drafts d ON d.session = s.n
		WHERE s.n = ?`, n).
		Scan(&l.ID, &l.Title, &l.TitleFrom, &l.Created, &l.Updated, &l.Used, &l.Leaf, &l.Parent, &l.ForkedAt,
			&l.Pinned, &l.Archived, &l.Deleted, &l.Endpoint, &l.Model, &l.Preset, &l.Dir, &l.Overrides, &l.System, &l.Fixed,
			&l.Source, &l.Origin, &drafted, &draft.Updated, &draft.Text, &draft.Files,
			&l.FirstMessage, &l.FirstRequest, &l.FirstSummary)
	if err != nil {
		return nil, err
	}
	if drafted {
		l.Draft = &draft
	}
	tags, err := tagsOf(ctx, tx, []int64{n})
	for _, tag := range tags[n] {
		l.Tags = append(l.Tags, Text(tag))
	}
	return &l, err
}

func (d *dump) requests(ctx context.Context, stop func() error) error {
	return d.each(ctx, stop, `
		SELECT
			id,
			turn,
			user,
			created_ms,
			endpoint,
			model,
			rules,
			tokenizer,
			estimate,
			body_hash,
			prompt_tokens,
			cached_tokens,
			answer_tokens,
			reasoning_tokens,
			cost_nano,
			cost_from,
			first_token_us,
			took_us,
			retries,
			finish,
			ended,
			error,
			coalesce(options, x''),
			plan,
			purpose,
			cut_expected
		FROM requests
		WHERE session = ?
		ORDER BY id`, func(scan func(...any) error) (Line, error) {
		var l RequestLine
		err := scan(&l.ID, &l.Turn, &l.User, &l.Created, &l.Endpoint, &l.Model, &l.Rules, &l.Tokenizer, &l.Estimate,
			&l.BodyHash, &l.Prompt, &l.Cached, &l.Answer, &l.Reasoning, &l.Cost, &l.CostFrom, &l.FirstToken, &l.Took,
			&l.Retries, &l.Finish, &l.Ended, &l.Error, &l.Options, &l.Plan, &l.Purpose, &l.CutExpected)
		return Line{Request: &l}, err
	})
}

func (d *dump) repairs(ctx context.Context, stop func() error) error {
	return d.each(ctx, stop, `
		SELECT
			r.message,
			r.kind,
			r.before_hash,
			r.what,
			r.sent,
			r.rules,
			r.first_ms,
			r.last_ms,
			r.undone
		FROM repairs r
		CROSS JOIN messages m ON m.id = r.message
		WHERE m.session = ?
		ORDER BY r.message, r.id`, func(scan func(...any) error) (Line, error) {
		var l RepairLine
		err := scan(&l.Message, &l.Kind, &l.Before, &l.What, &l.Sent, &l.Rules, &l.First, &l.Last, &l.Undone)
		return Line{Repair: &l}, err
	})
}

func (d *dump) flags(ctx context.Context, stop func() error) error {
	return d.each(ctx, stop, `
		SELECT
			f.message,
			f.flag,
			f.created_ms
		FROM flags f
		CROSS JOIN messages m ON m.id = f.message
		WHERE m.session = ?
		ORDER BY f.message`, func(scan func(...any) error) (Line, error) {
		var l FlagLine
		err := scan(&l.Message, &l.Flag, &l.Created)
		return Line{Flag: &l}, err
	})
}

func (d *dump) remedies(ctx context.Context, stop func() error) error {
	return d.each(ctx, stop, `
		SELECT
			r.message,
			r.remedy,
			r.created_ms
		FROM remedies r
		CROSS JOIN messages m ON m.id = r.message
		WHERE m.session = ?
		ORDER BY r.message`, func(scan func(...any) error) (Line, error) {
		var l RemedyLine
		err := scan(&l.Message, &l.Remedy, &l.Created)
		return Line{Remedy: &l}, err
	})
}

func (d *dump) summaries(ctx context.Context, stop func() error) error {
	return d.each(ctx, stop, `
		SELECT
			id,
			first,
			last,
			messages,
			created_ms,
			endpoint,
			model,
			text,
			sources
		FROM summaries
		WHERE session = ?
		ORDER BY id`, func(scan func(...any) error) (Line, error) {
		var l SummaryLine
		var sources []byte
		if err := scan(&l.ID, &l.First, &l.Last, &l.Messages, &l.Created, &l.Endpoint, &l.Model, &l.Text, &sources); err != nil {
			return Line{}, err
		}
		l.Sources = readIDs(sources)
		return Line{Summary: &l}, nil
	})
}

// attachment hands out the bytes of a part, once.
func (d *dump) attachment(ctx context.Context, key int64) (hash []byte, err error) {
	var l AttachmentLine
	if err := d.tx.QueryRowContext(ctx, `SELECT hash FROM attachments WHERE id = ?`, key).Scan(&hash); err != nil {
		return nil, err
	}
	var of [sha256.Size]byte
	copy(of[:], hash)
	if d.given[of] {
		return hash, nil
	}
	d.given[of] = true
	if err := d.tx.QueryRowContext(ctx, `SELECT data FROM attachments WHERE id = ?`, key).Scan(&l.Data); err != nil {
		return nil, err
	}
	l.Hash = hex.EncodeToString(hash)
	return hash, d.take(Line{Attachment: &l})
}
