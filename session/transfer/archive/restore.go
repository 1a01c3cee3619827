package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/conversation"
)

// Restored is what became of one session of an archive.
type Restored struct {
	Session  store.Session         // the zero value where it could not be restored
	Again    bool                  // it was there already, and nothing was stored
	Warnings []conversation.Remark // what was restored, but is odd
	Errors   []conversation.Remark // what could not be restored
}

// Restore stores the sessions of an archive, each whole or not at all and in a transaction of its
// own, and reports what became of each. A session that is here already, even where it went on since, stays
// as it is. One whose id another session has comes in under a new id, and forks of it in the archive name
// that. What is damaged is reported and stepped over. The error is one that ends the import: what was
// reported before stays stored.
func Restore(ctx context.Context, s *store.Store, file io.ReadSeeker, report func(Restored)) error {
	a, err := open(file)
	if err != nil {
		return err
	}
	before, err := s.NewestIDs(ctx)
	if err != nil {
		return err
	}
	in := restoring{store: s, archive: a, before: before, called: map[string]string{}, report: report}
	for {
		at, err := a.next()
		if err == io.EOF {
			return nil
		}
		var of archived
		end := int64(0)
		if err == nil {
			if of, end, err = a.inspect(at, s.Cleaner()); err == nil {
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
	before  store.NewestIDs
	called  map[string]string // what sessions of the archive are called here, where they have another id
	report  func(Restored)
}

// take stores a session that is whole, and reports it.
func (in *restoring) take(ctx context.Context, of archived) error {
	there, unchanged, err := in.store.FindArchived(ctx, of.head, of.digest)
	if errors.Is(err, store.ErrNotFound) && of.secret {
		there, unchanged, err = in.findCleaned(ctx, of)
	}
	if err == nil {
		in.rename(of.head.ID, there.ID)
		in.report(Restored{Session: there, Again: true, Warnings: againRemarks(there, unchanged)})
		return nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	id := strings.ToLower(of.head.ID)
	if uuid.Validate(id) != nil || len(id) != 36 {
		id = ""
	}
	row, err := in.restoreSession(ctx, of, id)
	if errors.Is(err, store.ErrTaken) {
		id = ""
		row, err = in.restoreSession(ctx, of, id)
	}
	if err != nil {
		return in.refused(ctx, err)
	}
	out := Restored{Session: row}
	if row.ID != of.head.ID {
		in.rename(of.head.ID, row.ID)
		out.Warnings = append(out.Warnings, conversation.Remark{Index: -1, What: fmt.Sprintf(
			"session %s was imported as %s: its id is already in use", nameOf(of.head), row.ID)})
	}
	in.report(out)
	return nil
}

// findCleaned finds the session that was stored of one that holds secrets.
func (in *restoring) findCleaned(ctx context.Context, of archived) (there store.Session, unchanged bool, err error) {
	digest, clean := store.NewDigester(), in.store.Cleaner()
	if err := in.archive.lines(of.at, func(l store.Line) error { return digest.Add(clean.Line(l)) }); err != nil {
		return there, false, err
	}
	return in.store.FindArchived(ctx, of.head, digest)
}

func (in *restoring) restoreSession(ctx context.Context, of archived, id string) (store.Session, error) {
	return in.store.RestoreSession(ctx, store.SessionRestore{
		ID: id, Parent: cmp.Or(in.called[of.head.Parent], of.head.Parent), Before: in.before,
		Lines: func(take func(store.Line) error) error { return in.archive.lines(of.at, take) },
	})
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

func (in *restoring) rename(from, to string) {
	if from != to {
		in.called[from] = to
	}
}

// againRemarks are the remarks on a session that is here already.
func againRemarks(there store.Session, unchanged bool) []conversation.Remark {
	var what string
	switch {
	case !there.Deleted.IsZero():
		what = "already exists in the trash; nothing of it was imported"
	case !unchanged:
		what = "already exists and has changed since; nothing of it was imported"
	default:
		return nil
	}
	return []conversation.Remark{{Index: -1, What: fmt.Sprintf("session %s %s", there.ID, what)}}
}
