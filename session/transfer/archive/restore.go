package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/google/uuid"

	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/conversation"
)

// Restored is what became of one session of an archive.
type Restored struct {
	Session  store.Session         // the zero value where it could not be restored
	Again    bool                  // all of it was here already, and nothing was stored
	Warnings []conversation.Remark // what was restored, but is odd
	Errors   []conversation.Remark // what could not be restored
}

// Restore merges the sessions of an archive into the history, each whole or not at all and in a transaction of its own,
// and reports what became of each. What is here already stays as it is, and what is new is added to it. What is damaged
// is reported and stepped over. The error is one that ends the import: what was reported before stays stored.
func Restore(ctx context.Context, s *store.Store, file io.ReadSeeker, report func(Restored)) error {
	in := restoring{store: s, archive: &reader{file: file}, report: report}
	at, err := in.archive.open()
	if err != nil {
		return err
	}
	for {
		at, err = in.archive.next(at)
		if err == io.EOF {
			return nil
		}
		var head store.SessionLine
		end := int64(0)
		if err == nil {
			head, end, err = in.take(ctx, at)
		}
		var damage *damageError
		if errors.As(err, &damage) {
			report(Restored{Errors: []conversation.Remark{{Index: -1, What: refusal(head, at, damage)}}})
		} else if err != nil {
			return err
		}
		if end != 0 {
			at = end
			continue
		}
		// It is not known where the session ends: the next one is looked for.
		if at, err = in.archive.find(at + 1); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// refusal says which session was not imported, and the reason.
func refusal(head store.SessionLine, at int64, reason error) string {
	if head.ID == "" {
		return fmt.Sprintf("byte %d: %s; this part was not imported", at+1, reason)
	}
	name := title.OneLine(head.ID)
	if title := title.OneLine(string(head.Title)); title != "" {
		name += " (" + title + ")"
	}
	return fmt.Sprintf("session %s was not imported: %s", name, reason)
}

// restoring is the restoring of an archive.
type restoring struct {
	store   *store.Store
	archive *reader
	report  func(Restored)
}

// take stores what is new of the session that begins at a place, and reports it. end is where the session ends, 0 where
// that is not found. The error is a *damageError where the session itself is to blame.
func (in *restoring) take(ctx context.Context, at int64) (head store.SessionLine, end int64, err error) {
	for n := 0; ; n++ {
		var id string
		applied, err := in.store.Apply(ctx, func(take func(store.Line) error) error {
			var err error
			end, err = in.archive.session(at, func(l store.Line) error {
				if l.Session != nil {
					head, id = *l.Session, renewed(l.Session.ID, n)
				}
				return renew(l, n, take)
			})
			return err
		})
		if err != nil {
			if end == 0 { // Something else than the file ended it.
				end, _ = in.archive.session(at, func(store.Line) error { return nil })
			}
			return head, end, blame(ctx, err)
		}
		row, err := in.store.Session(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			continue // It was purged: the next copy of it is a session of its own.
		}
		if err == nil {
			in.tell(row, head.ID, applied)
		}
		return head, end, err
	}
}

// renewed is the id of the nth copy of a session that was purged, the same on every machine.
func renewed(id string, n int) string {
	if n == 0 {
		return id
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "winnow copy %d of %s", n, id)).String()
}

// renew hands out a line as it is in the nth copy of its session. A copy has the messages and what was set for them,
// under ids of the same times, and no records of requests.
func renew(l store.Line, n int, take func(store.Line) error) error {
	renew := func(id *int64) {
		if *id != 0 {
			*id ^= int64(n)
		}
	}
	switch {
	case n == 0, l.Attachment != nil:
		return take(l)
	case l.Session != nil:
		row := *l.Session
		row.ID, row.Deleted = renewed(row.ID, n), time.Time{}
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

// tell reports what became of a session, whose id in the archive is of.
func (in *restoring) tell(row store.Session, of string, applied store.Applied) {
	known := applied.Sessions == 0
	out := Restored{Session: row, Again: known && len(applied.Changed) == 0}
	warn := func(format string, args ...any) {
		out.Warnings = append(out.Warnings, conversation.Remark{Index: -1, What: fmt.Sprintf(format, args...)})
	}
	switch n := applied.Messages; {
	case known && !row.Deleted.IsZero():
		warn("session %s is in the trash", row.ID)
	case known && n > 0:
		were := english.PluralWord(n, "was", "were")
		warn("session %s was here; %s %s added to it", row.ID, english.Plural(n, "message", ""), were)
	case !known && row.ID != of:
		warn("session %s was purged; it is imported as a new one, without the records of its requests", of)
	}
	if n := applied.Refused; n > 0 {
		warn("session %s has other content for %s; what is here stays", row.ID, english.Plural(n, "message", ""))
	}
	in.report(out)
}

// blame separates what a session itself is to blame for from what ends the import.
func blame(ctx context.Context, err error) error {
	for _, ends := range []error{
		ctx.Err(), store.ErrReadOnly, store.ErrBusy, store.ErrDiskFull, store.ErrNoAccess, store.ErrDamaged,
		store.ErrDisk,
	} {
		if ends != nil && errors.Is(err, ends) {
			return err
		}
	}
	if damage := new(damageError); !errors.As(err, &damage) {
		return &damageError{err.Error()}
	}
	return err
}
