package layout

import (
	"strings"
	"testing"

	"winnow/ui/theme"
)

// drawn returns a layout as a picture in which each box is filled with its letter, one column for every ten cells.
func drawn(w Wants) string {
	l := For(w)
	rows := make([][]byte, w.Height)
	for y := range rows {
		rows[y] = []byte(strings.Repeat(".", w.Width))
	}
	for _, b := range []struct {
		theme.Box
		letter byte
	}{
		{l.Header, 'h'},
		{l.Transcript, 't'},
		{l.Panel, 'p'},
		{l.Question, 'a'},
		{l.Rule, 'r'},
		{l.Queue, 'q'},
		{l.Composer, 'c'},
		{l.Footer, 'f'},
	} {
		for y := b.Y; y < b.Y+b.H; y++ {
			for x := b.X; x < b.X+b.W; x++ {
				if rows[y][x] != '.' {
					rows[y][x] = '#'
					continue
				}
				rows[y][x] = b.letter
			}
		}
	}
	var out []string
	for _, r := range rows {
		s := ""
		for x := 0; x < len(r); x += 10 {
			s += string(r[x])
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		name string
		Wants
		want string
	}{
		{"tiny: the draft is the last to go", Wants{Width: 20, Height: 5, Draft: 1}, "hh\ntt\nrr\ncc\nff"},
		{"one line", Wants{Width: 20, Height: 1, Draft: 3}, "cc"},
		{"two lines", Wants{Width: 20, Height: 2, Draft: 1}, "cc\nff"},
		{"narrow with a question", Wants{
			Width: 40, Height: 9, Draft: 2, QuestionLines: 2,
		}, "hhhh\ntttt\ntttt\naaaa\naaaa\nrrrr\ncccc\ncccc\nffff"},
		{"narrow with a queue", Wants{
			Width: 40, Height: 9, Draft: 1, Queue: 2,
		}, "hhhh\ntttt\ntttt\ntttt\nrrrr\nqqqq\nqqqq\ncccc\nffff"},
		{"the draft stops at a third", Wants{
			Width: 40, Height: 9, Draft: 30,
		}, "hhhh\ntttt\ntttt\ntttt\nrrrr\ncccc\ncccc\ncccc\nffff"},
		{"a longer sentence takes from the page", Wants{
			Width: 40, Height: 9, Draft: 1, Sentence: 2,
		}, "hhhh\ntttt\ntttt\ntttt\ntttt\nrrrr\ncccc\nffff\nffff"},
		{
			"wide, the panel at the right",
			Wants{Width: 120, Height: 18, Draft: 1, QuestionLines: 1},
			"hhhhhhhhhhhh\n........pppp\n" + strings.Repeat("ttttttttpppp\n", 11) +
				"........pppp\naaaaaaaaaaaa\nrrrrrrrrrrrr\ncccccccccccc\nffffffffffff",
		},
		{
			"tall, no panel: a line is free above and below the page, and above the hints",
			Wants{Width: 120, Height: 28, Draft: 1, Context: ContextStrip},
			"hhhhhhhhhhhh\n............\n" + strings.Repeat("tttttttttttt\n", 21) +
				"............\nrrrrrrrrrrrr\ncccccccccccc\n............\nffffffffffff",
		},
		{
			"a longer sentence takes the free line",
			Wants{Width: 120, Height: 28, Draft: 1, Sentence: 2, Context: ContextHidden},
			"hhhhhhhhhhhh\n............\n" + strings.Repeat("tttttttttttt\n", 21) +
				"............\nrrrrrrrrrrrr\ncccccccccccc\nffffffffffff\nffffffffffff",
		},
	} {
		if got := drawn(c.Wants); got != c.want {
			t.Errorf("%s: %+v\ngot:\n%s\nwant:\n%s", c.name, c.Wants, got, c.want)
		}
	}
}

// At every size the boxes are on the screen and do not overlap, the draft has a line, and only blank lines are left
// over.
func TestLayoutsHaveNoOverlap(t *testing.T) {
	for w := 1; w < 130; w += 3 {
		for h := 1; h < 45; h++ {
			for _, alert := range []int{0, 2, 40} {
				for _, draft := range []int{1, 7, 99} {
					wants := Wants{
						Width: w, Height: h, Draft: draft, QuestionLines: alert, Sentence: 1 + h%2, Queue: h % 3,
						WhatIf: h%2 == 0,
					}
					l := For(wants)
					if strings.Contains(drawn(wants), "#") || l.Composer.Empty() {
						t.Fatalf("%dx%d, alert %d, draft %d has an overlap or no draft:\n%s", w, h, alert,
							draft, drawn(wants))
					}
					lines := l.Header.H + l.Transcript.H + l.Question.H + l.Rule.H + l.Queue.H + l.Composer.H +
						l.Footer.H
					if lines > h || lines < h-3 || l.Footer.Y+l.Footer.H > h || l.Overlay.Y+l.Overlay.H > h ||
						l.Full.Y+l.Full.H > h {
						t.Fatalf("%dx%d, alert %d, draft %d has %d lines:\n%s", w, h, alert, draft, lines, drawn(wants))
					}
				}
			}
		}
	}
}
