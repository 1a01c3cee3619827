package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mounted mounts a small disk, which requires root.
func mounted(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	mount(t, append(args, dir)...)
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir
}

func mount(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		t.Skipf("this needs the right to mount a disk: %v, %s", err, out)
	}
}

// fillDisk fills the rest of a disk with a file, and returns a function that removes it.
func fillDisk(t *testing.T, dir string) (empty func()) {
	t.Helper()
	name := filepath.Join(dir, "ballast")
	f, err := os.Create(name)
	must(t, "create", err)
	for _, size := range []int{64 << 10, 4 << 10, 1} {
		for err == nil {
			_, err = f.Write(make([]byte, size))
		}
		err = nil
	}
	must(t, "close", f.Close())
	return func() { must(t, "remove", os.Remove(name)) }
}

func TestNewHistoryOnAFullDiskIsRefusedInWords(t *testing.T) {
	dir := mounted(t, "-t", "tmpfs", "-o", "size=64k", "tmpfs")
	fillDisk(t, dir)
	s, err := Open(context.Background(), filepath.Join(dir, "winnow.db"), Options{})
	if err == nil {
		s.Close()
	}
	if !errors.Is(err, ErrDiskFull) {
		t.Errorf("Open on a full disk = %v, want ErrDiskFull", err)
	}
}

// SQLite needs some space beside the file even to begin a transaction. Without it the history can still be read,
// including the write-ahead log of a program that died, and nothing on disk changes.
func TestHistoryOnAFullDiskIsOpenForReading(t *testing.T) {
	for _, died := range []bool{false, true} {
		t.Run(fmt.Sprint("died ", died), func(t *testing.T) {
			was := makeSound(t, died)
			dir := mounted(t, "-t", "tmpfs", "-o", "size=4m", "tmpfs")
			path := filepath.Join(dir, "winnow.db")
			for _, end := range []string{"", "-wal"} {
				if was.files[end] != nil {
					must(t, "write", os.WriteFile(path+end, was.files[end], 0o600))
				}
			}
			empty := fillDisk(t, dir)
			ctx := context.Background()
			s, err := Open(ctx, path, Options{})
			must(t, "open", err)
			if !s.ReadOnly() || !strings.Contains(strings.Join(s.Notices(), " "),
				path+" is open read-only: the disk is full; free some space") {
				t.Errorf("read-only: %v, notices %q", s.ReadOnly(), s.Notices())
			}
			if served := servedBy(t, s, was); len(served) != len(was.messages) {
				t.Errorf("%d of %d messages can be read", len(served), len(was.messages))
			}
			if _, err := s.AppendMessage(ctx, Message{}); !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(),
				"the disk is full; free some space") {
				t.Errorf("Append = %v, want ErrReadOnly with the way out", err)
			}
			must(t, "back up to another disk", s.Backup(ctx, filepath.Join(t.TempDir(), "copy.db")))
			must(t, "close", s.Close())
			empty()
			s = openAt(t, path, Options{})
			if c, err := s.Check(ctx); err != nil || !c.Sound() || c.Messages != len(was.messages) || s.ReadOnly() {
				t.Errorf("with room again the check says %+v, %v; want %d messages", c, err, len(was.messages))
			}
		})
	}
}

// Without space for a new file, a damaged one is left unchanged.
func TestDamagedFileOnAFullDiskIsLeftAlone(t *testing.T) {
	was := makeSound(t, false)
	dir := mounted(t, "-t", "tmpfs", "-o", "size=4m", "tmpfs")
	path := filepath.Join(dir, "winnow.db")
	damaged := bytes.Clone(was.files[""])
	clear(damaged[:4096])
	must(t, "write", os.WriteFile(path, damaged, 0o600))
	empty := fillDisk(t, dir)
	s, err := Open(context.Background(), path, Options{})
	if err == nil {
		s.Close()
	}
	if !errors.Is(err, ErrDiskFull) || !strings.Contains(err.Error(), "recover the damaged chat history") {
		t.Errorf("Open = %v, want ErrDiskFull and what was tried", err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, damaged) {
		t.Errorf("the damaged file was changed: %d bytes, %v", len(now), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("beside the file and the ballast there is something: %v, %v", entries, err)
	}
	empty()
	s = openAt(t, path, Options{})
	if !s.Salvaged() {
		t.Error("with room again the damaged file was not met")
	}
}

// A damaged file is recovered behind a symbolic link, and as a mount point of a container, which cannot be renamed.
func TestDamagedFileIsSavedWhereItIs(t *testing.T) {
	for name, c := range map[string]struct {
		reach func(t *testing.T, real, path string)
		aside bool // the file set aside is beside the real one
	}{
		"link": {func(t *testing.T, real, path string) { must(t, "link", os.Symlink(real, path)) }, true},
		"mount": {func(t *testing.T, real, path string) {
			must(t, "write", os.WriteFile(path, nil, 0o600))
			mount(t, "--bind", real, path)
			t.Cleanup(func() { exec.Command("umount", "-l", path).Run() })
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			real, damaged, was := damagedHistory(t)
			path := filepath.Join(t.TempDir(), "link.db")
			c.reach(t, real, path)
			s, err := Open(context.Background(), path, Options{Now: noon().now})
			must(t, "open", err)
			defer s.Close()
			checkSalvage(t, s, was, map[string][]byte{"": damaged}, len(was.messages))
			if beside := filepath.Dir(s.salvaged.File) == filepath.Dir(real); beside != c.aside {
				t.Errorf("set aside as %s, beside %s: %v", s.salvaged.File, real, beside)
			}
			if now, err := os.ReadFile(real); err != nil || len(now) == 0 || bytes.Equal(now, damaged) {
				t.Errorf("the file itself holds %d bytes, %v; want the saved history", len(now), err)
			}
		})
	}
}
