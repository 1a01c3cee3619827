package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// screen is a small terminal: it takes what a program writes and keeps what a person would see.
// It knows the sequences that a full-screen program sends and lets most modes and queries
// pass. The zero value is of no use; newScreen gives one.
type screen struct {
	width, height int
	cells         [][]screenCell
	saved         [][]screenCell // the main screen while the alternate one is shown
	x, y          int
	pen           uv.Style
	hidden        bool   // the cursor is not shown
	top, bottom   int    // the scroll region, both included
	wrap          bool   // the next character goes to the next line first
	clusters      bool   // a character of several parts is counted as one, as newer terminals do
	keptX, keptY  int    // the cursor as it was saved
	last          string // for REP
	rest          []byte // an unfinished sequence
	// reply sends an answer to a query back to the program. Without it the terminal answers nothing, which
	// programs must bear too.
	reply func(answer string)
	page  string // the background colour that it answers with, as rgb:RR/GG/BB
}

// screenCell is one place of the screen. An empty text is the second half of a wide character.
type screenCell struct {
	text  string
	style uv.Style
}

func newScreen(width, height int) *screen {
	s := &screen{width: width, height: height, bottom: height - 1}
	s.cells = s.blank()
	return s
}

func (s *screen) blank() [][]screenCell {
	cells := make([][]screenCell, s.height)
	for y := range cells {
		cells[y] = s.blanks(s.width)
	}
	return cells
}

// blanks are n empty cells. They have the background of the pen, as in other terminals.
func (s *screen) blanks(n int) []screenCell {
	line := make([]screenCell, n)
	for x := range line {
		line[x] = screenCell{" ", uv.Style{Bg: s.pen.Bg}}
	}
	return line
}

// text is the screen as lines without trailing blanks.
func (s *screen) text() string {
	lines := make([]string, s.height)
	for y, line := range s.cells {
		lines[y] = strings.TrimRight(lineText(line), " ")
	}
	return strings.Join(lines, "\n")
}

func lineText(line []screenCell) string {
	var b strings.Builder
	for _, c := range line {
		b.WriteString(c.text)
	}
	return b.String()
}

// write takes a piece of output; a sequence may be split anywhere.
func (s *screen) write(p []byte) {
	data := append(s.rest, p...)
	for len(data) > 0 {
		n := s.step(data)
		if n == 0 {
			break
		}
		data = data[n:]
	}
	s.rest = append([]byte(nil), data...)
}

// step takes one character or sequence and returns its length, 0 where it is not complete.
func (s *screen) step(data []byte) int {
	switch c := data[0]; {
	case c == 0x1b:
		return s.escape(data)
	case c < 0x20 || c == 0x7f:
		s.control(c)
		return 1
	case !utf8.FullRune(data):
		return 0
	}
	r, n := utf8.DecodeRune(data)
	s.put(string(r))
	return n
}

func (s *screen) control(c byte) {
	s.wrap = false
	switch c {
	case '\r':
		s.x = 0
	case '\n', '\v', '\f':
		s.lineFeed()
	case '\b':
		s.x = max(s.x-1, 0)
	case '\t':
		s.x = min((s.x/8+1)*8, s.width-1)
	}
}

func (s *screen) lineFeed() {
	if s.y == s.bottom {
		s.scroll(1)
		return
	}
	s.y = min(s.y+1, s.height-1)
}

// scroll moves the region up by n lines, or down where n is negative.
func (s *screen) scroll(n int) {
	for ; n > 0; n-- {
		copy(s.cells[s.top:s.bottom], s.cells[s.top+1:s.bottom+1])
		s.cells[s.bottom] = s.blanks(s.width)
	}
	for ; n < 0; n++ {
		copy(s.cells[s.top+1:s.bottom+1], s.cells[s.top:s.bottom])
		s.cells[s.top] = s.blanks(s.width)
	}
}

func (s *screen) put(text string) {
	if s.clusters && s.joins(text) {
		return
	}
	width := ansi.WcWidth.StringWidth(text)
	if width == 0 {
		// A combining mark or a joiner belongs to the character in front of it.
		if x := s.before(); x >= 0 {
			s.cells[s.y][x].text += text
		}
		return
	}
	if s.wrap || s.x+width > s.width {
		s.x, s.wrap = 0, false
		s.lineFeed()
	}
	line := s.cells[s.y]
	if line[s.x].text == "" && s.x > 0 {
		line[s.x-1].text = " " // Half of a wide character is overwritten; the other half goes too.
	}
	if end := s.x + width; end < s.width && line[end].text == "" {
		line[end].text = " "
	}
	line[s.x] = screenCell{text, s.pen}
	if width == 2 && s.x+1 < s.width {
		line[s.x+1] = screenCell{"", s.pen}
	}
	s.last = text
	s.x += width
	if s.x >= s.width {
		s.x, s.wrap = s.width-1, true
	}
}

// joins adds text to the character in front of the cursor where both are one, which may make it wider.
func (s *screen) joins(text string) bool {
	x := s.before()
	if x < 0 {
		return false
	}
	all := s.cells[s.y][x].text + text
	cluster, width := ansi.FirstGraphemeCluster(all, ansi.GraphemeWidth)
	if cluster != all || s.cells[s.y][x].text == " " {
		return false
	}
	s.cells[s.y][x].text = all
	if width == 2 && x+1 == s.x && s.x+1 < s.width {
		s.cells[s.y][s.x] = screenCell{"", s.pen}
		s.x++
	}
	return true
}

// before is the cell of the character in front of the cursor, -1 for none.
func (s *screen) before() int {
	x := s.x - 1
	if s.wrap {
		x = s.x
	}
	for x > 0 && s.cells[s.y][x].text == "" {
		x--
	}
	return x
}

func (s *screen) escape(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	switch data[1] {
	case '[':
		return s.csi(data)
	case ']', 'P', '_', '^', 'X':
		n := stringEnd(data)
		if s.reply != nil && strings.HasPrefix(string(data[:n]), "\x1b]11;?") {
			s.reply("\x1b]11;" + s.page + "\x1b\\")
		}
		return n
	case '(', ')', '#', ' ', '%':
		if len(data) < 3 {
			return 0
		}
		return 3
	case 'M':
		if s.y == s.top {
			s.scroll(-1)
		} else {
			s.y = max(s.y-1, 0)
		}
	case '7':
		s.keptX, s.keptY = s.x, s.y
	case '8':
		s.x, s.y, s.wrap = s.keptX, s.keptY, false
		s.pen = uv.Style{}
	case 'D':
		s.lineFeed()
	case 'E':
		s.x = 0
		s.lineFeed()
	}
	return 2
}

// stringEnd is the length of an OSC, DCS, APC, PM or SOS sequence: up to BEL or ST.
func stringEnd(data []byte) int {
	for i := 2; i < len(data); i++ {
		if data[i] == 0x07 {
			return i + 1
		}
		if data[i] == 0x1b && i+1 < len(data) && data[i+1] == '\\' {
			return i + 2
		}
	}
	return 0
}

func (s *screen) csi(data []byte) int {
	for i := 2; i < len(data); i++ {
		if c := data[i]; c >= 0x40 && c <= 0x7e {
			s.command(c, string(data[2:i]))
			return i + 1
		}
	}
	return 0
}

// parameters reads the numbers of a CSI sequence; an absent one is 0.
func parameters(text string) []int {
	var out []int
	for part := range strings.SplitSeq(text, ";") {
		n := 0
		for _, r := range part {
			if r < '0' || r > '9' {
				break
			}
			n = n*10 + int(r-'0')
		}
		out = append(out, n)
	}
	return out
}

// colours are the parameters of SGR, where a colon divides the parts of one parameter.
func colours(text string) ansi.Params {
	var out ansi.Params
	for group := range strings.SplitSeq(text, ";") {
		parts := strings.Split(group, ":")
		for i, part := range parts {
			param := ansi.Param(parameters(part)[0])
			if i < len(parts)-1 {
				param |= parser.HasMoreFlag
			}
			out = append(out, param)
		}
	}
	return out
}

func (s *screen) command(final byte, text string) {
	if s.reply != nil && final == 'c' && text == "" {
		s.reply("\x1b[?62c")
	}
	if strings.ContainsAny(text, "<=>!$\"' ") {
		return
	}
	if mode, ok := strings.CutPrefix(text, "?"); ok {
		s.mode(final, mode)
		return
	}
	p := parameters(text)
	n := max(p[0], 1)
	if final == 'm' {
		uv.ReadStyle(colours(text), &s.pen)
		return
	}
	if s.reply != nil && final == 'n' && p[0] == 6 {
		s.reply(fmt.Sprintf("\x1b[%d;%dR", s.y+1, s.x+1))
		return
	}
	s.wrap = false
	if s.move(final, n, p) || s.erase(final, n, p) {
		return
	}
	switch final {
	case 'L', 'M':
		s.lines(final, n)
	case 'S':
		s.scroll(n)
	case 'T':
		s.scroll(-n)
	case 'b':
		for range n {
			s.put(s.last)
		}
	case 'r':
		s.top, s.bottom = max(p[0]-1, 0), s.height-1
		if len(p) > 1 && p[1] > 0 {
			s.bottom = min(p[1], s.height) - 1
		}
		s.x, s.y = 0, 0
	}
}

// move does the sequences that only move the cursor.
func (s *screen) move(final byte, n int, p []int) bool {
	switch final {
	case 'A':
		s.y -= n
	case 'B', 'e':
		s.y += n
	case 'C', 'a':
		s.x += n
	case 'D':
		s.x -= n
	case 'E':
		s.x, s.y = 0, s.y+n
	case 'F':
		s.x, s.y = 0, s.y-n
	case 'G', '`':
		s.x = n - 1
	case 'd':
		s.y = n - 1
	case 'H', 'f':
		s.y, s.x = n-1, 0
		if len(p) > 1 {
			s.x = max(p[1], 1) - 1
		}
	case 'I':
		s.x = (s.x/8 + n) * 8
	case 'Z':
		s.x = ((s.x+7)/8 - n) * 8
	default:
		return false
	}
	s.x, s.y = min(max(s.x, 0), s.width-1), min(max(s.y, 0), s.height-1)
	return true
}

// erase does the sequences that blank, insert or take out cells of the line, and ED.
func (s *screen) erase(final byte, n int, p []int) bool {
	line := s.cells[s.y]
	switch final {
	case 'K':
		from, to := s.x, s.width
		if p[0] > 0 {
			from = 0
		}
		if p[0] == 1 {
			to = s.x + 1
		}
		copy(line[from:to], s.blanks(to-from))
	case 'X':
		n = min(n, s.width-s.x)
		copy(line[s.x:s.x+n], s.blanks(n))
	case 'P':
		n = min(n, s.width-s.x)
		copy(line[s.x:], append(slices.Clone(line[s.x+n:]), s.blanks(n)...))
	case '@':
		n = min(n, s.width-s.x)
		copy(line[s.x:], append(s.blanks(n), line[s.x:s.width-n]...))
	case 'J':
		s.erase('K', 0, p)
		for y := range s.cells {
			if p[0] >= 2 || (p[0] == 0 && y > s.y) || (p[0] == 1 && y < s.y) {
				s.cells[y] = s.blanks(s.width)
			}
		}
	default:
		return false
	}
	return true
}

// lines inserts or takes out lines at the cursor, within the scroll region.
func (s *screen) lines(final byte, n int) {
	top := s.top
	s.top = s.y
	if final == 'L' {
		n = -n
	}
	s.scroll(n)
	s.top = top
	s.x = 0
}

// mode shows or leaves the alternate screen and the cursor; the other modes change nothing that can be seen.
func (s *screen) mode(final byte, mode string) {
	for _, m := range parameters(mode) {
		if m == 25 {
			s.hidden = final == 'l'
		}
		if m != 1049 && m != 47 && m != 1047 {
			continue
		}
		switch {
		case final == 'h' && s.saved == nil:
			s.saved, s.cells = s.cells, s.blank()
		case final == 'l' && s.saved != nil:
			s.cells, s.saved = s.saved, nil
		}
	}
}
