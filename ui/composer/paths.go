package composer

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mostDropped is the longest paste that may be dragged files, in bytes.
const mostDropped = 8 << 10

// Words parts a line as a shell does: at spaces that are not quoted and have no backslash in front.
func Words(line string) []string {
	words := word.FindAllString(line, -1)
	for i := range words {
		words[i] = quoted.ReplaceAllString(words[i], "$1$2$3")
	}
	return words
}

// A word, and what is quoted in one.
var (
	word   = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|\\.|\S)+`)
	quoted = regexp.MustCompile(`'([^']*)'|"([^"]*)"|\\(.)`)
)

// each reports whether all of a list are so.
func each(list []string, ok func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !ok(s) })
}

// rooted reports whether a text looks like the path of a dragged file, which is never a relative one.
func rooted(s string) bool {
	return filepath.IsAbs(s) || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "file://")
}

// isThere reports whether a path is one of a file, and not of a folder.
func isThere(path string) bool {
	info, err := os.Stat(resolved(path))
	return err == nil && info.Mode().IsRegular()
}

// resolved is the path that a person means: of a URL, of the home folder, or of the folder that winnow
// runs in.
func resolved(path string) string {
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" {
		path = filepath.FromSlash(u.Path)
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// Escaped is a list of paths as Words reads it back.
func Escaped(paths ...string) string {
	var out []string
	for _, path := range paths {
		out = append(out, special.ReplaceAllString(path, `\$0`))
	}
	return strings.Join(out, " ")
}

// special are the letters that part words.
var special = regexp.MustCompile(`[ \t'"\\]`)
