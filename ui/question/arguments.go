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
func (m *Model) body() (lines []string) {
	call, w := m.question.Call, max(8, m.w-2*m.gutter()-5)
	if call == nil {
		return nil
	}
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
	return lineEnd.ReplaceAllString(out.String(), "$1\n      ")
}

// wrapped cuts a text into lines of w cells. Nothing of it is left out.
func wrapped(text string, w int) []string {
	return strings.Split(ansi.Hardwrap(markdown.Visible(text), w, true), "\n")
}
