package sync

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrDatabaseInFolder says that the folder is no place for segments, because a database is in it, or it is in the
// folder of the database. A program that keeps folders in sync copies a database while it is written, and so destroys
// it.
var ErrDatabaseInFolder = errors.New("a synced folder must not contain a chat history")

// The names in the folder. Everything else, such as the copies of files that conflicted, is left alone.
var (
	machineName   = regexp.MustCompile(`^[0-9a-f]{16}$`)
	segmentNamed  = regexp.MustCompile(`^\d{13}-[0-9a-f]{64}\.seg$`)
	unfinishedTmp = regexp.MustCompile(`^\.segment-\d+\.tmp$`)
)

// segmentEnd is how the name of a segment ends, after the time at which it was written: with its content's SHA-256.
func segmentEnd(sum []byte) string { return fmt.Sprintf("-%x.seg", sum) }

// shortName is the name of a segment for people.
func shortName(name string) string { return name[:len("0000000000000-00000000")] + "….seg" }

// folder is what a synced folder holds.
type folder struct {
	dir      string
	machines map[string][]string // the names of the segments that each machine wrote, the oldest first
	ignored  []string            // the names of files that are no segments
}

func (f *folder) path(machine, name string) string { return filepath.Join(f.dir, machine, name) }

// readFolder lists a synced folder.
func readFolder(dir string) (*folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir, machines: map[string][]string{}}
	for _, e := range entries {
		machine := e.Name()
		if !e.IsDir() || !machineName.MatchString(machine) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, machine))
		if err != nil {
			return nil, err
		}
		f.machines[machine] = nil
		for _, file := range files {
			name := file.Name()
			if segmentNamed.MatchString(name) && file.Type().IsRegular() {
				f.machines[machine] = append(f.machines[machine], name)
			} else if !unfinishedTmp.MatchString(name) {
				f.ignored = append(f.ignored, filepath.Join(machine, name))
			}
		}
	}
	return f, nil
}

// checkFolder returns an error where a folder is no place for segments of a history in the file at database.
func checkFolder(dir, database string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no such folder: %s", dir)
	}
	there, err := realPath(dir)
	if err != nil {
		return err
	}
	home, err := realPath(filepath.Dir(database))
	if err == nil && (within(there, home) || within(home, there)) {
		return fmt.Errorf("%w: the one in use is %s", ErrDatabaseInFolder, database)
	}
	// One that was copied into it some time is as much in danger.
	for _, pattern := range []string{"winnow.db*", "*/winnow.db*"} {
		if found, _ := fs.Glob(os.DirFS(there), pattern); len(found) > 0 {
			return fmt.Errorf("%w: there is %s", ErrDatabaseInFolder, filepath.Join(there, found[0]))
		}
	}
	return nil
}

// realPath is an absolute path without symbolic links.
func realPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// within reports whether a folder is another one or in it.
func within(folder, of string) bool {
	path, err := filepath.Rel(of, folder)
	return err == nil && path != ".." && !strings.HasPrefix(path, ".."+string(filepath.Separator))
}
