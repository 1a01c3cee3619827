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

// How a time is written in a file's name, in UTC: the name of an automatic backup has the day alone.
const (
	dayLayout   = "20060102"
	stampLayout = dayLayout + "-150405"
)

// File is a file that holds an earlier state of a history: mostly a backup in the folder of the history.
type File struct {
	Path    string
	Day     time.Time // when it was made, for an automatic backup midnight UTC of that day; of a backup alone
	Bytes   int64
	Damaged bool // it was set aside as damaged, or cannot be read: it can be deleted and not rewritten

	automatic bool // winnow made the backup itself
	draft     bool // it was never finished
}

// pathAt is that of the backup of a history at a time. It makes the folder.
func pathAt(path string, at time.Time, layout string) string {
	dir := filepath.Join(filepath.Dir(path), "backups")
	os.MkdirAll(dir, 0o700) // Write fails without it
	return filepath.Join(dir, stem(path)+"-"+at.UTC().Format(layout)+".db")
}

// stem is the name of a history's file without its extension.
func stem(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }

// filesBeside are the files that hold an earlier state of the history at path, by their names: the backups, those that
// were set aside, and the drafts of both.
func filesBeside(path string) (all []File) {
	path = realPath(path)
	names := regexp.MustCompile(fmt.Sprintf(
		`^(?:%s\.(damaged|before-restore|new)-[\d-]+|backups/%s-(\d{8}(-\d{6})?)\.db)(\.new-\d+)?$`,
		regexp.QuoteMeta(filepath.Base(path)), regexp.QuoteMeta(stem(path))))
	for _, dir := range []string{"backups/", ""} {
		entries, _ := os.ReadDir(filepath.Join(filepath.Dir(path), dir)) // none where no copy was made yet
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
				f.Day, _ = time.Parse(stampLayout[:len(m[2])], m[2]) // it is no backup without a day
			}
			all = append(all, f)
		}
	}
	return all
}

// List returns the backups of the history at path in its folder, the newest first: those that winnow made itself and
// those that were asked for without a name of their own. The history itself need not be there. Those dated later than
// now, by a clock that was wrong, are left out.
func List(path string, now time.Time) []File {
	all := slices.DeleteFunc(filesBeside(path), func(f File) bool {
		return f.draft || f.Day.IsZero() || f.Day.After(now)
	})
	slices.SortFunc(all, func(a, b File) int { return b.Day.Compare(a.Day) })
	return all
}

// DamagedFiles are the files that were set aside as damaged beside the history at path.
func DamagedFiles(path string) (files []string) {
	for _, f := range filesBeside(path) {
		if f.Damaged && !f.draft {
			files = append(files, f.Path)
		}
	}
	return files
}

// realPath is a path with its links resolved, where it leads to a file.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
