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
	saved, err := s.recover(ctx)
	if err != nil {
		return explain(doing, s.path, err)
	}
	os.Remove(s.marker())
	s.salvaged = &saved
	s.notices = append(s.notices, saved.String())
	return nil
}

// recover puts what the file and the newest sound backup hold into a new file, and that in the place of the damaged
// one. It reads a copy: SQLite may write to what it opens.
func (s *Store) recover(ctx context.Context) (saved recovery.Salvage, err error) {
	damaged, err := backup.Draft(s.path)
	if err != nil {
		return saved, err
	}
	defer backup.Discard(damaged)
	fresh, err := backup.Draft(s.path)
	if err != nil {
		return saved, err
	}
	defer backup.Discard(fresh)
	if err := backup.CopyWithJournal(s.retired, s.path, damaged); err != nil {
		return saved, sqlite.FileError("save what the damaged chat history holds", s.path, err)
	}
	now := s.now().UnixMilli()
	fill := func(ctx context.Context, tx *sql.Tx, found recovery.Found) (recovery.Salvage, error) {
		return s.fill(ctx, tx, found, now)
	}
	saved, err = recovery.Save(ctx, damaged, fresh, now, recovery.Steps{Check: checkEach, Fill: fill})
	if err == nil {
		saved.File, err = backup.Replace(s.path, fresh, "damaged", s.now())
	}
	return saved, err
}

// fill adds to saved rows what the newest sound backup has beside them.
func (s *Store) fill(ctx context.Context, tx *sql.Tx, found recovery.Found, now int64) (out recovery.Salvage, err error) {
	reattach := func() error {
		out.Nameless, err = recovery.Reattach(ctx, tx, now)
		return err
	}
	b, there := backup.NewestSound(ctx, s.path, s.now())
	if !there {
		return out, reattach()
	}
	db := sqlite.Pool(b.Path, sqlite.Immutable, 1)
	defer db.Close()
	err = sqlite.InTx(ctx, db, func(from *sql.Tx) error {
		if err := recovery.Adopt(ctx, from, tx, found.Damaged); err != nil {
			return err
		}
		if err := reattach(); err != nil {
			return err
		}
		sound, err := idsWhere(ctx, from, `SELECT id FROM messages WHERE id IN (SELECT value FROM json_each(?))`,
			sqlite.IDs(found.Broken))
		if err != nil {
			return err
		}
		if err := execute(ctx, tx, `DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?))`,
			sqlite.IDs(sound)); err != nil {
			return err
		}
		// A message comes with its calls and parts.
		for _, query := range []string{
			`DELETE FROM tool_calls WHERE message NOT IN (SELECT id FROM messages)`,
			`DELETE FROM parts WHERE message NOT IN (SELECT id FROM messages)`,
		} {
			if err := execute(ctx, tx, query); err != nil {
				return err
			}
		}
		out.Backup = b.Day.Format("2006-01-02")
		out.FromBackup, err = s.applySessions(ctx, from, tx, found.Damaged["sessions"])
		return err
	})
	return out, err
}

// applySessions applies the sessions of a backup, and returns how many messages were added. Without all it leaves out
// those that are not here: they were purged since.
func (s *Store) applySessions(ctx context.Context, from, tx *sql.Tx, all bool) (messages int, err error) {
	sessions, err := readSessions(ctx, from, `sessions`)
	if err != nil {
		return 0, err
	}
	for _, session := range sessions {
		here, err := sessionThere(ctx, tx, session.ID)
		if err != nil {
			return 0, err
		}
		if here == 0 && !all {
			continue
		}
		applied, err := s.apply(ctx, tx, func(take func(Line) error) error {
			return dumpSession(ctx, from, session.key, take)
		})
		messages += applied.Messages
		if err != nil && !errors.Is(err, ErrLine) && !errors.Is(err, ErrWaits) {
			return 0, err
		}
	}
	return messages, nil
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

// journalDamaged reports whether SQLite would drop committed messages of the log that a program left behind when it
// died. The file is then claimed.
func (s *Store) journalDamaged() bool {
	if !recovery.JournalDamaged(s.path) {
		return false
	}
	// Another window may be writing to it at this moment.
	held, err := backup.Claim(s.path)
	if err != nil {
		return false
	}
	if !recovery.JournalDamaged(s.path) {
		held.Close()
		return false
	}
	s.retired = held
	return true
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
		rows, err := readMessages(ctx, tx, `messages m WHERE m.id > ? ORDER BY m.id LIMIT ?`, last, atOnce)
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
