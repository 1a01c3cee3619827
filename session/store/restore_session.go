package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"winnow/history"
	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"

	"github.com/mattn/go-sqlite3"
)

// NewestIDs says which ids a history has given so far: those of messages, requests and summaries.
type NewestIDs struct{ Messages, Requests, Summaries int64 }

// NewestIDs returns the newest ids that were ever given.
func (s *Store) NewestIDs(ctx context.Context) (NewestIDs, error) {
	return inTx(ctx, s.view, "read the newest ids", func(tx *sql.Tx) (NewestIDs, error) { return newestIDs(ctx, tx) })
}

func newestIDs(ctx context.Context, tx *sql.Tx) (g NewestIDs, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT
			coalesce(max(iif(name = 'messages', seq, 0)), 0),
			coalesce(max(iif(name = 'requests', seq, 0)), 0),
			coalesce(max(iif(name = 'summaries', seq, 0)), 0)
		FROM sqlite_sequence`).Scan(&g.Messages, &g.Requests, &g.Summaries)
	return g, err
}

// SessionRestore is a session of an archive that is to be stored.
type SessionRestore struct {
	ID     string                            // under which id; "" gives it a new one
	Parent string                            // the session that it was forked from, as that is called here
	Before NewestIDs                         // ids up to these are not kept: they were given before
	Lines  func(take func(Line) error) error // hands out its lines in order, from the first one each time it is called
}

// ErrTaken says that there is a session with that id.
var ErrTaken = errors.New("there is another session with that id")

// RestoreSession stores a session of an archive, whole or not at all, and returns its row. Its messages, requests
// and summaries keep their ids where nothing here has ever had them. Else all ids of one kind are moved
// by the same number, in everything that names them, so that a past request still comes out as it was
// sent. Secrets that must not be stored are taken out of its texts. The fork point of a session whose parent is not here waits until that one is restored. The text is
// searched as soon as the index has read it.
func (s *Store) RestoreSession(ctx context.Context, a SessionRestore) (Session, error) {
	out, err := s.restoreSession(ctx, a)
	if !conflict(err) {
		return out, err
	}
	// Something took one of the ids since the import began.
	a.Before = NewestIDs{maxID, maxID, maxID}
	return s.restoreSession(ctx, a)
}

// conflict reports whether an id or a place is taken.
func conflict(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey || e.ExtendedCode == sqlite3.ErrConstraintUnique)
}

func (s *Store) restoreSession(ctx context.Context, a SessionRestore) (Session, error) {
	var out Session
	err := s.save(ctx, "store the session", func(tx *sql.Tx) error {
		if a.ID != "" {
			taken, err := sessionThere(ctx, tx, a.ID)
			if err != nil {
				return err
			}
			purged, err := wasPurged(ctx, tx, a.ID)
			if err != nil {
				return err
			}
			if taken != 0 || purged {
				return &sqlite.Error{Doing: fmt.Sprintf("store session %q", a.ID), Kind: ErrTaken}
			}
		}
		now, err := newestIDs(ctx, tx)
		if err != nil {
			return err
		}
		in := restoring{tx: tx, SessionRestore: a, now: now, print: newPrinter(), attached: map[string]int64{}}
		clean := s.Cleaner()
		quiet := context.WithoutCancel(ctx) // the transaction watches the context
		err = a.Lines(func(l Line) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return in.line(quiet, clean.Line(l))
		})
		if err != nil {
			return err
		}
		if err := in.finish(quiet); err != nil {
			return err
		}
		out, err = sessionByKey(ctx, tx, in.session)
		return err
	})
	return out, err
}

// sessionThere is the key of a session by its whole id, 0 where there is none.
func sessionThere(ctx context.Context, tx *sql.Tx, id string) (int64, error) {
	var n int64
	err := tx.QueryRowContext(ctx, `SELECT n FROM sessions WHERE id = ?`, id).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return n, err
}

// restoring restores one session.
type restoring struct {
	SessionRestore
	tx       *sql.Tx
	now      NewestIDs
	session  int64
	id       string
	shift    Shift
	from     Shift // the first ids, as the lines say them
	messages int64
	turns    int64
	runs     history.IDs // of its messages
	print    *printer
	attached map[string]int64 // keys of attachments by hex hash
	plans    verdicts.Writer
}

// maxID is more than any id. A damaged archive may hold anything, and ids never go back.
const maxID = 1 << 40

// line stores one line.
func (in *restoring) line(ctx context.Context, l Line) error {
	if l.Session == nil && in.session == 0 {
		return errors.New("it does not begin with the session")
	}
	if l.Session != nil {
		if in.session != 0 {
			return errors.New("it holds two sessions")
		}
		in.measure(*l.Session)
	}
	if err := in.possible(l); err != nil {
		return err
	}
	l, err := in.shift.Line(l)
	if err != nil {
		return err
	}
	switch {
	case l.Session != nil:
		return in.addSession(ctx, *l.Session)
	case l.Request != nil:
		return in.addRequest(ctx, l.Request)
	case l.Attachment != nil:
		return in.addAttachment(ctx, l.Attachment)
	case l.Message != nil:
		return in.addMessage(ctx, l.Message)
	case l.Repair != nil:
		return in.insertDecision(ctx, "repairs", l.Repair.Message, l.Repair)
	case l.Flag != nil:
		return in.insertDecision(ctx, "flags", l.Flag.Message, l.Flag)
	case l.Remedy != nil:
		return in.insertDecision(ctx, "remedies", l.Remedy.Message, l.Remedy)
	case l.Summary != nil:
		return in.insert(ctx, "summaries", *l.Summary)
	}
	return nil // whoever reads the archive says that it has a line of no known kind
}

// measure decides how far the ids are moved.
func (in *restoring) measure(l SessionLine) {
	away := func(first, before, now int64) int64 {
		if first > before && first < maxID || first == 0 {
			return 0
		}
		return now + 1 - first
	}
	in.from = Shift{l.FirstMessage, l.FirstRequest, l.FirstSummary}
	in.shift = Shift{
		Messages:  away(l.FirstMessage, in.Before.Messages, in.now.Messages),
		Requests:  away(l.FirstRequest, in.Before.Requests, in.now.Requests),
		Summaries: away(l.FirstSummary, in.Before.Summaries, in.now.Summaries),
	}
}

// possible refuses ids that no file has given: behind one of them would be room for no other.
func (in *restoring) possible(l Line) error {
	check := func(kind string, id, first int64) error {
		if id < first || id <= 0 || id-first > maxID {
			return fmt.Errorf("%s %d cannot be, where the first is %d", kind, id, first)
		}
		return nil
	}
	switch {
	case l.Request != nil:
		return check("request", l.Request.ID, in.from.Requests)
	case l.Message != nil:
		if p := l.Message.Parent; p != 0 && (p < in.from.Messages || p >= l.Message.ID) {
			return fmt.Errorf("message %d cannot follow message %d", l.Message.ID, p)
		}
		return check("message", l.Message.ID, in.from.Messages)
	case l.Summary != nil:
		return check("summary", l.Summary.ID, in.from.Summaries)
	}
	return nil
}

func (in *restoring) addSession(ctx context.Context, l SessionLine) error {
	if l.ID = in.ID; l.ID == "" {
		l.ID = newID()
	}
	in.id = l.ID
	l.Parent, l.Used = in.Parent, min(l.Used, maxID<<10)
	var err error
	if l.ForkedAt, err = in.forkPoint(ctx, l.ForkedAt); err != nil {
		return err
	}
	if in.session, err = sqlite.InsertRow(ctx, in.tx, "sessions", l); err != nil {
		return err
	}
	tags := make([]string, len(l.Tags))
	for i, tag := range l.Tags {
		tags[i] = string(tag)
	}
	if err := setTags(ctx, in.tx, in.session, tags); err != nil {
		return err
	}
	for _, q := range l.Queued {
		if err := in.insert(ctx, "queued", q); err != nil {
			return err
		}
	}
	if l.Draft == nil {
		return nil
	}
	return in.insert(ctx, "drafts", *l.Draft)
}

// addRequest adds a request with its plan, and without one where that cannot be read.
func (in *restoring) addRequest(ctx context.Context, l *RequestLine) error {
	if err := in.insert(ctx, "requests", l); err != nil {
		return err
	}
	plan, err := verdicts.Unpack(l.Plan)
	if err != nil {
		return nil
	}
	return in.plans.Put(ctx, in.tx, verdicts.Key{Session: in.session, Request: l.ID, Purpose: l.Purpose}, plan)
}

// insert adds a row of the session to a table.
func (in *restoring) insert(ctx context.Context, table string, row any) error {
	_, err := sqlite.InsertRow(ctx, in.tx, table, row, sql.Named("session", in.session))
	return err
}

// insertDecision adds a row of one of the session's messages to a table.
func (in *restoring) insertDecision(ctx context.Context, table string, message int64, row any) error {
	if err := inSession(ctx, in.tx, in.session, message); err != nil {
		return err
	}
	_, err := sqlite.InsertRow(ctx, in.tx, table, row)
	return err
}

// forkPoint is the message at a place of the parent. Where the parent is not here, it is the place with
// a minus in front: finish of the parent finds it.
func (in *restoring) forkPoint(ctx context.Context, place int64) (int64, error) {
	if place <= 0 || in.Parent == "" {
		return 0, nil
	}
	var message int64
	err := in.tx.QueryRowContext(ctx, `
		SELECT m.id
		FROM sessions p
		JOIN messages m ON m.session = p.n AND m.seq = ?
		WHERE p.id = ?`, place, in.Parent).Scan(&message)
	if errors.Is(err, sql.ErrNoRows) {
		return -place, nil
	}
	return message, err
}

// addAttachment stores the bytes of a part under the hash that they had where they came from, so that
// damaged ones stay damaged. Whole ones replace what is damaged here.
func (in *restoring) addAttachment(ctx context.Context, l *AttachmentLine) error {
	hash, err := hex.DecodeString(l.Hash)
	if err != nil || len(hash) != sha256.Size {
		return fmt.Errorf("attachment %.80q has no SHA-256", l.Hash)
	}
	key, err := attachBytes(ctx, in.tx, hash, l.Data)
	in.attached[l.Hash] = key
	return err
}

func (in *restoring) addMessage(ctx context.Context, l *MessageLine) error {
	row := messageRow{MessageLine: *l, Session: in.session, Calls: len(l.ToolCalls), PartCount: len(l.Parts), Hash: string(l.Damaged)}
	if l.Status == Text(history.Streaming) {
		row.Status = Text(history.Interrupted)
	}
	if l.Damaged == nil {
		row.Hash = string(in.print.line(l))
	}
	if _, err := sqlite.InsertRow(ctx, in.tx, "messages", row); err != nil {
		return err
	}
	in.messages++
	if l.Role == Text(history.User) {
		in.turns++
	}
	if n := len(in.runs); n > 0 && in.runs[n-1][1] == l.ID-1 {
		in.runs[n-1][1] = l.ID
	} else {
		in.runs = append(in.runs, [2]int64{l.ID, l.ID})
	}
	var attachments []int64
	for _, part := range l.Parts {
		key, there := in.attached[part.Hash]
		if !there {
			return fmt.Errorf("message %d has an attachment that is not in the archive (%.80q)", l.ID-in.shift.Messages, part.Hash)
		}
		attachments = append(attachments, key)
	}
	return insertCallsAndParts(ctx, in.tx, l.ID, *l, attachments)
}

// finish writes what the messages decide of the session's row, and gives sessions that were forked from
// it their fork points.
func (in *restoring) finish(ctx context.Context) error {
	if in.session == 0 {
		return errors.New("it does not begin with the session")
	}
	if err := indexRuns(ctx, in.tx, in.runs); err != nil {
		return err
	}
	_, err := in.tx.ExecContext(ctx, `
		UPDATE sessions
		SET messages = ?2,
			turns = ?3
		WHERE n = ?1`, in.session, in.messages, in.turns)
	if err != nil {
		return err
	}
	_, err = in.tx.ExecContext(ctx, `
		UPDATE sessions
		SET forked_at = m.id
		FROM messages m
		WHERE sessions.parent = ?2
			AND sessions.forked_at < 0
			AND m.session = ?1
			AND m.seq = -sessions.forked_at`, in.session, in.id)
	return err
}
