package question

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"winnow/session/approval"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// body is the arguments in lines of at most w cells, all of them: what would run, and in front of it what came where
// that was repaired. Control characters are visible.
func (q Model) body(w int) []string {
	var lines []string
	ran := pretty(q.asked.Arguments.Object)
	if q.asked.Reason == approval.Repaired || len(q.asked.Arguments.Repairs) > 0 {
		lines = append(lines, wrapped("As received:", w)...)
		lines = append(lines, wrapped(received(q.asked.Call.Arguments), w)...)
		for _, r := range q.asked.Arguments.Repairs {
			lines = append(lines, theme.Wrap(r.Sentence(), w)...)
		}
		lines = append(lines, wrapped("As it would run:", w)...)
	}
	return append(lines, wrapped(ran, w)...)
}

// received is a text as it came.
func received(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return text
}

// lineEnd is an escaped line end in a JSON string, after an even number of backslashes.
var lineEnd = regexp.MustCompile(`((?:^|[^\\])(?:\\\\)*\\n)`)

// pretty is a JSON object with a line for each member. A string with line ends goes on below each of them.
func pretty(object string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(object), "", "  ") != nil {
		return object
	}
	var lines []string
	for line := range strings.SplitSeq(out.String(), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "    "
		parts := strings.Split(lineEnd.ReplaceAllString(line, "$1\n"), "\n")
		for i, part := range parts {
			if i > 0 {
				part = indent + part
			}
			if strings.TrimSpace(part) != "" {
				lines = append(lines, part)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// wrapped cuts a text into lines of w cells. Nothing of it is left out.
func wrapped(text string, w int) []string {
	var lines []string
	w = max(8, w)
	for row := range strings.SplitSeq(markdown.Visible(text), "\n") {
		at, width := 0, 0
		for end := 0; end < len(row); {
			n := theme.ClusterLen(row[end:])
			cells := theme.Width(row[end : end+n])
			if width > 0 && width+cells > w {
				lines = append(lines, row[at:end])
				at, width = end, 0
			}
			end, width = end+n, width+cells
		}
		lines = append(lines, row[at:])
	}
	return lines
}

// member is the beginning of a line that has a member's name.
var member = regexp.MustCompile(`^ *"(?:[^"\\]|\\.)*": `)

// paint makes the name of a member stand out.
func paint(st theme.Styles, line string) string {
	name := member.FindString(line)
	return st.Strong.Render(name) + st.Text.Render(line[len(name):])
}
