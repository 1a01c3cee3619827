package archive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dustin/go-humanize/english"

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
	applied, err := in.store.Apply(ctx, func(take func(store.Line) error) error {
		var err error
		end, err = in.archive.session(at, func(l store.Line) error {
			if l.Session != nil {
				head = *l.Session
			}
			return take(l)
		})
		return err
	})
	if err != nil {
		if end == 0 { // Something else than the file ended it.
			end, _ = in.archive.session(at, func(store.Line) error { return nil })
		}
		return head, end, blame(ctx, err)
	}
	row, err := in.store.Session(ctx, head.ID)
	known := applied.Sessions == 0
	out := Restored{Session: row, Again: known && len(applied.Changed) == 0}
	warn := func(format string, args ...any) {
		out.Warnings = append(out.Warnings, conversation.Remark{Index: -1, What: fmt.Sprintf(format, args...)})
	}
	switch n := applied.Messages; {
	case errors.Is(err, store.ErrNotFound):
		again, err := in.again(ctx, at)
		if err != nil {
			return head, end, blame(ctx, err)
		}
		out.Session, out.Again = again.Session, again.Added == 0
		warn("session %s was purged; this is a new one with its messages, without the records of requests", head.ID)
	case err != nil:
		return head, end, err
	case known && !row.Deleted.IsZero():
		warn("session %s is in the trash", row.ID)
	case known && n > 0:
		were := english.PluralWord(n, "was", "were")
		warn("session %s was here; %s %s added to it", row.ID, english.Plural(n, "message", ""), were)
	}
	if n := applied.Refused; n > 0 {
		warn("session %s has other content for %s; what is here stays", row.ID, english.Plural(n, "message", ""))
	}
	in.report(out)
	return head, end, nil
}

// blame separates what a session itself is to blame for from what ends the import.
func blame(ctx context.Context, err error) error {
	for _, ends := range []error{
		ctx.Err(), store.ErrReadOnly, store.ErrBusy, store.ErrDiskFull, store.ErrNoAccess, store.ErrDamaged, store.ErrDisk,
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
