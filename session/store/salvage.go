package store

import (
	"cmp"
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
	fill := func(ctx context.Context, to *sql.Tx, found recovery.Found) (recovery.Salvage, error) {
		return s.fill(ctx, to, found, now)
	}
	saved, err = recovery.Save(ctx, damaged, fresh, now, recovery.Steps{Check: checkEach, Fill: fill})
	if err == nil {
		saved.File, err = backup.Replace(s.path, fresh, "damaged", s.now())
	}
	return saved, err
}

// fill adds to saved rows what the newest sound backup has beside them.
func (s *Store) fill(
	ctx context.Context, to *sql.Tx, found recovery.Found, now int64,
) (out recovery.Salvage, err error) {
	reattach := func() error {
		out.Nameless, err = recovery.Reattach(ctx, to, now)
		return err
	}
	b, there := backup.NewestSound(ctx, s.path, s.now())
	if !there {
		return out, reattach()
	}
	db := sqlite.Pool(b.Path, sqlite.Immutable, 1)
	defer db.Close()
	err = sqlite.InTx(ctx, db, func(from *sql.Tx) error {
		if err := recovery.Adopt(ctx, from, to, found.Damaged); err != nil {
			return err
		}
		if err := reattach(); err != nil {
			return err
		}
		backup, here := &tx{Tx: from, ctx: ctx}, &tx{Tx: to, ctx: ctx}
		const these = `FROM messages WHERE id IN (SELECT value FROM json_each(?))`
		sound := backup.ids(`SELECT id `+these, sqlite.IDs(found.Broken))
		here.exec(`DELETE `+these, sqlite.IDs(sound))
		// A message comes with its calls and parts.
		here.exec(`DELETE FROM tool_calls WHERE message NOT IN (SELECT id FROM messages)`)
		here.exec(`DELETE FROM parts WHERE message NOT IN (SELECT id FROM messages)`)
		out.Backup = b.Day.Format("2006-01-02")
		out.FromBackup = s.applySessions(backup, here, found.Damaged["sessions"])
		return cmp.Or(here.err, backup.err)
	})
	return out, err
}

// applySessions applies the sessions of a backup, and returns how many messages were added. Without all it leaves out
// those that are not here: they were purged since.
func (s *Store) applySessions(from, to *tx, all bool) (messages int) {
	for _, session := range readSessions(from, `sessions`) {
		if sessionThere(to, session.ID) == 0 && !all {
			continue
		}
		part := &tx{Tx: to.Tx, ctx: to.ctx}
		applied := s.apply(part, func(take func(Line) error) error {
			of := &tx{Tx: from.Tx, ctx: from.ctx}
			dumpSession(of, session.key, take)
			return of.err
		})
		messages += applied.Messages
		if !errors.Is(part.err, ErrLine) && !errors.Is(part.err, ErrWaits) {
			to.fail(part.err)
		}
	}
	return messages
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
func checkEach(ctx context.Context, of *sql.Tx, each func(id int64, damaged bool)) error {
	t := &tx{Tx: of, ctx: ctx}
	eachMessage(t, func(m Message) { each(m.ID, m.Damaged) })
	return t.err
}

// eachMessage reads every message of the history in the order of their numbers, and checks each
// against its hash.
func eachMessage(t *tx, f func(Message)) {
	const atOnce = 200
	for last := int64(-1); ; {
		rows := readMessages(t, `messages m WHERE m.id > ? ORDER BY m.id LIMIT ?`, last, atOnce)
		if len(rows) == 0 {
			return
		}
		last = rows[len(rows)-1].ID
		for _, m := range complete(t, "", rows) {
			if t.err == nil {
				f(m)
			}
		}
	}
}
