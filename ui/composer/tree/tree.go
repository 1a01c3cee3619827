// Package tree lists the files below a folder and finds some of them by a few letters of their paths, for completing
// file names in a draft.
package tree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
	"github.com/sahilm/fuzzy"
)

// Limits of a listing: what a user waits for, and what keeps a folder such as / manageable.
const (
	maxFiles = 50_000
	timeout  = 5 * time.Second

	maxIgnoreFile = 1 << 20 // bytes of a .gitignore
)

// List returns the files below root as slash-separated paths, upper folders first, until it has maxFiles or its context
// ends. It leaves out what git ignores, links, hidden folders and node_modules. It does not run git, because a
// repository can make git run other programs.
func List(ctx context.Context, root string) (files []string) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	above, ignored := repository(root)
	for next := [][]string{nil}; len(next) > 0 && len(files) < maxFiles && ctx.Err() == nil; next = next[1:] {
		in := filepath.Join(next[0]...)
		entries, _ := os.ReadDir(filepath.Join(root, in)) // An unreadable folder is empty.
		names := slices.Concat(above, next[0])
		ignored = append(ignored, patterns(filepath.Join(root, in, ".gitignore"), names)...)
		git := gitignore.NewMatcher(ignored)
		for _, e := range entries {
			name := e.Name()
			switch {
			case !e.Type().IsRegular() && !e.IsDir(), git.Match(append(slices.Clip(names), name), e.IsDir()):
			case !e.IsDir():
				files = append(files, filepath.ToSlash(filepath.Join(in, name)))
			case name[0] != '.' && name != "node_modules":
				next = append(next, append(slices.Clip(next[0]), name))
			}
		}
	}
	return files
}

// repository returns the names of the folders from the top of the git repository down to root, and the ignore patterns
// from above root. Both are nil outside a repository.
func repository(root string) (names []string, ignored []gitignore.Pattern) {
	top, _ := filepath.Abs(root)
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		if top == filepath.Dir(top) {
			return nil, nil
		}
		names = append([]string{filepath.Base(top)}, names...)
		top = filepath.Dir(top)
	}
	ignored = patterns(filepath.Join(top, ".git", "info", "exclude"), nil)
	for n := range names {
		in := filepath.Join(names[:n]...)
		ignored = append(ignored, patterns(filepath.Join(top, in, ".gitignore"), names[:n])...)
	}
	return names, ignored
}

// patterns reads the ignore patterns in a file of a folder, none if it cannot be read.
func patterns(file string, folder []string) (out []gitignore.Pattern) {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return nil
	}
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" && line[0] != '#' {
			out = append(out, gitignore.ParsePattern(line, folder))
		}
	}
	return out
}

// Find returns at most so many files whose paths contain the letters of a query in order, the best first. For an empty
// query it returns the first files.
func Find(files []string, query string, most int) (found []string) {
	if query == "" {
		return files[:min(most, len(files))]
	}
	matches := fuzzy.Find(query, files)
	for _, match := range matches[:min(most, len(matches))] {
		found = append(found, match.Str)
	}
	return found
}
