package composer

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"winnow/ui/theme"
)

// mostdropped is the longest paste that may be dragged files, in bytes.
const mostdropped = 8 << 10

// readingLabel stands for a file that is being read.
func readingLabel(path string) string {
	return "[" + theme.OneLine(filepath.Base(path)) + ": reading…]"
}

// Words parts a line as a shell does: at spaces that are not quoted and have no backslash in front.
func Words(line string) []string {
	var out []string
	var word strings.Builder
	open, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, open = r, true
		case strings.ContainsRune(" \t\n\r", r):
			if open {
				out = append(out, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		out = append(out, word.String())
	}
	return out
}

// dropped are the ways to read a paste as files that were dragged here, the likeliest first; none where
// it does not look like it. Terminals paste paths, some quoted, some not, and some as URLs.
func dropped(paste string) [][]string {
	paste = strings.TrimSpace(paste)
	if paste == "" || len(paste) > mostdropped || strings.ContainsRune(paste, 0) {
		return nil
	}
	var ways [][]string
	for _, way := range [][]string{lines(paste), Words(paste)} {
		if len(way) > 0 && each(way, rooted) && (len(ways) == 0 || len(way) != len(ways[0]) || way[0] != ways[0][0]) {
			ways = append(ways, way)
		}
	}
	return ways
}

// lines are the lines of a paste that are not blank.
func lines(paste string) []string {
	var out []string
	for line := range strings.Lines(paste) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// each says whether all of a list are so.
func each(list []string, ok func(string) bool) bool {
	for _, s := range list {
		if !ok(s) {
			return false
		}
	}
	return true
}

// rooted says that a text looks like the path of a dragged file, which is never a relative one.
func rooted(s string) bool {
	return filepath.IsAbs(s) || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, "file://")
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

// Escaped is a path as words reads it back.
func Escaped(path string) string {
	var b strings.Builder
	for _, r := range path {
		if strings.ContainsRune(" \t'\"\\", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
