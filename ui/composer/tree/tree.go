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
	mostFiles = 50_000
	patience  = 5 * time.Second

	ignoreBytes = 1 << 20 // of a .gitignore
)

// folder is one whose files are listed.
type folder struct {
	names   []string // from the top of the repository, or from the root where there is none
	ignores []gitignore.Pattern
}

// Read lists the files below root, those of upper folders first, until it has as many as are ranked between two keys or
// its context ends. What git ignores is left out, and so are links, hidden folders and those of installed packages. The
// git program is not asked: a repository can have it run other programs.
func Read(ctx context.Context, root string) (files []string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	first := above(root)
	depth := len(first.names)
	for next := []folder{first}; len(next) > 0 && len(files) < mostFiles && ctx.Err() == nil; next = next[1:] {
		f := next[0]
		in := filepath.Join(f.names[depth:]...)
		entries, _ := os.ReadDir(filepath.Join(root, in)) // One that may not be read has none.
		f.ignores = append(slices.Clip(f.ignores), patterns(filepath.Join(root, in, ".gitignore"), f.names)...)
		git := gitignore.NewMatcher(f.ignores)
		for _, e := range entries {
			name := e.Name()
			names := append(slices.Clip(f.names), name)
			switch {
			case !e.Type().IsRegular() && !e.IsDir(), git.Match(names, e.IsDir()):
			case !e.IsDir():
				files = append(files, filepath.ToSlash(filepath.Join(in, name)))
			case name[0] != '.' && name != "node_modules":
				next = append(next, folder{names, f.ignores})
			}
		}
	}
	return files
}

// above is the root as a folder of its git repository, with what the folders above it ignore.
func above(root string) (f folder) {
	whole, _ := filepath.Abs(root)
	top := whole
	for !exists(filepath.Join(top, ".git")) {
		if top == filepath.Dir(top) {
			return folder{} // no repository
		}
		top = filepath.Dir(top)
	}
	f.ignores = patterns(filepath.Join(top, ".git", "info", "exclude"), nil)
	below, _ := filepath.Rel(top, whole)
	for name := range strings.SplitSeq(filepath.ToSlash(below), "/") {
		if name != "." {
			f.ignores = append(f.ignores, patterns(filepath.Join(top, ".gitignore"), f.names)...)
			f.names, top = append(f.names, name), filepath.Join(top, name)
		}
	}
	return f
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// patterns reads a file with patterns for the folder with these names. One that cannot be read has none.
func patterns(name string, folder []string) (out []gitignore.Pattern) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > ignoreBytes {
		return nil
	}
	text, _ := os.ReadFile(name)
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
	for _, match := range fuzzy.Find(query, files) {
		if len(found) < most {
			found = append(found, match.Str)
		}
	}
	return found
}
