package guide

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestQuote is the most code points of a part: what is quoted at once.
const longestQuote = 1800

// library is the pages the guide answers from.
type library struct {
	parts []part // in the order of the pages' names, then of the page
	index index
}

// part is what the guide quotes: a section of a page, from its heading to the next one of any
// level, or a piece of a section that is too long to quote at once.
type part struct {
	page   string // the file's name, such as start.md
	title  string // the page's title, its first heading
	head   string // the section's heading; on top of a page its title
	anchor string // the heading as it stands in a link
	number int    // which piece of the section, from 1
	of     int    // how many pieces the section has
	text   string // Markdown, without the heading
	asked  string // how newcomers ask for it, from the comment under its heading
	inner  bool   // its page is for those who change the program
}

func readLibrary(pages fs.FS) (*library, error) {
	names, err := fs.Glob(pages, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list the documentation: %w", err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("list the documentation: %w", fs.ErrNotExist)
	}
	var l library
	for _, name := range names {
		b, err := fs.ReadFile(pages, name)
		if err != nil {
			return nil, fmt.Errorf("read the documentation: %w", err)
		}
		l.parts = append(l.parts, sections(name, string(b))...)
	}
	l.index = indexOf(l.parts)
	return &l, nil
}

// sections splits a page at its headings. Headings inside code blocks are code. Comments mark generated text, say how a
// section is asked for, or whom a page is for; they are left out of the text, and so are pictures of the screen, whose words are not the page's, and
// sections without a text of their own.
func sections(page, text string) []part {
	var all []part
	title, head, asked, inner, fenced, picture := "", "", "", false, false, false
	var body strings.Builder
	flush := func() {
		texts := split(strings.TrimSpace(body.String()))
		for i, t := range texts {
			if i > 0 {
				asked = "" // An answer begins at the beginning of a section.
			}
			all = append(all, part{
				page: page, title: title, head: head, anchor: anchor(head),
				number: i + 1, of: len(texts), text: t, asked: asked, inner: inner,
			})
		}
		body.Reset()
	}
	for line := range strings.Lines(text) {
		if isFence(line) {
			fenced = !fenced
		}
		if h := heading(line); h != "" && !fenced {
			flush()
			head, asked = h, ""
			if title == "" {
				title = h
			}
			continue
		}
		if !fenced && strings.HasPrefix(line, "<!--") {
			picture = strings.HasPrefix(line, "<!-- screen")
			inner = inner || strings.HasPrefix(line, "<!-- readers: developers")
			if rest, ok := strings.CutPrefix(line, "<!-- asked: "); ok {
				asked = strings.TrimSuffix(strings.TrimSpace(rest), "-->")
			}
			continue
		}
		if picture {
			continue
		}
		body.WriteString(line)
	}
	flush()
	return all
}

func isFence(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "```") }

func heading(line string) string {
	rest := strings.TrimLeft(line, "#")
	if level := len(line) - len(rest); level < 1 || level > 6 || !strings.HasPrefix(rest, " ") {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSpace(rest), "`", "")
}

// anchor is a heading as the usual Markdown renderers write it in a link.
func anchor(head string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(head) {
		switch {
		case r == ' ' || r == '-':
			b.WriteByte('-')
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			b.WriteRune(r)
		}
	}
	return b.String()
}

// split cuts a section that is too long to quote at once between its blocks, and a block that is
// too long between its lines.
func split(text string) []string {
	if text == "" {
		return nil
	}
	var texts []string
	var b strings.Builder
	flush := func() {
		if t := strings.TrimSpace(b.String()); t != "" {
			texts = append(texts, t)
		}
		b.Reset()
	}
	for _, block := range blocks(text) {
		if b.Len() > 0 && length(b.String())+length(block) > longestQuote {
			flush()
		}
		b.WriteString(block + "\n\n")
	}
	flush()
	return texts
}

// blocks are the paragraphs, lists, tables and code blocks of a text, in pieces of at most
// longestQuote code points where they have lines to cut between.
func blocks(text string) []string {
	var all []string
	var lines []string
	fenced := false
	flush := func() {
		if len(lines) > 0 {
			all = append(all, splitLines(lines)...)
		}
		lines = nil
	}
	for _, line := range strings.Split(text, "\n") {
		if isFence(line) {
			fenced = !fenced
		}
		if strings.TrimSpace(line) == "" && !fenced {
			flush()
			continue
		}
		lines = append(lines, line)
	}
	flush()
	return all
}

// splitLines cuts a long block between its lines. Each piece of a table gets the table's head, each
// piece of a code block the fences.
func splitLines(lines []string) []string {
	whole := strings.Join(lines, "\n")
	if length(whole) <= longestQuote {
		return []string{whole}
	}
	var above, below []string
	switch {
	case isFence(lines[0]):
		above, below, lines = lines[:1:1], []string{"```"}, strings.Split(strings.TrimSuffix(whole, "\n```"), "\n")[1:]
	case len(lines) > 2 && strings.HasPrefix(strings.ReplaceAll(lines[1], " ", ""), "|-"):
		above, lines = lines[:2:2], lines[2:]
	}
	var all []string
	var piece []string
	size := 0
	flush := func() {
		all = append(all, strings.Join(slices.Concat(above, piece, below), "\n"))
		piece, size = nil, 0
	}
	for _, line := range lines {
		if size > 0 && size+length(line) > longestQuote {
			flush()
		}
		piece = append(piece, line)
		size += length(line) + 1
	}
	flush()
	return all
}

func length(text string) int { return utf8.RuneCountInString(text) }

// link points to the part's section, as from the project's README.
func (p part) link() string { return "docs/" + p.page + "#" + p.anchor }

// at finds the part of a section, or -1.
func (l *library) at(page, anchor string, number int) int {
	return slices.IndexFunc(l.parts, func(p part) bool { return p.page == page && p.anchor == anchor && p.number == number })
}
