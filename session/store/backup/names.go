package backup

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"winnow/session/store/sqlite"
)

// Layouts of the times in file names, in UTC. The name of an automatic backup has only the day.
const (
	dayLayout   = "20060102"
	stampLayout = dayLayout + "-150405"
)

// File is a file that contains an earlier state of a history, usually a backup in its folder.
type File struct {
	Path    string
	Day     time.Time // when a backup was made, midnight UTC for an automatic one; zero for other files
	Bytes   int64
	Damaged bool // it was set aside as damaged or cannot be read, so it can be deleted but not rewritten

	automatic bool // winnow made the backup itself
	draft     bool // an unfinished copy
}

// pathAt returns the path of a backup made at a time, and creates the folder.
func pathAt(path string, at time.Time, layout string) string {
	dir := filepath.Join(filepath.Dir(path), "backups")
	os.MkdirAll(dir, 0o700) // if this fails, Write fails too
	return filepath.Join(dir, stem(path)+"-"+at.UTC().Format(layout)+".db")
}

// stem returns the base name of a file without its extension.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// filesBeside lists the files that contain an earlier state of the history at path, sorted by name: backups, files that
// were set aside, and unfinished copies.
func filesBeside(path string) (all []File) {
	path = realPath(path)
	names := regexp.MustCompile(fmt.Sprintf(
		`^(?:%s\.(damaged|before-restore|new)-[\d-]+|backups/%s-(\d{8}(-\d{6})?)\.db)(\.new-\d+)?$`,
		regexp.QuoteMeta(filepath.Base(path)), regexp.QuoteMeta(stem(path))))
	for _, dir := range []string{"backups/", ""} {
		entries, _ := os.ReadDir(filepath.Join(filepath.Dir(path), dir)) // fails if there are no backups yet
		for _, e := range entries {
			m := names.FindStringSubmatch(dir + e.Name())
			if m == nil || !e.Type().IsRegular() {
				continue
			}
			file := filepath.Join(filepath.Dir(path), dir, e.Name())
			f := File{
				Path: file, Bytes: sqlite.FileSize(file), Damaged: m[1] == "damaged",
				automatic: len(m[2]) == len(dayLayout), draft: m[1] == "new" || m[4] != "",
			}
			if m[2] != "" {
				f.Day, _ = time.Parse(stampLayout[:len(m[2])], m[2]) // zero if it does not parse: not a backup
			}
			all = append(all, f)
		}
	}
	return all
}

// List returns the backups of the history at path, newest first: the automatic ones and those in the same folder that
// the user requested. The history itself need not exist. Backups dated after now, by a wrong clock, are omitted.
func List(path string, now time.Time) []File {
	all := slices.DeleteFunc(filesBeside(path), func(f File) bool {
		return f.draft || f.Day.IsZero() || f.Day.After(now)
	})
	slices.SortFunc(all, func(a, b File) int { return b.Day.Compare(a.Day) })
	return all
}

// DamagedFiles returns the paths of the files beside the history at path that were set aside as damaged.
func DamagedFiles(path string) (files []string) {
	for _, f := range filesBeside(path) {
		if f.Damaged && !f.draft {
			files = append(files, f.Path)
		}
	}
	return files
}

// realPath returns path with symbolic links resolved, or path itself if that fails.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
