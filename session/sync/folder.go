package sync

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ErrDatabaseInFolder says that the folder is no place for segments, because a database is in it, or it is in the
// folder of the database. A program that keeps folders in sync copies a database while it is written, and so destroys
// it.
var ErrDatabaseInFolder = errors.New("a synced folder must not contain a chat history")

// ErrNoFolder says that the folder is not there.
var ErrNoFolder = errors.New("there is no such folder")

// The names in the folder. Everything else, such as the copies of files that conflicted, is left alone.
var (
	machineName   = regexp.MustCompile(`^[0-9a-f]{16}$`)
	segmentNamed  = regexp.MustCompile(`^\d{13}-([0-9a-f]{64})\.seg$`)
	unfinishedTmp = regexp.MustCompile(`^\.segment-\d+\.tmp$`)
)

// lockedKey is the file with the key of a machine's segments, which a passphrase opens.
const lockedKey = "key.age"

// segmentName is the name of a segment, by the time at which it was written and the SHA-256 of its content.
func segmentName(created int64, sum []byte) string { return fmt.Sprintf("%013d-%x.seg", created, sum) }

// hashOf is the hash in the name of a segment.
func hashOf(path string) string {
	if found := segmentNamed.FindStringSubmatch(filepath.Base(path)); found != nil {
		return found[1]
	}
	return ""
}

// shortName is the name of a segment for people.
func shortName(name string) string { return name[:len("0000000000000-00000000")] + "….seg" }

// folder is what a synced folder holds.
type folder struct {
	dir      string
	machines []machineFolder // in the order of their ids
	ignored  []string        // the names of files that are no segments
}

// machineFolder is what one machine wrote.
type machineFolder struct {
	id       string
	segments []string // the names of their files, the oldest first
	locked   bool     // it has a key that a passphrase opens
}

// machine is the folder of a machine; ok is false where it has none.
func (f *folder) machine(id string) (m machineFolder, ok bool) {
	i := slices.IndexFunc(f.machines, func(m machineFolder) bool { return m.id == id })
	if i < 0 {
		return machineFolder{id: id}, false
	}
	return f.machines[i], true
}

func (f *folder) has(machine, name string) bool {
	m, _ := f.machine(machine)
	return slices.Contains(m.segments, name)
}

func (f *folder) path(machine, name string) string { return filepath.Join(f.dir, machine, name) }

// readFolder lists a synced folder.
func readFolder(dir string) (*folder, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir}
	for _, e := range entries {
		if !e.IsDir() || !machineName.MatchString(e.Name()) {
			continue
		}
		m := machineFolder{id: e.Name()}
		files, err := os.ReadDir(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name := file.Name()
			switch {
			case segmentNamed.MatchString(name) && file.Type().IsRegular():
				m.segments = append(m.segments, name)
			case name == lockedKey:
				m.locked = true
			case !unfinishedTmp.MatchString(name):
				f.ignored = append(f.ignored, filepath.Join(e.Name(), name))
			}
		}
		f.machines = append(f.machines, m)
	}
	return f, nil
}

// checkFolder returns an error where a folder is no place for segments of a history in the file at database.
func checkFolder(dir, database string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s", ErrNoFolder, dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%w: %s is a file", ErrNoFolder, dir)
	}
	there, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	home, err := filepath.EvalSymlinks(filepath.Dir(database))
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

// within reports whether a folder is another one or in it.
func within(folder, of string) bool {
	path, err := filepath.Rel(of, folder)
	return err == nil && path != ".." && !strings.HasPrefix(path, ".."+string(filepath.Separator))
}
