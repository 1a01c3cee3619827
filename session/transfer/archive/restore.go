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

// Restored is what became of one session of an archive.
type Restored = conversation.Imported

// Restore merges the sessions of an archive into the history, each whole or not at all and in a transaction of its own,
// and reports what became of each. What is here already stays as it is, and what is new is added to it. What is damaged
// is reported and stepped over. The error is one that ends the import: what was reported before stays stored.
func Restore(ctx context.Context, s *store.Store, file io.Reader, report func(Restored)) error {
	a, err := open(file)
	if err != nil {
		return err
	}
	state, err := s.Sync().State(ctx)
	if err != nil {
		return err
	}
	for damaged := false; ; {
		others, end := a.find()
		if others && !damaged {
			var r Restored
			r.Lose("", "a part of the archive is damaged or missing; it was not imported")
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

// restore merges the session that begins here. purged are the ids of sessions that were purged.
func restore(ctx context.Context, s *store.Store, a *reader, purged []string) (r Restored, err error) {
	lines, err := a.session()
	first := store.Line{}
	if len(lines) > 0 {
		_ = json.Unmarshal(lines[0], &first) // Where it is damaged, the session is.
	}
	if first.Session == nil {
		first.Session, err = &store.Session{}, cmp.Or(err, errDamaged)
	}
	id, nth := first.Session.ID, 0
	for slices.Contains(purged, renewed(id, nth)) {
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
				if err := renew(l, nth, take); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, ofSession := range []error{errCut, errDamaged, store.ErrInvalidLines, store.ErrMissingRows} {
		if errors.Is(err, ofSession) {
			r.Lose("", "session %s was not imported: %v", title.OneLine(id+" "+string(first.Session.Title)), err)
			return r, nil
		}
	}
	if err != nil {
		return r, err
	}
	row, err := s.Session(ctx, renewed(id, nth))
	r = Restored{Session: row, Title: row.Title, New: applied.Sessions > 0, Added: applied.Messages}
	r.Again = !r.New && len(applied.Changed) == 0
	if !row.Deleted.IsZero() && !r.New {
		r.Warn("", "session %s is in the trash", row.ID)
	}
	if nth > 0 && r.New {
		r.Warn("", "session %s was purged; it is imported as a new one, without the records of its requests", id)
	}
	if n := applied.Conflicts; n > 0 {
		r.Warn("", "session %s has other content for %s; what is here stays", row.ID, english.Plural(n, "message", ""))
	}
	return r, err
}

// renewed is the id of the nth copy of a session that was purged, the same on every machine.
func renewed(id string, nth int) string {
	if nth == 0 {
		return id
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "winnow copy %d of %s", nth, id)).String()
}

// renew hands out a line as it is in the nth copy of its session. A copy has the messages and what was set for them,
// under ids of the same times, and no records of requests.
func renew(l store.Line, nth int, take func(store.Line) error) error {
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
		row.ID, row.Deleted = renewed(row.ID, nth), time.Time{}
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
