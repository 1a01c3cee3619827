package store

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
)

// Backup copies the whole history to a new file, as backup.Write does.
func (s *Store) Backup(ctx context.Context, path string) error {
	from := s.reads
	if s.path != sqlite.Memory && !s.readOnly {
		from = sqlite.Pool(s.path, sqlite.Reading, 1) // neither writers nor readers are held up
		defer from.Close()
	}
	return s.mark(backup.Write(ctx, from, s.path, path))
}

// BackUpToday makes the automatic backup of this day, where one is due and there is a message to keep. A
// damaged history is not backed up: the error is ErrDamaged. It returns the new file, "" for none.
// The pages of the copy are those of the history, so where one is sound, the other is: Examine has nothing to do
// afterwards.
func (s *Store) BackUpToday(ctx context.Context) (string, error) {
	if s.readOnly || s.path == sqlite.Memory {
		return "", nil
	}
	messages, err := inTx(ctx, s.view, "back up the chat history", func(t *tx) bool {
		return value[bool](t, "SELECT EXISTS (SELECT 1 FROM messages)")
	})
	if err != nil || !messages {
		return "", err
	}
	return backup.Daily(s.path, s.now(), func(to string) error {
		err := s.Backup(ctx, to)
		if err == nil {
			s.checked.Store(true)
		}
		return err
	})
}

// BackupName is where a backup that the user asks for stands where no other name is given.
func (s *Store) BackupName() string { return backup.Name(s.path, s.now()) }

// NewestBackup returns the newest backup of this history, and false where there is none.
func (s *Store) NewestBackup(ctx context.Context) (backup.File, bool) {
	all := backup.List(ctx, s.path, s.now())
	if s.path == sqlite.Memory || len(all) == 0 {
		return backup.File{}, false
	}
	return all[0], true
}

// offerBackup says so where a backup holds more than the file that was opened: after a
// salvage, or where the history has gone.
func (s *Store) offerBackup(ctx context.Context) {
	if !s.fresh && s.salvaged == nil {
		return
	}
	here, offer := 0, "There is no chat history here, and a backup of %s"
	if s.salvaged != nil {
		here, offer = s.salvaged.Messages, "The backup of %s has more"
	}
	if b, ok := s.NewestBackup(ctx); ok && b.Messages > here {
		s.notices = append(s.notices, fmt.Sprintf(offer+": %s and %s. winnow db restore latest restores it.",
			b.Day.Format("2006-01-02"),
			english.Plural(b.Sessions, "session", ""), english.Plural(b.Messages, "message", "")))
	}
}
