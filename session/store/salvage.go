package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"winnow/session/store/sqlite"
)

// mendPatience is how long to wait for another window that has the damaged file open: a command
// ends soon, and so does another window that is saving it at this moment.
const mendPatience = 3 * time.Second

// errHeld says why a damaged file is left as it is for now.
var errHeld = fmt.Errorf("%w, and another window has it open; close that one and start winnow again: it then saves all that can be read", ErrDamaged)

// salvage saves what a damaged history still holds. Everything readable goes into a new file, the
// damaged one is set aside unchanged, and the new one takes its place. Until that moment nothing has
// changed, however it fails. Nobody may have the file open meanwhile: what they wrote would be lost.
func (s *Store) salvage(ctx context.Context, all []sqlite.Step, damaged os.FileInfo) error {
	doing := "save what the damaged chat history holds"
	if err := s.takeForSalvage(ctx, damaged); err != nil {
		if errors.Is(err, errExchanged) {
			return err
		}
		if errors.Is(err, ErrBusy) {
			return &trouble{doing: "open the chat history", where: s.path, kind: errHeld}
		}
		return explain(doing, s.path, err)
	}
	im, done, err := journaledImage(s.retired, s.path)
	if err != nil {
		return explain(doing, s.path, err)
	}
	defer done()
	fresh, err := blank(s.path)
	if err != nil {
		return explain(doing, s.path, err)
	}
	defer removeDatabase(fresh)
	saved, err := salvageInto(ctx, im, fresh, all, s.now().UnixMilli())
	if err == nil {
		err = errors.Join(syncFile(fresh), os.Rename(fresh, wholeFile(s.path)))
	}
	if err != nil {
		return explain(doing, s.path, err)
	}
	saved.File = asideName(s.path, "damaged", s.now())
	if err := exchange(s.path, saved.File); err != nil {
		return explain(doing, s.path, err)
	}
	os.Remove(s.marker())
	s.salvaged = &saved
	s.notices = append(s.notices, saved.String())
	return nil
}

// errExchanged says that another window has put another file in the place of the damaged one.
var errExchanged = errors.New("another window saved the damaged file meanwhile")

// takeForSalvage claims the file that was found damaged as soon as no other program has it open.
func (s *Store) takeForSalvage(ctx context.Context, damaged os.FileInfo) error {
	if s.retired != nil {
		return nil
	}
	patience := s.patience
	s.patience = min(patience, mendPatience)
	defer func() { s.patience = patience }()
	return s.insist(ctx, func() error {
		held, err := claim(s.path)
		now, gone := os.Stat(s.path)
		if gone != nil || !os.SameFile(damaged, now) {
			err = errExchanged
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

// blank makes an empty file beside the history that only the user may read.
func blank(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// removeDatabase removes a database that nobody needs, with what SQLite may have left beside it.
func removeDatabase(path string) {
	for _, end := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(path + end)
	}
}

// String says in a few sentences what was saved and what was lost.
func (s Salvage) String() string {
	var b strings.Builder
	b.WriteString("The chat history was damaged. ")
	if s.Sessions == 0 && s.Damaged == 0 {
		b.WriteString("Nothing in it could be read, and a new history begins. ")
	} else {
		fmt.Fprintf(&b, "%s and %s were saved; ", count(s.Sessions, "session"), count(s.Messages, "message"))
		switch {
		case s.LostSessions == 0 && s.LostMessages == 0:
			b.WriteString("nothing was lost. ")
		case s.LostSessions == 0:
			fmt.Fprintf(&b, "%s lost. ", were(s.LostMessages, "message"))
		default:
			fmt.Fprintf(&b, "%s and %s lost. ", count(s.LostSessions, "session"), were(s.LostMessages, "message"))
		}
	}
	if s.Damaged > 0 {
		fmt.Fprintf(&b, "Of the lost ones, %s still in place without text. ", were(s.Damaged, "message"))
	}
	if s.Nameless > 0 {
		fmt.Fprintf(&b, "%s saved without a title, as %q. ", were(s.Nameless, "session"), recoveredTitle)
	}
	fmt.Fprintf(&b, "The damaged file is kept as %s.", s.File)
	return b.String()
}

// count writes "1 message" and "2 messages".
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// were writes "1 message was" and "2 messages were".
func were(n int, thing string) string {
	if n == 1 {
		return count(n, thing) + " was"
	}
	return count(n, thing) + " were"
}
