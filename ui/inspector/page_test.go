package inspector

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/ui/theme"
)

func TestAMessageIsShownWithWhatWasInserted(t *testing.T) {
	text := "ä\r\n日本語 and so on"
	n := len([]rune(text))
	for _, c := range []struct {
		name string
		e    history.Entry
		want string
	}{
		{"whole", history.Entry{Disposition: history.Kept}, "ä\r\n日本語 and so on"},
		{"cut at the end", history.Entry{
			Disposition: history.Cut, Cuts: []history.Range{{From: 6, To: n}}, Inserted: []history.Insert{
				{At: 6, Text: "…"},
			},
		}, "ä\r\n日本語◐…◐- and so on-"},
		{"cut in the middle", history.Entry{
			Disposition: history.Cut, Cuts: []history.Range{{From: 1, To: 6}}, Inserted: []history.Insert{
				{At: 1, Text: "…"},
			},
		}, "ä◐…◐-\r\n日本語- and so on"},
		{"in front and behind", history.Entry{Disposition: history.Kept, Inserted: []history.Insert{
			{At: 0, Text: "a"}, {At: n, Text: "b"},
		}}, "+a+ä\r\n日本語 and so on+b+"},
		{"replaced", history.Entry{
			Disposition: history.Kept, Cuts: []history.Range{{From: 0, To: n}}, Inserted: []history.Insert{
				{At: 0, Text: "[note]"},
			},
		}, "◐[note]◐-ä\r\n日本語 and so on-"},
		{"dropped", history.Entry{Disposition: history.Dropped}, "-ä\r\n日本語 and so on-"},
	} {
		var p Page
		p.message(text, c.e)
		got := ""
		for _, of := range p.paragraphs {
			sign := map[Kind]string{Unsent: "-", Added: "+", Marker: "◐"}[of.Kind]
			got += sign + of.Text + sign
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Wherever a message is cut, and whatever stands in the cut, no secret of it is left and nothing else is lost.
func TestAPageHidesSecretsAcrossItsCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"word ", "größer ", ourKey, "\n", "our-"}), 0, 6)
		text := strings.Join(pieces.Draw(t, "pieces"), "")
		e := history.Entry{Disposition: history.Cut}
		at, n := 0, len([]rune(text))
		for range rapid.IntRange(0, 3).Draw(t, "cuts") {
			from := rapid.IntRange(at, n).Draw(t, "from")
			at = rapid.IntRange(from, n).Draw(t, "to")
			e.Cuts = append(e.Cuts, history.Range{From: from, To: at})
			e.Inserted = append(e.Inserted, history.Insert{At: from, Text: "[cut, not " + ourKey + "]"})
		}
		p := Page{secrets: theme.Secrets{Find: findKey}}
		p.message(text, e)
		got, inserted := "", ""
		for _, of := range p.paragraphs {
			if of.Kind == Marker {
				inserted += of.Text
				continue
			}
			got += of.Text
		}
		if want := strings.ReplaceAll(text, ourKey, theme.Redacted); got != want || strings.Contains(inserted, ourKey) {
			t.Fatalf("%q cut at %v is %q, want %q; inserted is %q", text, e.Cuts, got, want, inserted)
		}
		if found := strings.Count(got+inserted, theme.Redacted); p.hidden != found {
			t.Fatalf("%d secrets are said to be hidden, want %d", p.hidden, found)
		}
	})
}
