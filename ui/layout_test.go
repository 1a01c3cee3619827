package ui

import (
	"strings"
	"testing"

	"winnow/ui/theme"
)

// drawn is a layout as a picture: each box filled with its letter.
func drawn(w wants) string {
	l := layoutFor(w)
	rows := make([][]byte, w.height)
	for y := range rows {
		rows[y] = []byte(strings.Repeat(".", w.width))
	}
	for _, b := range []struct {
		theme.Box
		letter byte
	}{{l.header, 'h'}, {l.transcript, 't'}, {l.panel, 'p'}, {l.alert, 'a'}, {l.composer, 'c'}, {l.footer, 'f'}} {
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
		// Runs of a letter are drawn a tenth as wide.
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
		wants
		want string
	}{
		{"tiny: the draft is the last to go", wants{width: 20, height: 5, draft: 1}, "hh\ntt\ntt\ncc\nff"},
		{"one line", wants{width: 20, height: 1, draft: 3}, "cc"},
		{"two lines", wants{width: 20, height: 2, draft: 1}, "cc\nff"},
		{"narrow with a question", wants{width: 40, height: 9, draft: 2, alert: 2}, "hhhh\ntttt\ntttt\ntttt\naaaa\naaaa\ncccc\ncccc\nffff"},
		{"the draft stops at a third", wants{width: 40, height: 9, draft: 30}, "hhhh\ntttt\ntttt\ntttt\ntttt\ncccc\ncccc\ncccc\nffff"},
		{
			"wide, the panel at the right",
			wants{width: 120, height: 15, draft: 1, alert: 1, panel: true},
			"hhhhhhhhhhhh\n" + strings.Repeat("ttttttttpppp\n", 9) + "aaaaaaaapppp\n" + strings.Repeat("ccccccccpppp\n", 3) + "ffffffffffff",
		},
		{
			"wide, no panel wished",
			wants{width: 120, height: 15, draft: 1},
			"hhhhhhhhhhhh\n" + strings.Repeat("tttttttttttt\n", 10) + strings.Repeat("cccccccccccc\n", 3) + "ffffffffffff",
		},
	} {
		if got := drawn(c.wants); got != c.want {
			t.Errorf("%s: %+v\ngot:\n%s\nwant:\n%s", c.name, c.wants, got, c.want)
		}
	}
}

func TestLayoutsFillEveryScreenOnce(t *testing.T) {
	for w := 1; w < 130; w += 3 {
		for h := 1; h < 45; h++ {
			for _, alert := range []int{0, 2, 40} {
				for _, draft := range []int{1, 7, 99} {
					got := drawn(wants{width: w, height: h, draft: draft, alert: alert, panel: true})
					if strings.ContainsAny(got, ".#") {
						t.Fatalf("%dx%d, alert %d, draft %d has a hole or an overlap:\n%s", w, h, alert, draft, got)
					}
				}
			}
		}
	}
}
