package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
)

func TestBackupIsTheWholeHistory(t *testing.T) {
	s := newStore(t)
	speak(t, s, 3)
	ctx := context.Background()
	to := filepath.Join(t.TempDir(), "copy.db")
	must(t, "back up", s.Backup(ctx, to))
	if info, err := os.Stat(to); err != nil || info.Mode() != 0o600 {
		t.Errorf("the backup is %v, %v; want mode 0600", info, err)
	}
	copied := openAt(t, to, Options{})
	want, err := s.Sessions(ctx, Filter{})
	must(t, "list", err)
	got, err := copied.Sessions(ctx, Filter{})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the backup has %+v, %v; want %+v", got, err, want)
	}
	if c, err := copied.Check(ctx); err != nil || !c.Sound() {
		t.Errorf("the check of the backup: %+v, %v", c, err)
	}
	before, err := os.ReadFile(to)
	must(t, "read", err)
	if err := s.Backup(ctx, to); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "not overwritten") {
		t.Errorf("a backup onto a file = %v, want fs.ErrExist", err)
	}
	if after, _ := os.ReadFile(to); string(after) != string(before) {
		t.Error("a file that was there was overwritten")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to), "*.new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDailyBackupsAreSevenAtMost(t *testing.T) {
	c := noon()
	path := newPath(t)
	s := openAt(t, path, Options{Now: c.now})
	ctx := context.Background()
	if name, err := s.BackUpToday(ctx); name != "" || err != nil {
		t.Errorf("an empty history was backed up to %q, %v", name, err)
	}
	for range 9 {
		begin(t, s, "", "hello")
		first, err := s.BackUpToday(ctx)
		must(t, "back up", err)
		begin(t, s, "", "hello again")
		second, err := s.BackUpToday(ctx)
		if want := "winnow-" + c.t.Format("20060102") + ".db"; err != nil || filepath.Base(first) != want ||
			second != "" {
			t.Errorf("the backups of one day are %q and %q, %v; want %s and none", first, second, err, want)
		}
		c.add(24 * time.Hour)
	}
	mine := s.BackupName()
	must(t, "back up", s.Backup(ctx, mine))
	all := backup.List(ctx, path, c.t)
	if len(all) != 8 || all[0].Path != mine {
		t.Fatalf("with one that was asked for there are %+v; want 8, that one first", all)
	}
	all = all[1:]
	if len(all) != 7 || !all[0].Day.Equal(time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)) || all[0].Messages != 17 ||
		all[6].Sessions != 5 {
		t.Errorf("%d backups are kept: %+v; want 7, the newest with 17 messages", len(all), all)
	}
}

// A start with a clock in the future leaves a backup of that date. It keeps no later one from being made,
// is the first to be removed, and is not the latest.
func TestBackupOfTheFutureIsAnOldOne(t *testing.T) {
	c := &clock{time.Now().Truncate(24 * time.Hour).Add(-100 * 24 * time.Hour)}
	path := newPath(t)
	s := openAt(t, path, Options{Now: c.now})
	ctx := context.Background()
	begin(t, s, "", "hello")
	wrong := &clock{c.t.AddDate(3, 0, 0)}
	s.now = wrong.now
	future, err := s.BackUpToday(ctx)
	must(t, "back up", err)
	must(t, "date it", os.Chtimes(future, wrong.t, wrong.t))
	manual := s.BackupName()
	must(t, "back up", s.Backup(ctx, manual))
	s.now = c.now
	for day := range 8 {
		begin(t, s, "", "hello again")
		made, err := s.BackUpToday(ctx)
		if err != nil || made == "" {
			t.Fatalf("day %d: the backup is %q, %v", day, made, err)
		}
		must(t, "date it", os.Chtimes(made, c.t, c.t))
		all := backup.List(ctx, path, c.t)
		if all[0].Path != made || all[0].Messages != day+2 {
			t.Errorf("day %d: the latest backup is %+v, want %s", day, all[0], made)
		}
		if last := all[len(all)-1]; last.Path != manual && last.Path != future {
			t.Errorf("day %d: the last in the list is %s, want one of the future", day, last.Path)
		}
		c.add(24 * time.Hour)
	}
	if there(future) || !there(manual) {
		t.Errorf("after eight days the automatic backup of the future is there: %v, want false; "+
			"the manual one: %v, want true", there(future), there(manual))
	}
	if newest, ok := s.NewestBackup(ctx); !ok || newest.Messages != 9 {
		t.Errorf("the newest backup holds %+v", newest)
	}
	// With a clock that fell back all are of the future, and the newest of them is the latest.
	if all := backup.List(ctx, path, time.Unix(0, 0)); all[0].Path != manual {
		t.Errorf("at the beginning of time the latest is %s, want %s", all[0].Path, manual)
	}
}

// Without a transaction around its steps, each write of another connection makes the copy start again.
func TestBackupBesideAStreamingAnswerEnds(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", strings.Repeat("long ", 4<<20)) // some thousand pages
	answer := start(t, s, session.ID, first.ID)
	from := sqlite.Pool(s.Path(), sqlite.Reading, 1)
	defer from.Close()
	to := filepath.Join(t.TempDir(), "copy.db")
	done := make(chan error)
	go func() { done <- sqlite.Copy(ctx, from, to) }()
	for steps := 0; ; steps++ {
		select {
		case err := <-done:
			must(t, "copy", err)
			if steps < 3 {
				t.Fatalf("the copy ended after %d pieces of the answer", steps)
			}
		default:
			must(t, "checkpoint", s.Checkpoint(ctx, answer.ID, fmt.Sprint(steps), ""))
			continue
		}
		break
	}
	copied := openAt(t, to, Options{})
	if c, err := copied.Check(ctx); err != nil || !c.Sound() || c.Messages != 2 {
		t.Errorf("the check of the copy: %+v, %v", c, err)
	}
}

// A copy of a damaged history would in time push out the good ones.
func TestDamagedHistoryIsNotBackedUp(t *testing.T) {
	c := noon()
	path := newPath(t)
	s := openAt(t, path, Options{Now: c.now})
	ctx := context.Background()
	speak(t, s, 3)
	_, err := s.full.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	must(t, "checkpoint", err)
	var root int64
	must(t, "find the messages",
		s.full.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_parent'").Scan(&root))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, "open", err)
	_, err = f.WriteAt(make([]byte, 4096), (root-1)*4096)
	must(t, "damage", errors.Join(err, f.Close()))
	if name, err := s.BackUpToday(ctx); !errors.Is(err, ErrDamaged) || name != "" {
		t.Errorf("a damaged history was backed up to %q, %v; want ErrDamaged", name, err)
	}
	if left, _ := os.ReadDir(filepath.Join(filepath.Dir(path), "backups")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	if !there(s.marker()) {
		t.Error("the damage that was met is not marked for the next start")
	}
}

func TestRestoreSetsThePresentFileAside(t *testing.T) {
	path := newPath(t)
	ctx := context.Background()
	s, err := Open(ctx, path, Options{Now: noon().now})
	must(t, "open", err)
	_, old := begin(t, s, "old", "what was backed up")
	copied, err := s.BackUpToday(ctx)
	must(t, "back up", err)
	_, young := begin(t, s, "young", "what came later")
	must(t, "close", s.Close())

	aside, err := backup.Restore(ctx, path, copied, noon().t)
	if want := path + ".before-restore-20261121-120000"; err != nil || aside != want {
		t.Fatalf("Restore = %q, %v; want %q", aside, err, want)
	}
	s, err = Open(ctx, path, Options{Now: noon().now})
	must(t, "open", err)
	if got := read(t, s, old.ID).Content; got != "what was backed up" {
		t.Errorf("restored is %q", got)
	}
	if _, err := messageOf(s, young.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("a later message is there: %v", err)
	}
	must(t, "close", s.Close())

	// And back again: nothing was lost.
	if _, err := backup.Restore(ctx, path, aside, noon().t); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path, Options{Now: noon().now})
	if got := read(t, s, young.ID).Content; got != "what came later" {
		t.Errorf("after restoring what was set aside, the later message is %q", got)
	}
}

func TestRestoreRefusesWhatIsNoHistory(t *testing.T) {
	path := newPath(t)
	first := storePrecious(t, path)
	text := filepath.Join(t.TempDir(), "notes.txt")
	must(t, "write", os.WriteFile(text, []byte("not a history"), 0o600))
	ctx := context.Background()
	for from, kind := range map[string]error{text: ErrNotHistory, text + "x": ErrNotFound} {
		if _, err := backup.Restore(ctx, path, from, noon().t); !errors.Is(err, kind) {
			t.Errorf("Restore of %s = %v, want %v", from, err, kind)
		}
	}
	if got := read(t, openAt(t, path, Options{}), first.ID).Content; got != "precious" {
		t.Errorf("after refusals the history holds %q", got)
	}
	if left, _ := filepath.Glob(path + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRestoreWaitsForNoWindow(t *testing.T) {
	path := newPath(t)
	copied := filepath.Join(t.TempDir(), "backup.db")
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	begin(t, s, "", "hello")
	must(t, "back up", s.Backup(context.Background(), copied))
	must(t, "close", s.Close())
	holdOpen(t, path)
	_, err = backup.Restore(context.Background(), path, copied, noon().t)
	if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "quit winnow first") {
		t.Errorf("Restore under an open window = %v, want ErrBusy with its sentence", err)
	}
}

// holdOpen has another program keep the history open until the test ends.
func holdOpen(t *testing.T, path string) {
	t.Helper()
	cmd, out := run(t, "hold", path)
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the other program did not open the history: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // an error: it was killed
	})
}

// holdProgram opens a history and keeps it open.
func holdProgram(args []string) error {
	if _, err := Open(context.Background(), args[0], Options{}); err != nil {
		return err
	}
	os.Stdout.WriteString("x")
	time.Sleep(time.Hour) // it is killed
	return nil
}

func TestMissingHistoryPointsToItsBackup(t *testing.T) {
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{Now: noon().now})
	must(t, "open", err)
	begin(t, s, "", "hello")
	_, err = s.BackUpToday(context.Background())
	must(t, "back up", err)
	must(t, "close", s.Close())
	must(t, "remove", os.Remove(path))
	s = openAt(t, path, Options{Now: noon().now})
	if n := strings.Join(s.Notices(), " "); !strings.Contains(n,
		"a backup of 2026-11-21: 1 session and 1 message. winnow db restore latest") {
		t.Errorf("the notices are %q and do not name the backup", n)
	}
}

func TestCheckNamesWhatIsDamaged(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	_, m := begin(t, s, "", "hello")
	begin(t, s, "", "well")
	if c, err := s.Check(ctx); err != nil || !c.Sound() || c.Sessions != 2 || c.Messages != 2 || c.Schema != 1 {
		t.Errorf("Check of a sound history = %+v, %v", c, err)
	}
	_, err := s.full.Exec(`UPDATE messages SET content = x'00' WHERE id = ?`, m.ID)
	must(t, "damage", err)
	_, err = s.full.Exec("PRAGMA foreign_keys = OFF; INSERT INTO windows (session, owner) VALUES (99, 'lost')")
	must(t, "damage", err)
	c, err := s.Check(ctx)
	must(t, "check", err)
	if want := []int64{m.ID}; !reflect.DeepEqual(c.Damaged, want) {
		t.Errorf("damaged are %v, want %v", c.Damaged, want)
	}
	if want := []string{
		"rows that belong to nothing: 1",
	}; !reflect.DeepEqual(c.Faults, want) {
		t.Errorf("the faults are %q, want %q", c.Faults, want)
	}
}
