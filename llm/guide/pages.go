package guide

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode"

	"winnow/history/relevance"
)

// library is the pages that the guide answers from.
type library struct {
	parts []part // in the order of the pages' names, then of the page

	mu     sync.Mutex
	texts  *relevance.Index // of the parts
	titles *relevance.Index // of their headings, and of how they are asked for
	titled []int            // the part of each title
}

// part is what the guide quotes at once: a section of a page, from its heading to the next one of any level, or a
// piece of a long section.
type part struct {
	page   string   // the file's name, such as start.md
	head   string   // the heading
	titles []string // the heading, and how newcomers ask for the section; none of a further piece
	text   string   // Markdown, without the heading
}

func readLibrary(pages fs.FS) (*library, error) {
	names, err := fs.Glob(pages, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list the documentation: %w", err)
	}
	l := &library{texts: relevance.NewIndex(), titles: relevance.NewIndex()}
	for _, name := range names {
		text, err := fs.ReadFile(pages, name)
		if err != nil {
			return nil, fmt.Errorf("read the documentation: %w", err)
		}
		if !strings.Contains(string(text), "<!-- readers: developers -->") {
			l.add(name, string(text))
		}
	}
	return l, nil
}

// add reads a page and splits it at its headings. A comment below a heading says how newcomers ask for the section.
// Pictures of the screen, from a comment to the next one, are left out: their words are not the page's.
func (l *library) add(page, text string) {
	var head, asked string
	var body strings.Builder
	fenced, picture := false, false
	flush := func() {
		for i, piece := range pieces(strings.TrimSpace(body.String())) {
			p := part{page: page, head: head, text: piece, titles: strings.Split(head+"; "+asked, "; ")}
			if i > 0 {
				p.head, p.titles = fmt.Sprintf("%s, part %d", head, i+1), nil
			}
			l.parts = append(l.parts, p)
			l.index(p)
		}
		body.Reset()
	}
	for line := range strings.Lines(text) {
		fenced = fenced != isFence(line)
		mark, rest, _ := strings.Cut(line, " ")
		switch {
		case !fenced && mark != "" && strings.Trim(mark, "#") == "":
			flush()
			head, asked = strings.ReplaceAll(strings.TrimSpace(rest), "`", ""), ""
		case !fenced && mark == "<!--":
			picture = strings.HasPrefix(rest, "screen")
			if ways, ok := strings.CutPrefix(rest, "asked: "); ok {
				asked = strings.TrimSuffix(strings.TrimSpace(ways), " -->")
			}
		case !picture:
			body.WriteString(line)
		}
	}
	flush()
}

// index makes the newest part findable.
func (l *library) index(p part) {
	l.texts.Add(relevance.Text{Content: words(strings.Join(append(p.titles, p.text), "\n"))})
	for _, title := range p.titles {
		l.titles.Add(relevance.Text{Content: words(title)})
		l.titled = append(l.titled, len(l.parts)-1)
	}
}

func isFence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }

// longestPiece is the most bytes of a section that are quoted at once.
const longestPiece = 1800

// pieces cuts a section that is too long between its lines. A piece of a table begins with the head of the table, one
// of a code block with its fence.
func pieces(text string) []string {
	var all []string
	var b strings.Builder
	opening, closing := "", "" // of the table or code block that is under way
	flush := func() {
		if piece := strings.TrimSpace(b.String()); piece != "" {
			all = append(all, piece+closing)
		}
		b.Reset()
		b.WriteString(opening)
	}
	for line := range strings.Lines(text) {
		if b.Len()+len(line) > longestPiece && !(closing != "" && isFence(line)) {
			flush()
		}
		b.WriteString(line)
		switch {
		case isFence(line) && closing == "":
			opening, closing = line, "\n```"
		case isFence(line):
			opening, closing = "", ""
		case closing != "":
		case strings.HasPrefix(line, "|-") || strings.HasPrefix(line, "|") && opening == "":
			opening += line
		case !strings.HasPrefix(line, "|"):
			opening = ""
		}
	}
	flush()
	return all
}

// cite names the part in the first line of an answer.
func (p part) cite() string { return fmt.Sprintf("docs/%s, “%s”", p.page, p.head) }

// The weights of a search.
const (
	titleWeight = 2.0 // of a heading, or a way of asking, beside the text
	leastShare  = 0.4 // of a question that a part has to hold, to be an answer at all
	nearScore   = 0.5 // of the best score, to be named beside it
)

// search finds the parts that answer a question, the best first. There is often none.
func (l *library) search(question string) []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	question = words(question)
	titles := map[int]float64{} // the best score of a title, by the part
	for _, h := range l.titles.Search(question) {
		n := l.titled[h.Text]
		titles[n] = max(titles[n], titleWeight*h.Score*h.Share)
	}
	hits := l.texts.Search(question)
	hits = slices.DeleteFunc(hits, func(h relevance.Hit) bool { return h.Share < leastShare })
	for i := range hits {
		h := &hits[i]
		h.Score = h.Score*h.Share + titles[h.Text]
	}
	slices.SortStableFunc(hits, func(a, b relevance.Hit) int { return cmp.Compare(b.Score, a.Score) })
	var found []int
	for _, h := range hits {
		if h.Score >= nearScore*hits[0].Score {
			found = append(found, h.Text)
		}
	}
	return found
}

// words writes what is no word, but is looked for, as one: key names such as ctrl+x, and the glyphs of the screen.
func words(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '+':
		case r == '⊘' || unicode.Is(unicode.So, r):
			fmt.Fprintf(&b, " glyph%x ", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
