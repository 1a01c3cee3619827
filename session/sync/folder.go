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

// ErrDatabaseInFolder is returned if a database is in the synced folder, or the folder is next to the database. A
// program that syncs folders would copy the database while it is being written, and damage it.
var ErrDatabaseInFolder = errors.New("a synced folder must not contain a chat history")

// The names of winnow's files in the folder. All other files, such as conflicted copies, are ignored.
var (
	machineName   = regexp.MustCompile(`^[0-9a-f]{16}$`)
	segmentNamed  = regexp.MustCompile(`^\d{13}-[0-9a-f]{64}\.seg$`)
	unfinishedTmp = regexp.MustCompile(`^\.segment-\d+\.tmp$`)
)

// segmentEnd returns the end of a segment's name, after the time of its creation: the SHA-256 of its content.
func segmentEnd(sum []byte) string { return fmt.Sprintf("-%x.seg", sum) }

// shortName shortens the name of a segment for messages.
func shortName(name string) string { return name[:len("0000000000000-00000000")] + "….seg" }

// folder is the content of a synced folder.
type folder struct {
	dir      string
	machines map[string][]string // the names of each machine's segments, the oldest first
	ignored  []string            // names of other files
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

// checkFolder returns an error if the folder cannot hold segments of the history in the file database.
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
	// A database that was copied into the folder is in danger too.
	for _, pattern := range []string{"winnow.db*", "*/winnow.db*"} {
		if found, _ := fs.Glob(os.DirFS(there), pattern); len(found) > 0 {
			return fmt.Errorf("%w: there is %s", ErrDatabaseInFolder, filepath.Join(there, found[0]))
		}
	}
	return nil
}

// realPath returns an absolute path without symbolic links.
func realPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// within reports whether a folder is another one or inside it.
func within(folder, of string) bool {
	path, err := filepath.Rel(of, folder)
	return err == nil && path != ".." && !strings.HasPrefix(path, ".."+string(filepath.Separator))
}
