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
	a, err := open(file)
	if err != nil {
		return err
	}
	in := restoring{store: s, archive: a, report: report}
	for {
		at, err := a.next()
		if err == io.EOF {
			return nil
		}
		var of archived
		end := int64(0)
		if err == nil {
			if of, end, err = a.inspect(at); err == nil {
				err = in.take(ctx, of)
			}
		}
		var damage *damageError
		if err != nil && !errors.As(err, &damage) {
			return err
		}
		if err != nil {
			report(Restored{Errors: []conversation.Remark{{Index: -1, What: refusal(of, at, err)}}})
		}
		if a.at = end; end != 0 {
			continue
		}
		// It is not known where the session ends: the next one is looked for.
		if a.at, err = a.find(at + 1); err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// refusal says which session was not imported, and the reason.
func refusal(of archived, at int64, reason error) string {
	if of.head.ID == "" {
		return fmt.Sprintf("byte %d: %s; this part was not imported", at+1, reason)
	}
	return fmt.Sprintf("session %s was not imported: %s", nameOf(of.head), reason)
}

// nameOf is a session's id and title.
func nameOf(l store.SessionLine) string {
	id := title.OneLine(l.ID)
	if title := title.OneLine(string(l.Title)); title != "" {
		return fmt.Sprintf("%s (%s)", id, title)
	}
	return id
}

// restoring is the restoring of an archive.
type restoring struct {
	store   *store.Store
	archive *reader
	report  func(Restored)
}

// take stores what is new of a session that is whole, and reports it.
func (in *restoring) take(ctx context.Context, of archived) error {
	before, err := in.store.Session(ctx, of.head.ID)
	known := err == nil
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	applied, err := in.store.Apply(ctx, func(take func(store.Line) error) error { return in.archive.lines(of.at, take) })
	if err != nil {
		return in.refused(ctx, err)
	}
	row, err := in.store.Session(ctx, of.head.ID)
	if errors.Is(err, store.ErrNotFound) {
		return damagef("it was purged")
	}
	if err != nil {
		return err
	}
	out := Restored{Session: row, Again: known && len(applied.Changed) == 0}
	remark := func(format string, args ...any) {
		out.Warnings = append(out.Warnings, conversation.Remark{Index: -1, What: fmt.Sprintf(format, args...)})
	}
	switch {
	case known && !before.Deleted.IsZero():
		remark("session %s is in the trash", row.ID)
	case known && applied.Messages > 0:
		remark("session %s was here; %s added to it", row.ID, added(applied.Messages))
	}
	if n := applied.Refused; n > 0 {
		remark("session %s has other content for %s; what is here stays", row.ID, english.Plural(n, "message", ""))
	}
	in.report(out)
	return nil
}

func added(messages int) string {
	return english.Plural(messages, "message", "") + " " + english.PluralWord(messages, "was", "were")
}

// refused separates what the session itself is to blame for from what ends the import.
func (in *restoring) refused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	for _, ends := range []error{
		store.ErrReadOnly, store.ErrBusy, store.ErrDiskFull, store.ErrNoAccess, store.ErrDamaged, store.ErrDisk,
	} {
		if errors.Is(err, ends) {
			return err
		}
	}
	return &damageError{err.Error()}
}
