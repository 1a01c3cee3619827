package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"winnow/session/store/backup"
	"winnow/session/store/recovery"
	"winnow/session/store/sqlite"
)

// salvagePatience is how long to wait for another window that has the damaged file open: a command
// ends soon, and so does another window that is saving it at this moment.
const salvagePatience = 3 * time.Second

// errHeld is the reason why a damaged file is left as it is for now.
var errHeld = fmt.Errorf("%w, and it is open in another window; close that window and start winnow again to recover "+
	"what can be read", ErrDamaged)

// errReplaced reports that another window has put another file in the place of the damaged one.
var errReplaced = errors.New("another window recovered the damaged file meanwhile")

// salvage saves what a damaged history still holds. Everything readable goes into a new file, the
// damaged one is set aside unchanged, and the new one takes its place. Until that moment nothing has
// changed, however it fails. Nobody may have the file open meanwhile: what they wrote would be lost.
func (s *Store) salvage(ctx context.Context, damaged os.FileInfo) error {
	end := time.Now().Add(min(s.patience, salvagePatience))
	err := retry(ctx, end, func() (err error) {
		s.retired, err = backup.Claim(s.path)
		if now, gone := os.Stat(s.path); gone != nil || !os.SameFile(damaged, now) {
			err = errReplaced
		}
		if err != nil && s.retired != nil {
			s.retired.Close()
			s.retired = nil
		}
		return err
	})
	if errors.Is(err, errReplaced) {
		return err
	}
	if errors.Is(err, ErrBusy) {
		return &sqlite.Error{Doing: opening, Where: s.path, Kind: errHeld}
	}
	var saved recovery.Salvage
	if err == nil {
		saved, err = s.recover(ctx)
	}
	if err != nil {
		return sqlite.Explain("save what the damaged chat history holds", s.path, err)
	}
	os.Remove(s.marker())
	s.salvaged = &saved
	s.notices = append(s.notices, saved.String())
	return nil
}

// recover puts what the file and the newest sound backup hold into a new file, and that in the place of the damaged
// one. It reads a copy: SQLite may write to what it opens.
func (s *Store) recover(ctx context.Context) (saved recovery.Salvage, err error) {
	var f recovery.Files
	for _, draft := range []*string{&f.Damaged, &f.Fresh} {
		if *draft, err = backup.Draft(s.path); err != nil {
			return saved, err
		}
		defer backup.Discard(*draft)
	}
	if err := backup.CopyWithJournal(s.retired, s.path, f.Damaged); err != nil {
		return saved, err
	}
	b, _ := backup.NewestSound(ctx, s.path, s.now())
	f.Backup = b.Path
	check := func(ctx context.Context, of *sql.Tx) ([]int64, error) {
		t := &tx{Tx: of, ctx: ctx}
		damaged := damagedMessages(t)
		return damaged, t.err
	}
	apply := func(ctx context.Context, to *sql.Tx, all bool) (messages int, err error) {
		db := sqlite.Pool(b.Path, sqlite.Immutable, 1)
		defer db.Close()
		err = sqlite.InTx(ctx, db, func(from *sql.Tx) (err error) {
			messages, err = s.applySessions(ctx, from, to, all)
			return err
		})
		return messages, err
	}
	saved, err = recovery.Save(ctx, f, s.now().UnixMilli(), recovery.Steps{Check: check, Apply: apply})
	if saved.FromBackup > 0 {
		saved.Backup = b.Day.Format("2006-01-02")
	}
	if err == nil {
		saved.File, err = backup.Replace(s.retired, s.path, f.Fresh, "damaged", s.now())
	}
	return saved, err
}

// applySessions applies the sessions of a backup, and returns how many messages were added. Without all it leaves out
// those that are not here: they were purged since. A session that cannot be applied is left out.
func (s *Store) applySessions(ctx context.Context, from, to *sql.Tx, all bool) (messages int, err error) {
	backup := &tx{Tx: from, ctx: ctx}
	for _, session := range readRows[Session](backup, `sessions`) {
		here := &tx{Tx: to, ctx: ctx, clean: s.clean}
		if !all && sessionThere(here, session.ID) == 0 {
			continue
		}
		applied := s.apply(here, func(take func(Line) error) error {
			of := &tx{Tx: from, ctx: ctx}
			dumpSession(of, session.key, take)
			return of.err
		})
		messages += applied.Messages
		if here.err != nil && !errors.Is(here.err, ErrLine) && !errors.Is(here.err, ErrWaits) {
			return messages, here.err
		}
	}
	return messages, backup.err
}
