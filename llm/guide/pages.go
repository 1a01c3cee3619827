package guide

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"

	"winnow/history/relevance"
)

// library is the index of the pages.
type library struct {
	sections []section        // sorted by file name, then in the order of the page
	texts    *relevance.Index // of the sections
	titles   *relevance.Index // of their headings and typical questions
	titled   []int            // the section of each title
}

// section is the part of a page from a heading to the next one of any level.
type section struct {
	page  string // the file's name, such as start.md
	head  string // the heading
	asked string // typical questions of newcomers, separated by "; "
	text  string // Markdown, without the heading
}

func readLibrary(pages fs.FS) (*library, error) {
	names, err := fs.Glob(pages, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list the documentation: %w", err)
	}
	l := &library{
		texts: relevance.NewIndex(), titles: relevance.NewIndex(),
	}
	for _, name := range names {
		text, err := fs.ReadFile(pages, name)
		if err != nil {
			return nil, fmt.Errorf("read the documentation: %w", err)
		}
		if !strings.Contains(string(text), "<!-- readers: developers -->") {
			l.addPage(name, string(text))
		}
	}
	return l, nil
}

// addPage splits a page at its headings. A comment below a heading lists typical questions. Pictures of the screen are
// omitted, from a comment that begins with "screen" to the next comment, because their words are not about the page.
func (l *library) addPage(page, text string) {
	s := section{page: page}
	fenced, picture := false, false
	for line := range strings.Lines(text) {
		fenced = fenced != strings.HasPrefix(strings.TrimSpace(line), "```")
		mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case !fenced && mark != "" && strings.Trim(mark, "#") == "":
			l.index(s)
			s = section{
				page: page, head: strings.ReplaceAll(rest, "`", ""),
			}
		case !fenced && mark == "<!--":
			picture = strings.HasPrefix(rest, "screen")
			if ways, found := strings.CutPrefix(rest, "asked: "); found {
				s.asked = strings.TrimSuffix(ways, " -->")
			}
		case !picture:
			s.text += line
		}
	}
	l.index(s)
}

// index adds a section to the index unless it is empty.
func (l *library) index(s section) {
	if s.text = strings.TrimSpace(s.text); s.text == "" {
		return
	}
	l.texts.Add(relevance.Text{
		Content: words(s.head + "\n" + s.asked + "\n" + s.text),
	})
	for _, title := range strings.Split(s.head+"; "+s.asked, "; ") {
		l.titles.Add(relevance.Text{Content: words(title)})
		l.titled = append(l.titled, len(l.sections))
	}
	l.sections = append(l.sections, s)
}

// The weights of a search.
const (
	titleWeight = 2.0 // of headings and typical questions, relative to the text
	leastShare  = 0.4 // how much of a question a section must contain to be an answer
)

// search finds the section that answers a question. Often there is none.
func (l *library) search(question string) (best section, found bool) {
	question = words(question)
	titles := make([]float64, len(l.sections)) // the best score of each section's titles
	for _, h := range l.titles.Search(question) {
		n := l.titled[h.Text]
		titles[n] = max(titles[n], titleWeight*h.Score*h.Share)
	}
	most := 0.0
	for _, h := range l.texts.Search(question) {
		if score := h.Score*h.Share + titles[h.Text]; h.Share >= leastShare && score > most {
			best, found, most = l.sections[h.Text], true, score
		}
	}
	return best, found
}

// words replaces searchable text that is not a word by a word: key names such as ctrl+x, and the glyphs of the screen.
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
