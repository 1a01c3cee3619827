package composer

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

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

// resolved is the path that a person means: of a URL, of the home folder, or of the folder that winnow
// runs in.
func resolved(path string) string {
	if isAddress(path) || isMention(path) {
		return path
	}
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

// Escaped is a path as Words reads it back.
func Escaped(path string) string { return special.ReplaceAllString(path, `\$0`) }

// special are the letters that part words.
var special = regexp.MustCompile(`[ \t'"\\]`)
