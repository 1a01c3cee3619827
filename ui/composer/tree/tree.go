// Package tree lists the files below a folder, so that a draft can name them, and finds them by some of their letters.
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

// The bounds of a list: what a person waits for, and what a folder such as / would go beyond.
const (
	maxFiles = 50_000
	timeout  = 5 * time.Second

	maxIgnoreFile = 1 << 20 // of a .gitignore
)

// List lists the files below root, those of upper folders first, until it has as many as are ranked between two keys or
// its context ends. What git ignores is left out, and so are links, hidden folders and those of installed packages. The
// git program is not asked: a repository can have it run other programs.
func List(ctx context.Context, root string) (files []string) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	above, ignored := repository(root)
	for next := [][]string{nil}; len(next) > 0 && len(files) < maxFiles && ctx.Err() == nil; next = next[1:] {
		in := filepath.Join(next[0]...)
		entries, _ := os.ReadDir(filepath.Join(root, in)) // One that may not be read has none.
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

// repository is the names of the folders between the top of the git repository that root is in and root, and what is
// ignored above root. Without a repository there is neither.
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

// patterns reads a file with patterns for the folder with these names. One that cannot be read has none.
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

// Find returns the files that have the letters of a query in their order, the best first. Without a query it returns
// the first files.
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
