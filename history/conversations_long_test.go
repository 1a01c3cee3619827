package history

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// bank is what long texts of one topic are made of.
type bank struct{ sentences, headings []string }

// add keeps the blanks in front, which belong to the lines of programs.
func (b *bank) add(line string) {
	line = strings.TrimRight(line, " ")
	if heading, ok := strings.CutPrefix(line, "# "); ok {
		b.headings = append(b.headings, heading)
	} else if line != "" {
		b.sentences = append(b.sentences, line)
	}
}

var (
	madeText = regexp.MustCompile(`\{(long|lines) ([^ {}]+) (\d+)\}`)
	choices  = regexp.MustCompile(`\{([^{}"]*\|[^{}"]*)\}`)
)

// expand puts the long texts in. The same place of the same conversation has the same text every time.
func (r *conversationReader) expand(text string) (string, error) {
	var fault error
	text = madeText.ReplaceAllStringFunc(text, func(piece string) string {
		part := madeText.FindStringSubmatch(piece)
		b := r.banks[part[2]]
		if b == nil || len(b.sentences) == 0 {
			fault = fmt.Errorf("%s: there is no such bank", piece)
			return piece
		}
		r.longs++
		w := conversationWriter{bank: b, count: r.count, random: rand.New(rand.NewPCG(seed(r.conversation.name, part[2]), r.longs))}
		w.left, _ = strconv.Atoi(part[3])
		if part[1] == "lines" {
			return w.lines()
		}
		return "\n\n" + w.markdown() + "\n\n"
	})
	return strings.TrimSpace(tooBlank.ReplaceAllString(text, "\n\n")), fault
}

var tooBlank = regexp.MustCompile(`[ \t]*\n[ \t]*\n\s*`)

func seed(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00"))
	}
	return h.Sum64()
}

// alternative takes one of each {one|two|three}: those of the same length go together.
func alternative(text string, pick uint64) string {
	return choices.ReplaceAllStringFunc(text, func(piece string) string {
		list := strings.Split(piece[1:len(piece)-1], "|")
		return list[pick%uint64(len(list))]
	})
}

// writer makes one long text.
type conversationWriter struct {
	bank   *bank
	count  TokenCounter
	random *rand.Rand
	left   int   // tokens to go
	order  []int // sentences not used yet
	heads  []int // headings not used yet
}

// markdown is what assistants write: some sentences, then headings, lists and more sentences.
func (w *conversationWriter) markdown() string {
	parts := []string{w.paragraph(2 + w.random.IntN(2))}
	for w.left > 0 {
		if len(w.bank.headings) > 0 && w.random.IntN(2) == 0 {
			parts = append(parts, "## "+w.heading())
		}
		switch w.random.IntN(4) {
		case 0:
			parts = append(parts, w.list(func(int) string { return "- " }))
		case 1:
			parts = append(parts, w.list(func(i int) string { return strconv.Itoa(i+1) + ". " }))
		default:
			parts = append(parts, w.paragraph(2+w.random.IntN(4)))
		}
	}
	return strings.Join(parts, "\n\n")
}

func (w *conversationWriter) paragraph(n int) string {
	list := []string{w.sentence()}
	for len(list) < n && w.left > 0 {
		list = append(list, w.sentence())
	}
	return strings.Join(list, " ")
}

func (w *conversationWriter) list(mark func(int) string) string {
	var list []string
	for i := range 3 + w.random.IntN(4) {
		if i > 0 && w.left <= 0 {
			break
		}
		list = append(list, mark(i)+w.sentence())
	}
	return strings.Join(list, "\n")
}

// lines is what programs print.
func (w *conversationWriter) lines() string {
	var list []string
	for w.left > 0 {
		line := []byte(w.sentence())
		for i, c := range line {
			if c == '#' {
				line[i] = '0' + byte(w.random.IntN(10))
			}
		}
		list = append(list, string(line))
	}
	return strings.Join(list, "\n")
}

func (w *conversationWriter) sentence() string {
	s := alternative(w.draw(&w.order, w.bank.sentences), w.random.Uint64())
	w.left -= w.count(s) + 1
	return s
}

func (w *conversationWriter) heading() string { return w.draw(&w.heads, w.bank.headings) }

// draw takes what was not used for longest, in an order of its own for each text.
func (w *conversationWriter) draw(order *[]int, from []string) string {
	if len(*order) == 0 {
		*order = w.random.Perm(len(from))
	}
	s := from[(*order)[0]]
	*order = (*order)[1:]
	return s
}
