// Package tree lists the files below a folder, so that a draft can name them, and finds them by some of their letters.
package tree

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
	"github.com/sahilm/fuzzy"
)

// The bounds of a list: what a person waits for, and what a folder such as / would go beyond.
const (
	MostFiles = 200_000
	Patience  = 5 * time.Second

	mostDepth   = 40
	ignoreBytes = 1 << 20 // of a .gitignore
)

// Tree is the files below a folder, those of upper folders first.
type Tree struct {
	Files []string // relative to the folder, with slashes
}

// folder is one that is still to be read.
type folder struct {
	path    string // relative to the root, with slashes; "" is the root
	depth   int
	ignores []pattern // of the folders above it
}

// pattern is one of a .gitignore.
type pattern struct {
	gitignore.Pattern
	depth int  // of the folder that it is for, in names
	name  bool // it is about names, wherever they are below that folder
}

// ignored says that git ignores what has these names from the top of the repository. The folders above it are known not
// to be ignored, so that a pattern about names is compared with the last one alone: there are many.
func ignored(patterns []pattern, names []string, isFolder bool) bool {
	last := make([]string, len(names))
	copy(last, names)
	for _, p := range slices.Backward(patterns) {
		of := names
		if p.name && p.depth < len(names) {
			of = append(last[:p.depth], names[len(names)-1])
		}
		result := p.Match(of, isFolder)
		if copy(last, names); result != gitignore.NoMatch {
			return result == gitignore.Exclude
		}
	}
	return false
}

// reader reads a tree.
type reader struct {
	root   string
	prefix []string // the names from the top of the git repository down to the root
	device uint64   // of the root
	files  []string
	next   []folder
	late   []folder // hidden folders and those of installed packages: where there is still room for them
}

// Read lists the files below root until it has MostFiles or its context ends. What git ignores is left out, and so are
// other file systems, such as /proc and network mounts, and links: a list must not wait for another machine.
func Read(ctx context.Context, root string) Tree {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	info, err := os.Stat(root)
	if err != nil {
		return Tree{}
	}
	r := reader{root: root, device: deviceOf(info)}
	r.next = []folder{{ignores: r.above()}}
	for ctx.Err() == nil && len(r.files) < MostFiles {
		if len(r.next) == 0 {
			if len(r.late) == 0 {
				break
			}
			r.next, r.late = r.late, nil
		}
		f := r.next[0]
		r.next = r.next[1:]
		r.read(f)
	}
	return Tree{Files: r.files[:min(len(r.files), MostFiles)]}
}

// above reads what git ignores by the folders above the root, up to the top of the repository.
func (r *reader) above() []pattern {
	whole, err := filepath.Abs(r.root)
	if err != nil {
		return nil
	}
	var dirs []string // from the root up to the top
	for dir := whole; ; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return nil // no repository
		}
	}
	slices.Reverse(dirs)
	patterns := patternsOf(filepath.Join(dirs[0], ".git", "info", "exclude"), nil)
	for _, dir := range dirs[1:] {
		patterns = append(patterns, patternsOf(filepath.Join(filepath.Dir(dir), ".gitignore"), r.prefix)...)
		r.prefix = append(r.prefix, filepath.Base(dir))
	}
	return patterns
}

// patternsOf reads a file with patterns for the folder with these names above it. One that cannot be read has none.
func patternsOf(name string, domain []string) []pattern {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > ignoreBytes {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	var out []pattern
	for line := range bytes.Lines(text) {
		if s := strings.TrimRight(string(line), "\r\n"); s != "" && s[0] != '#' {
			named := !strings.Contains(strings.TrimSuffix(s, "/"), "/")
			out = append(out, pattern{gitignore.ParsePattern(s, domain), len(domain), named})
		}
	}
	return out
}

// read lists one folder.
func (r *reader) read(f folder) {
	dir, err := os.Open(filepath.Join(r.root, filepath.FromSlash(f.path)))
	if err != nil {
		return // It may not be read, or is gone.
	}
	entries, err := dir.ReadDir(MostFiles - len(r.files))
	dir.Close()
	if err != nil {
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	names := slices.Clone(r.prefix)
	if f.path != "" {
		names = append(names, strings.Split(f.path, "/")...)
	}
	ignores := f.ignores
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" }) {
		own := patternsOf(filepath.Join(r.root, filepath.FromSlash(f.path), ".gitignore"), names)
		ignores = append(slices.Clip(ignores), own...)
	}
	names = append(names, "")
	for _, e := range entries {
		name := e.Name()
		names[len(names)-1] = name
		switch {
		case e.Type().IsRegular():
			if !ignored(ignores, names, false) {
				r.files = append(r.files, path.Join(f.path, name))
			}
		case e.IsDir() && name != ".git" && f.depth < mostDepth && !ignored(ignores, names, true):
			info, err := e.Info()
			if err != nil || deviceOf(info) != r.device {
				continue
			}
			below := folder{path.Join(f.path, name), f.depth + 1, ignores}
			if name[0] == '.' || name == "node_modules" {
				r.late = append(r.late, below)
			} else {
				r.next = append(r.next, below)
			}
		}
	}
}

// mostRanked is how many files that have the letters are ranked: so many are ranked between two key presses.
const mostRanked = 4000

// Find returns the files that have the letters of a query in their order, the best first: those whose own name has them
// side by side, then by how well they match. Without a query it returns the first files.
func (t Tree) Find(query string, most int) []string {
	if query == "" {
		return slices.Clone(t.Files[:min(most, len(t.Files))])
	}
	query = strings.ToLower(query)
	var named, others []string
	for _, file := range t.Files {
		switch {
		case !holds(file, query):
		case strings.Contains(strings.ToLower(path.Base(file)), query):
			named = append(named, file)
		case len(others) < mostRanked:
			others = append(others, file)
		}
	}
	var found []string
	for _, list := range [][]string{named, others} {
		list = list[:min(len(list), mostRanked)]
		for _, match := range fuzzy.Find(query, list) {
			if len(found) == most {
				return found
			}
			found = append(found, match.Str)
		}
	}
	return found
}

// holds says that a path has the letters of a query, which are small, in their order. Most paths do not, and this says
// so much faster than a ranking does.
func holds(path, query string) bool {
	at := 0
	for i := 0; i < len(path) && at < len(query); i++ {
		c := path[i]
		if c >= utf8.RuneSelf {
			return holdsRunes(path, query)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c == query[at] {
			at++
		}
	}
	return at == len(query)
}

// holdsRunes is holds for a path that is not all ASCII.
func holdsRunes(path, query string) bool {
	for _, r := range strings.ToLower(path) {
		if rest, ok := strings.CutPrefix(query, string(r)); ok {
			query = rest
		}
	}
	return query == ""
}
