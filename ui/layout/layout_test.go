package layout

import (
	"strings"
	"testing"

	"winnow/ui/theme"
)

// drawn is a layout as a picture: each box filled with its letter.
func drawn(w Wants) string {
	l := For(w)
	rows := make([][]byte, w.Height)
	for y := range rows {
		rows[y] = []byte(strings.Repeat(".", w.Width))
	}
	for _, b := range []struct {
		theme.Box
		letter byte
	}{{l.Header, 'h'}, {l.Transcript, 't'}, {l.Panel, 'p'}, {l.Alert, 'a'}, {l.Composer, 'c'}, {l.Footer, 'f'}} {
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
		Wants
		want string
	}{
		{"tiny: the draft is the last to go", Wants{Width: 20, Height: 5, Draft: 1}, "hh\ntt\ntt\ncc\nff"},
		{"one line", Wants{Width: 20, Height: 1, Draft: 3}, "cc"},
		{"two lines", Wants{Width: 20, Height: 2, Draft: 1}, "cc\nff"},
		{"narrow with a question", Wants{Width: 40, Height: 9, Draft: 2, AlertLines: 2}, "hhhh\ntttt\ntttt\ntttt\naaaa\naaaa\ncccc\ncccc\nffff"},
		{"the draft stops at a third", Wants{Width: 40, Height: 9, Draft: 30}, "hhhh\ntttt\ntttt\ntttt\ntttt\ncccc\ncccc\ncccc\nffff"},
		{
			"wide, the panel at the right",
			Wants{Width: 120, Height: 15, Draft: 1, AlertLines: 1, WantPanel: true},
			"hhhhhhhhhhhh\n" + strings.Repeat("ttttttttpppp\n", 9) + "aaaaaaaapppp\n" + strings.Repeat("ccccccccpppp\n", 3) + "ffffffffffff",
		},
		{
			"wide, no panel wished",
			Wants{Width: 120, Height: 15, Draft: 1},
			"hhhhhhhhhhhh\n" + strings.Repeat("tttttttttttt\n", 10) + strings.Repeat("cccccccccccc\n", 3) + "ffffffffffff",
		},
	} {
		if got := drawn(c.Wants); got != c.want {
			t.Errorf("%s: %+v\ngot:\n%s\nwant:\n%s", c.name, c.Wants, got, c.want)
		}
	}
}

func TestLayoutsFillEveryScreenOnce(t *testing.T) {
	for w := 1; w < 130; w += 3 {
		for h := 1; h < 45; h++ {
			for _, alert := range []int{0, 2, 40} {
				for _, draft := range []int{1, 7, 99} {
					got := drawn(Wants{Width: w, Height: h, Draft: draft, AlertLines: alert, WantPanel: true})
					if strings.ContainsAny(got, ".#") {
						t.Fatalf("%dx%d, alert %d, draft %d has a hole or an overlap:\n%s", w, h, alert, draft, got)
					}
				}
			}
		}
	}
}
