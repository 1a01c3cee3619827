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

// salvage saves what a damaged history still holds. Everything readable goes into a new file, the
// damaged one is set aside unchanged, and the new one takes its place. Until that moment nothing has
// changed, however it fails. Nobody may have the file open meanwhile: what they wrote would be lost.
func (s *Store) salvage(ctx context.Context, damaged os.FileInfo) error {
	doing := "save what the damaged chat history holds"
	if err := s.takeForSalvage(ctx, damaged); err != nil {
		if errors.Is(err, errReplaced) {
			return err
		}
		if errors.Is(err, ErrBusy) {
			return &sqlite.Error{Doing: "open the chat history", Where: s.path, Kind: errHeld}
		}
		return explain(doing, s.path, err)
	}
	im, done, err := recovery.OpenWithJournal(s.retired, s.path)
	if err != nil {
		return explain(doing, s.path, err)
	}
	defer done()
	fresh, err := backup.Draft(s.path)
	if err != nil {
		return explain(doing, s.path, err)
	}
	defer backup.Discard(fresh)
	saved, err := im.Salvage(ctx, fresh, s.now().UnixMilli(), checkEach)
	if err == nil {
		saved.File, err = backup.Replace(s.path, fresh, "damaged", s.now())
	}
	if err != nil {
		return explain(doing, s.path, err)
	}
	os.Remove(s.marker())
	s.salvaged = &saved
	s.notices = append(s.notices, saved.String())
	return nil
}

// errReplaced reports that another window has put another file in the place of the damaged one.
var errReplaced = errors.New("another window recovered the damaged file meanwhile")

// takeForSalvage claims the file that was found damaged as soon as no other program has it open.
func (s *Store) takeForSalvage(ctx context.Context, damaged os.FileInfo) error {
	if s.retired != nil {
		return nil
	}
	patience := s.patience
	s.patience = min(patience, salvagePatience)
	defer func() { s.patience = patience }()
	return s.retry(ctx, func() error {
		held, err := backup.Claim(s.path)
		now, gone := os.Stat(s.path)
		if gone != nil || !os.SameFile(damaged, now) {
			err = errReplaced
		}
		if err != nil && held != nil {
			held.Close()
		}
		if err == nil {
			s.retired = held
		}
		return err
	})
}

// journalHurt looks at the log that a program left behind when it died. The error is
// ErrDamaged where SQLite would throw away what can still be read, and lost where nothing can.
func (s *Store) journalHurt() (lost bool, err error) {
	if j := recovery.CheckJournal(s.path); j.Sound && !j.Holes {
		return false, nil
	}
	// Another window may be writing to it at this moment.
	if s.retired, err = backup.Claim(s.path); err != nil {
		return false, nil
	}
	j := recovery.CheckJournal(s.path)
	if j.Holes {
		return false, fmt.Errorf("%w: its journal has holes", ErrDamaged)
	}
	s.retired.Close()
	s.retired = nil
	return !j.Sound, nil
}

// checkEach checks every message of a history against its hash.
func checkEach(ctx context.Context, tx *sql.Tx, each func(id int64, damaged bool)) error {
	return eachMessage(ctx, tx, func(m Message) error {
		each(m.ID, m.Damaged)
		return nil
	})
}

// eachMessage reads every message of the history in the order of their numbers, and checks each
// against its hash.
func eachMessage(ctx context.Context, tx *sql.Tx, f func(Message) error) error {
	const atOnce = 200
	for last := int64(-1); ; {
		rows, err := rowsWhere(ctx, tx, `m.id > ? ORDER BY m.id LIMIT ?`, last, atOnce)
		if err != nil || len(rows) == 0 {
			return err
		}
		last = rows[len(rows)-1].ID
		all, err := complete(ctx, tx, "", rows)
		if err != nil {
			return err
		}
		for _, m := range all {
			if err := f(m); err != nil {
				return err
			}
		}
	}
}
