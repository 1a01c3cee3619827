package inspector

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/panel"
	"winnow/ui/theme"
	"winnow/ui/transcript"
	"winnow/ui/uitest"
)

// A case of these random tests draws a text of many rows again and again, so a plain run takes 40 cases
// instead of rapid's 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "40")
	}
}

// What requests in turn made of a message for the same reason is one row, with a glyph for each of them.
func TestTheHistoryOfAMessageIsARowForEachVerdict(t *testing.T) {
	whole := history.Entry{Disposition: history.Kept, Whole: true, CharsBefore: 2310, CharsAfter: 2310}
	cut := history.Entry{Disposition: history.Cut, Cause: history.Cause{
		Code: cause.AssistantLimit, Have: 150, Want: 2310, Limit: 150,
	}, CharsBefore: 2310, CharsAfter: 150}
	shared := &app.Shared{Themes: &theme.Selection{Styles: theme.New(theme.None, theme.Palette{}, 0)}}
	in := Model{w: 100, Context: &app.Context{Shared: shared}}
	for turn := 14; turn > 0; turn-- {
		e := whole
		if turn > 12 {
			e = cut
		}
		in.verdicts = append(in.verdicts, store.PastVerdict{Turn: turn, Entry: e})
	}
	want := `
  History
  whole     ● ● ● ● ● ●  turns 1 to 12
  cut       ◐ ◐          turns 13 to 14: older answers are limited to 150`
	if got := uitest.Plain(in.history()); !strings.Contains(got, want) {
		t.Errorf("the history is not\n%s\nbut\n%s", want, got)
	}
	in.verdicts = nil
	for turn := maxHistoryRows + 2; turn > 0; turn-- {
		e := []history.Entry{whole, cut}[turn%2]
		in.verdicts = append(in.verdicts, store.PastVerdict{Turn: turn, Entry: e})
	}
	if oldest := uitest.Plain(in.history()[3:4]); !strings.Contains(oldest, "  cut       ◐            turn 3: ") {
		t.Errorf("the oldest row is %q, want that of turn 3 alone", oldest)
	}
}

// inspecting is an inspector of messages as a plan sends them.
func inspecting(t testing.TB, w int, past []history.Message) *Model {
	t.Helper()
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := history.Build(past, history.Options{
		Policy: policy, Window: 8192, Turn: []history.Message{{Role: history.User, Content: "And now?"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var stored []store.Message
	for _, m := range past {
		stored = append(stored, store.Message{Message: m})
	}
	chat := &transcript.Model{Messages: branch.Branch{}.Append(stored...)}
	return &Model{
		Context: &app.Context{Shared: &app.Shared{
			Themes:  &theme.Selection{Styles: theme.New(theme.None, theme.Palette{}, 0)},
			Secrets: theme.Secrets{Find: findKey},
		}},
		Panel: &panel.Model{Hooks: panel.Hooks{Message: chat.Message}}, request: request{Plan: plan}, w: w,
	}
}

// ourKey is what findKey finds.
const ourKey = "our-own-key"

func findKey(text string, _ bool) (spans [][2]int) {
	for at := 0; ; {
		i := strings.Index(text[at:], ourKey)
		if i < 0 {
			return spans
		}
		at += i + len(ourKey)
		spans = append(spans, [2]int{at - len(ourKey), at})
	}
}

// asking is a conversation with a call that was cut off, and one without a result.
func asking(arguments, result string) []history.Message {
	return []history.Message{
		{ID: 1, Role: history.User, Content: "Look."},
		{ID: 2, Role: history.Assistant, ToolCalls: []history.ToolCall{
			{ID: "a", Name: "list", Arguments: arguments}, {ID: "b", Name: "read", Arguments: `{"at": 2}`},
		}},
		{ID: 3, Role: history.Tool, Content: result, ToolCallID: "a"},
		{ID: 4, Role: history.Assistant, Content: "There it is."},
	}
}

// Of a damaged message, and of the calls and results that go with it, every row that only one side has is marked.
func TestARepairIsComparedRowByRow(t *testing.T) {
	in := inspecting(t, 100, asking(`{"at": 1, "to`, "one, with "+ourKey))
	e, _ := in.Plan.EntryByID(2)
	var screens uitest.Screens
	screens.Add("side by side", in.comparison(&in.Plan, e, "now"))
	in.w = 60
	screens.Add("one below the other", in.comparison(&in.Plan, e, "now"))
	screens.Golden(t)
}

// A request that a message is not in sends nothing of it, whatever else it sends.
func TestAMessageThatIsNotInTheRequest(t *testing.T) {
	in := inspecting(t, 100, asking(`{}`, "done"))
	var p page
	in.asSent(&p, 99)
	if want := "This message is not in its place in the request.\n"; p.text() != want {
		t.Errorf("of a message that the request does not have it shows %q, want %q", p.text(), want)
	}
}

func TestAComparisonFitsEveryWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab {\"\n\t猫é\u0301👩\u200d🚀\x1b\u202e")))
		w := rapid.IntRange(5, 140).Draw(t, "w")
		in := inspecting(&testing.T{}, w, asking(text.Draw(t, "arguments"), strings.Repeat(text.Draw(t, "result"), 99)))
		e, _ := in.Plan.EntryByID(2)
		for _, line := range in.comparison(&in.Plan, e, "now") {
			if n := ansi.StringWidth(line); n > w {
				t.Fatalf("at %d cells the line %q has %d", w, ansi.Strip(line), n)
			}
		}
	})
}

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
			Disposition: history.Cut, Cuts: []history.CharRange{{From: 6, To: n}}, Inserted: []history.Insertion{
				{At: 6, Text: "…"},
			},
		}, "ä\r\n日本語◐…◐- and so on-"},
		{"cut in the middle", history.Entry{
			Disposition: history.Cut, Cuts: []history.CharRange{{From: 1, To: 6}}, Inserted: []history.Insertion{
				{At: 1, Text: "…"},
			},
		}, "ä◐…◐-\r\n日本語- and so on"},
		{"in front and behind", history.Entry{Disposition: history.Kept, Inserted: []history.Insertion{
			{At: 0, Text: "a"}, {At: n, Text: "b"},
		}}, "+a+ä\r\n日本語 and so on+b+"},
		{"replaced", history.Entry{
			Disposition: history.Kept, Cuts: []history.CharRange{{From: 0, To: n}}, Inserted: []history.Insertion{
				{At: 0, Text: "[note]"},
			},
		}, "◐[note]◐-ä\r\n日本語 and so on-"},
		{"dropped", history.Entry{Disposition: history.Dropped}, "-ä\r\n日本語 and so on-"},
	} {
		var p page
		p.message(text, c.e)
		got := ""
		for _, of := range p.paragraphs {
			sign := map[ParagraphKind]string{KindUnsent: "-", KindAdded: "+", KindMarker: "◐"}[of.Kind]
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
			e.Cuts = append(e.Cuts, history.CharRange{From: from, To: at})
			e.Inserted = append(e.Inserted, history.Insertion{At: from, Text: "[cut, not " + ourKey + "]"})
		}
		p := page{secrets: theme.Secrets{Find: findKey}}
		p.message(text, e)
		got, inserted := "", ""
		for _, of := range p.paragraphs {
			if of.Kind == KindMarker {
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

// paged is a pager for some paragraphs.
func paged(w, h int, list ...Paragraph) *Pager {
	st := theme.New(theme.None, theme.Palette{}, 0)
	g := &Pager{st: &st, page: &page{paragraphs: list}}
	g.Resize(w, h)
	return g
}

// all is what a pager shows from its top to its end, a row each.
func (g *Pager) all() (rows []string) {
	for i := range g.lines {
		for _, row := range g.wrapped(i) {
			rows = append(rows, ansi.Strip(row))
		}
	}
	return rows
}

func paragraphs(t *rapid.T) []Paragraph {
	text := rapid.SampledFrom([]string{
		"", "a", "some words of a text ", "\n", "\r\n", "x\r\ny", "\t", "ünï", "日本語の文",
		"👩‍👩‍👧", "e\u0301\u0302", "\x1b[31m", "\u202e", "\xff\xfe",
		strings.Repeat("long", 40), strings.Repeat("word ", 30), strings.Repeat("0", 30_000),
		strings.Repeat("語", 10_000), "\n\n\n",
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Paragraph {
		kind := ParagraphKind(rapid.IntRange(0, int(KindVerdict)).Draw(t, "kind"))
		return Paragraph{Kind: kind, Text: text.Draw(t, "text")}
	}), 1, 12).Draw(t, "paragraphs")
}

// At any width every character is there, in order, and no row is too wide.
func TestAPagerShowsAllOfItsText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(6, 89).Draw(t, "width")
		g := paged(w, 10, paragraphs(t)...)
		for _, row := range g.all() {
			if n := ansi.StringWidth(row); n > w {
				t.Fatalf("a row of %d cells on %d: %q", n, w, row)
			}
		}
		letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
		have, want := letters(strings.Join(g.all(), "")), letters(markdown.Visible(g.page.text()))
		if have != want {
			t.Errorf("shown %q, want %q", have, want)
		}
	})
}

// Every step moves by one row, and the screen is full as long as there is text for it.
func TestAPagerScrollsRowByRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.IntRange(1, 20).Draw(t, "h")
		g := paged(rapid.IntRange(4, 60).Draw(t, "w"), h, paragraphs(t)...)
		all, at := g.all(), 0
		for range 40 {
			by := rapid.IntRange(-9, 9).Draw(t, "by")
			g.Scroll(by)
			at = max(0, min(at+by, len(all)-h))
			want := strings.Join(all[at:min(len(all), at+h)], "\n")
			if got := ansi.Strip(strings.Join(g.View(), "\n")); got != want {
				t.Fatalf("row %d of %d:\n%s\nwant\n%s", at, len(all), got, want)
			}
		}
		g.Scroll(keymap.AllLines)
		want := strings.Join(all[max(0, len(all)-h):], "\n")
		if got := ansi.Strip(strings.Join(g.View(), "\n")); got != want {
			t.Fatalf("the end is\n%s\nwant\n%s", got, want)
		}
	})
}

func TestAPagerMarksWhatIsNotSentWithoutColour(t *testing.T) {
	g := paged(40, 20,
		Paragraph{Kind: KindVerdict, Mark: "◐", Title: "gpt-5.2", Text: "  cut", Aside: "~44 tokens"},
		Paragraph{Kind: KindSent, Text: "The beginning is sent"},
		Paragraph{Kind: KindMarker, Text: " ... (cut)", Aside: "added in place"},
		Paragraph{Kind: KindUnsent, Text: " and the rest is not,\n\nnor is this."},
		Paragraph{Kind: KindSent, Text: "\nThis is sent again, "},
		Paragraph{Kind: KindUnsent, Text: "this not."},
		Paragraph{Kind: KindAdded, Text: "[note]"},
	)
	want := ` ◐ gpt-5.2  cut              ~44 tokens
 ▌ The beginning is sent
 ◐ ... (cut)             added in place
 ┊ and the rest is not,
 ┊
 ┊ nor is this.
 ▌ This is sent again,
 ┊ this not.
 ✚ [note]
`
	if got := uitest.Plain(g.View()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	g.Resize(16, 20)
	if got := uitest.Plain(g.View()); strings.Split(got, "\n")[1] != "   ~44 tokens" {
		t.Errorf("on a narrow screen the tokens are not below their line:\n%s", got)
	}
}
