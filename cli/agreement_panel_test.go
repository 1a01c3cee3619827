package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"winnow/cli/report"
)

// panelRow is one line of the panel's list as a person reads it.
type panelRow struct {
	line   string
	glyph  string
	number int    // of the message, from 1; 0 for an added text
	role   string // as the screen says it
	sum    int    // tokens, or by how many they differ
	signed bool   // it is a difference
}

// panelText is the context panel as it stands on the screen.
type panelText struct {
	text  string     // all of it
	rows  []panelRow // of the messages
	added []panelRow // of the texts that nobody said
	total int        // tokens of the request, as the server counts them
	parts map[string]int
}

const panelGlyphs = "●◐○◆⊘▲✚↺"

var (
	numberPattern = regexp.MustCompile(`^[+−-]?[\d,]+$`)
	totalPattern  = regexp.MustCompile(`~([\d,]+)`)
	partPattern   = regexp.MustCompile(`\S (system|tools|format|pinned|history|recalled|added|draft|question) ~?([\d,]+)`)
)

// readPanel reads the panel off a screen.
func readPanel(screen string) (panelText, error) {
	p := panelText{parts: map[string]int{}}
	left, part := -1, 0 // the panel's cell; sums, list, foot
	for line := range strings.SplitSeq(screen, "\n") {
		if before, title, found := strings.Cut(line, "╭ context"); found {
			left, p.text = ansi.StringWidth(before), "context"+strings.TrimRight(title, "─╮ ")+"\n"
			continue
		}
		if left < 0 {
			continue
		}
		line, framed := strings.CutPrefix(strings.TrimRight(ansi.Cut(line, left, stageWidth), " "), "│")
		line = strings.TrimRight(strings.TrimSuffix(line, "│"), " ")
		if line != "" {
			p.text += line + "\n"
		}
		switch {
		case !framed || line == "":
		case strings.HasPrefix(line, "──"):
			part++
		case part == 0:
			p.readHead(line)
		case part == 1:
			if err := p.read(line); err != nil {
				return p, err
			}
		}
	}
	if left < 0 {
		return p, fmt.Errorf("there is no context panel on the screen\n%s", screen)
	}
	return p, nil
}

// readHead reads the sums above the list.
func (p *panelText) readHead(line string) {
	if m := totalPattern.FindStringSubmatch(line); m != nil && p.total == 0 && strings.Contains(line, " of ") {
		p.total = readNumber(m[1])
	}
	for _, m := range partPattern.FindAllStringSubmatch(line, -1) {
		p.parts[m[1]] = readNumber(m[2])
	}
}

// read reads a line of the list: glyph, number, role, what became of it, and the sum.
func (p *panelText) read(line string) error {
	words := strings.Fields(line)
	row := panelRow{line: line, glyph: words[0]}
	if _, n := utf8.DecodeRuneInString(row.glyph); n < len(row.glyph) {
		row.glyph = row.glyph[n:] // There is a sign in the margin.
	}
	if !strings.Contains(panelGlyphs, row.glyph) || len(words) < 2 {
		return fmt.Errorf("the panel's line %q begins with no glyph", line)
	}
	last := words[len(words)-1]
	if numberPattern.MatchString(last) {
		row.sum, row.signed = readNumber(last), !strings.ContainsAny(last[:1], "0123456789")
	}
	if row.glyph == "✚" {
		p.added = append(p.added, row)
		return nil
	}
	if len(words) < 4 || !numberPattern.MatchString(words[1]) || !numberPattern.MatchString(last) {
		return fmt.Errorf("the panel's line %q is not glyph, number, role and sum", line)
	}
	row.number, row.role = readNumber(words[1]), words[2]
	p.rows = append(p.rows, row)
	return nil
}

// readNumber reads a number as the screen writes it.
func readNumber(text string) int {
	n, _ := strconv.Atoi(strings.NewReplacer(",", "", "−", "-").Replace(text))
	return n
}

// glyphFits says whether a glyph is true of a verdict.
func glyphFits(glyph string, e report.EntryJSON) bool {
	sent := e.Disposition == "kept" || e.Disposition == "cut" || e.Disposition == "recalled"
	switch glyph {
	case "●":
		return e.Disposition == "kept" && !e.Pinned && len(e.Repairs) == 0 && !e.Recalled
	case "◐":
		return e.Disposition == "cut"
	case "○":
		return !sent && e.Disposition != "excluded"
	case "⊘":
		return e.Disposition == "excluded"
	case "◆":
		return sent && e.Pinned
	case "▲":
		return sent && len(e.Repairs) > 0
	case "↺":
		return sent && (e.Recalled || e.Disposition == "recalled")
	}
	return false
}

// screenRole is how the screen names a role.
func screenRole(role string) string {
	switch role {
	case "user":
		return "you"
	case "assistant":
		return "model"
	}
	return role
}

// separated writes a number as the screen does.
func separated(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// receiptPattern is what an answer's receipt says first.
var receiptPattern = regexp.MustCompile(`saw ([\d,]+) of ([\d,]+)((?: · [\d,]+ (?:cut|dropped|recalled|repaired))*)`)

// shownReceipt is the receipt under the last answer on the screen: sent, stored, and the counts by
// their names.
type shownReceipt struct {
	line         string
	sent, stored int
	counts       map[string]int
}

func readReceipt(screen string) (shownReceipt, error) {
	all := receiptPattern.FindAllStringSubmatch(screen, -1)
	if len(all) == 0 {
		return shownReceipt{}, fmt.Errorf("there is no receipt on the screen")
	}
	m := all[len(all)-1]
	r := shownReceipt{line: m[0], sent: readNumber(m[1]), stored: readNumber(m[2]), counts: map[string]int{}}
	for part := range strings.SplitSeq(m[3], " · ") {
		if n, what, found := strings.Cut(part, " "); found {
			r.counts[what] = readNumber(n)
		}
	}
	return r, nil
}
