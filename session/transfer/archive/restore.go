package archive

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/google/uuid"

	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/conversation"
)

// Restore merges the sessions of an archive into the history, each in a transaction of its own, and calls report for
// each. Stored content is not changed, only added to. Damaged parts are reported and skipped. An error ends the import;
// sessions that were reported before stay stored.
func Restore(ctx context.Context, s *store.Store, file io.Reader, report func(conversation.Imported)) error {
	a, err := open(file)
	if err != nil {
		return err
	}
	state, err := s.Sync().State(ctx)
	if err != nil {
		return err
	}
	for damaged := false; ; {
		others, end := a.nextSession()
		if others && !damaged {
			var r conversation.Imported
			r.Errorf("", "a part of the archive is damaged or missing; it was not imported")
			report(r)
		}
		if end == io.EOF || end == errCut {
			return nil
		}
		if end != nil {
			return end
		}
		r, err := restore(ctx, s, a, state.Purged)
		if err != nil {
			return err
		}
		report(r)
		damaged = len(r.Errors) > 0
	}
}

// restore merges the next session of the archive. purged are the ids of sessions that were purged here.
func restore(ctx context.Context, s *store.Store, a *reader, purged []string) (r conversation.Imported, err error) {
	lines, err := a.readSession()
	first := store.Line{}
	if len(lines) > 0 {
		_ = json.Unmarshal(lines[0], &first) // if it is damaged, so is the session
	}
	if first.Session == nil {
		first.Session, err = &store.Session{}, cmp.Or(err, errDamaged)
	}
	id, nth := first.Session.ID, 0
	for slices.Contains(purged, copyID(id, nth)) {
		nth++
	}
	var applied store.ApplyResult
	if err == nil {
		applied, err = s.Apply(ctx, func(take func(store.Line) error) error {
			for _, text := range lines {
				var l store.Line
				if json.Unmarshal(text, &l) != nil {
					return errDamaged
				}
				if err := copyLine(l, nth, take); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, ofSession := range []error{errCut, errDamaged, store.ErrInvalidLines, store.ErrMissingRows} {
		if errors.Is(err, ofSession) {
			r.Errorf("", "session %s was not imported: %v", title.OneLine(id+" "+string(first.Session.Title)), err)
			return r, nil
		}
	}
	if err != nil {
		return r, err
	}
	row, err := s.Session(ctx, copyID(id, nth))
	r = conversation.Imported{Session: row, Title: row.Title, New: applied.Sessions > 0, Added: applied.Messages}
	r.Again = !r.New && len(applied.Changed) == 0
	if !row.Deleted.IsZero() && !r.New {
		r.Warnf("", "session %s is in the trash", row.ID)
	}
	if nth > 0 && r.New {
		r.Warnf("", "session %s was purged; it is imported as a new one, without the records of its requests", id)
	}
	if n := applied.Conflicts; n > 0 {
		const what = "session %s has different content for %s; the stored content is kept"
		r.Warnf("", what, row.ID, english.Plural(n, "message", ""))
	}
	return r, err
}

// copyID returns the id of the nth copy of a purged session. It is the same on every machine.
func copyID(id string, nth int) string {
	if nth == 0 {
		return id
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "winnow copy %d of %s", nth, id)).String()
}

// copyLine calls take with a line as it is in the nth copy of its session. A copy has other ids for its messages, of
// the same times, and no records of requests.
func copyLine(l store.Line, nth int, take func(store.Line) error) error {
	renew := func(id *int64) {
		if *id != 0 {
			*id ^= int64(nth)
		}
	}
	switch {
	case nth == 0, l.Attachment != nil:
		return take(l)
	case l.Session != nil:
		row := *l.Session
		row.ID, row.Deleted = copyID(row.ID, nth), time.Time{}
		return take(store.Line{Session: &row})
	case l.Message != nil:
		m := *l.Message
		renew(&m.ID)
		renew(&m.Parent)
		m.Request = 0
		return take(store.Line{Message: &m})
	case l.Register != nil && l.Register.Item != 0:
		r := *l.Register
		renew(&r.Item)
		renew(&r.Stamp)
		return take(store.Line{Register: &r})
	}
	return nil
}
