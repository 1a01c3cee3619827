package cli

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/cli/report"
)

// panelRow is what the panel's list says of one message. A line that stands for several is a row for each of them.
type panelRow struct {
	line   string
	glyph  string
	number int    // of the message, from 1; 0 for an added text
	role   string // as the screen says it, "" where the line stands for several messages
	tokens int    // that are sent
	saved  int    // by how many they differ from the whole; the first row of a line for several has the sum
}

// panelText is the context panel as it stands on the screen.
type panelText struct {
	text     string     // all of it
	rows     []panelRow // of the messages
	added    []panelRow // of the texts that nobody said
	total    int        // tokens of the request: those that the server counted, else what it is expected to count
	estimate int        // tokens that were expected where the server has counted them, 0 for no such line
	fixed    int        // tokens that belong to no message, -1 where the panel does not say it
	draft    int

	tokensEnd int // the column at which the tokens end, 0 above the list
}

const panelGlyphs = "●◐○◆⊘▲✚↺"

var (
	panelTitle   = regexp.MustCompile(`((?:Next|This) request |Turn \d+(, request \d+ of \d+)? · as\b)`)
	totalPattern = regexp.MustCompile(`^ ~?([\d,]+) of [\d,]+ tokens`)
	guessPattern = regexp.MustCompile(`the estimate was ~([\d,]+)`)
	fixedPattern = regexp.MustCompile(`━ (?:system, tools|system|tools|fixed) ([\d,]+)`)
	draftPattern = regexp.MustCompile(`^ › +you +draft +~?([\d,]+)`)
	rangePattern = regexp.MustCompile(`^([\d,]+)–([\d,]+)$`)
)

// readPanel reads the panel off a screen.
func readPanel(screen string) (panelText, error) {
	p := panelText{fixed: -1}
	left := -1
	for line := range strings.SplitSeq(screen, "\n") {
		if at := panelTitle.FindStringIndex(line); at != nil && left < 0 {
			left = ansi.StringWidth(line[:at[0]]) - 1 // The first cell is the cursor's.
		}
		if left < 0 {
			continue
		}
		line = strings.TrimRight(ansi.Cut(line, left, stageWidth), " │┃╮╯─")
		if line != "" {
			p.text += line + "\n"
		}
		if p.tokensEnd == 0 {
			p.readHead(line)
			continue
		}
		if line == "" {
			break // The list has ended.
		}
		if err := p.read(line); err != nil {
			return p, err
		}
	}
	if left < 0 {
		return p, fmt.Errorf("there is no context panel on the screen\n%s", screen)
	}
	return p, nil
}

// readHead reads the sums above the list.
func (p *panelText) readHead(line string) {
	if m := totalPattern.FindStringSubmatch(line); m != nil {
		p.total = readNumber(m[1])
	}
	if m := guessPattern.FindStringSubmatch(line); m != nil {
		p.estimate = readNumber(m[1])
	}
	if m := fixedPattern.FindStringSubmatch(line); m != nil {
		p.fixed = readNumber(m[1])
	}
	if head := strings.Fields(line); len(head) > 0 && strings.TrimPrefix(head[0], "~") == "tokens" {
		p.tokensEnd = strings.Index(line, "tokens") + len("tokens")
	}
}

// read reads a line of the list: glyph, number, role, what became of it, the tokens and what was saved.
func (p *panelText) read(line string) error {
	if m := draftPattern.FindStringSubmatch(line); m != nil {
		p.draft = readNumber(m[1])
		return nil
	}
	words := strings.Fields(strings.TrimPrefix(line, "▌"))
	row := panelRow{line: line, glyph: words[0], saved: readNumber(strings.TrimSpace(ansi.Cut(line, p.tokensEnd, stageWidth)))}
	if !strings.Contains(panelGlyphs, row.glyph) || len(words) < 2 {
		return fmt.Errorf("the panel's line %q begins with no glyph", line)
	}
	if !strings.Contains("○⊘", row.glyph) {
		before := strings.Fields(ansi.Cut(line, 0, p.tokensEnd))
		row.tokens = readNumber(before[len(before)-1])
	}
	if row.glyph == "✚" {
		p.added = append(p.added, row)
		return nil
	}
	if m := rangePattern.FindStringSubmatch(words[1]); m != nil {
		for row.number = readNumber(m[1]); row.number <= readNumber(m[2]); row.number++ {
			p.rows = append(p.rows, row)
			row.saved = 0
		}
		return nil
	}
	row.number, row.role = readNumber(words[1]), words[2]
	p.rows = append(p.rows, row)
	return nil
}

// expected is the total that winnow expected: the panel names it where the server counted another.
func (p panelText) expected() int { return cmp.Or(p.estimate, p.total) }

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
