package question

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/session/approval"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// body is all lines of the arguments of a call: what would run, and in front of it what came where that was repaired.
// Control characters are visible.
func (m *Model) body() []string {
	call, w := m.question.call(), m.bodyWidth()
	if call == nil {
		return nil
	}
	var lines []string
	if call.Reason == approval.Repaired || len(call.Arguments.Repairs) > 0 {
		lines = append(lines, "As received:")
		lines = append(lines, wrapped(cmp.Or(call.Call.Arguments, "(nothing)"), w)...)
		for _, r := range call.Arguments.Repairs {
			lines = append(lines, theme.Wrap(r.Sentence(), w)...)
		}
		lines = append(lines, "As it would run:")
	}
	return append(lines, wrapped(pretty(call.Arguments.Object), w)...)
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
		for i, part := range strings.Split(lineEnd.ReplaceAllString(line, "$1\n"), "\n") {
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
	return strings.Split(ansi.Hardwrap(markdown.Visible(text), w, true), "\n")
}

// member is the beginning of a line that has a member's name.
var member = regexp.MustCompile(`^ *"(?:[^"\\]|\\.)*": `)

// paint makes the name of a member stand out.
func paint(st theme.Styles, line string) string {
	name := member.FindString(line)
	return st.Strong.Render(name) + st.Text.Render(line[len(name):])
}
