package inspector

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// opened is an inspector on message 2 of a request of two messages, the second of which was repaired.
func opened() Model {
	entries := []history.Entry{
		{ID: 1, Role: history.User, Disposition: history.Kept, Whole: true, CharsBefore: 5, CharsAfter: 5},
		{
			ID: 2, Index: 1, Role: history.Assistant, Disposition: history.Kept, Whole: true,
			CharsBefore: 6, CharsAfter: 6,
			Repairs: []history.Repair{{Kind: "C1", Before: `{"a":`, After: `{}`}},
		},
	}
	texts := map[int64]string{1: "A key", 2: "secret"}
	in := Model{
		Deps: Deps{
			Keys: keymap.Default(), Settings: func() (string, error) { return "preset balanced", nil },
			Message: func(id int64) (store.Message, bool) {
				return store.Message{Message: history.Message{ID: id, Content: texts[id]}}, true
			},
		},
		Request: Request{Name: "next request", Ready: true, Plan: history.Plan{
			Entries: entries,
			Messages: []history.Message{
				{Role: history.User, Content: "A key"}, {Role: history.Assistant, Content: "secret"},
			}, Spans: []history.Span{{Entry: 0, Message: 0, To: 5}, {Entry: 1, Message: 1, To: 6}},
		}},
	}
	request := in.Request
	in.Resize(80, 20)
	in.Forget()
	in.Request = request
	do(&in, Inspect{On: Subject{Message: 2}, At: TextView})
	return in
}

// do gives the inspector messages, and returns the events of the last one.
func do(in *Model, msgs ...tea.Msg) []event.Event {
	var events []event.Event
	for _, msg := range msgs {
		if name, ok := msg.(string); ok {
			msg = uitest.Key(name)
		}
		*in, _ = in.Update(msg)
		events = in.Events()
	}
	return events
}

func shown(in *Model) string {
	return in.Title() + " · [" + string(in.At) + "]\n" +
		uitest.Plain(in.View(theme.New(theme.None, theme.Palette{}, 0)))
}

func TestTheViewsOfAMessageFollowEachOther(t *testing.T) {
	in := opened()
	for _, want := range []string{"[text]", "[as sent]", "[repair]"} {
		if got := shown(&in); !strings.Contains(got, "message 2 · ") || !strings.Contains(got, want) {
			t.Errorf("want the view %s:\n%s", want, got)
		}
		do(&in, "tab")
	}
	if got := shown(&in); !strings.Contains(got, "[past requests]") || !strings.Contains(got, "Reading past requests") {
		t.Errorf("the past is not being read:\n%s", got)
	}
	do(&in, "tab", "shift+tab")
	if got := do(&in, "j"); !reflect.DeepEqual(got,
		[]event.Event{event.Notice{Text: "Still reading; esc closes it."}}) {
		t.Errorf("a key while it is read: %#v", got)
	}
}

func TestWhatIsReadIsAskedForAndShown(t *testing.T) {
	in := opened()
	do(&in, "tab", "tab")
	if got, want := do(&in, "tab"), []event.Event{ReadVerdicts{in.Number, 2, firstVerdicts}}; !reflect.DeepEqual(got,
		want) {
		t.Fatalf("the view of the past asks for %#v, want %#v", got, want)
	}
	list := make([]store.PastVerdict, firstVerdicts)
	list[0] = store.PastVerdict{Turn: 7, Request: 70, Entry: in.Plan.Entries[1]}
	do(&in, VerdictsMsg{Answer: Answer{Number: in.Number - 1}})
	if in.Content() != nil {
		t.Error("what was asked for before is shown")
	}
	do(&in, VerdictsMsg{Answer: Answer{Number: in.Number}, List: list, Limit: firstVerdicts})
	if got := shown(&in); !strings.Contains(got, "turn 7") {
		t.Errorf("the verdicts are not shown:\n%s", got)
	}
	if got, want := do(&in, "enter"), []event.Event{Open{7, 70}}; !reflect.DeepEqual(got, want) {
		t.Errorf("enter asks for %#v, want %#v", got, want)
	}
	if got, want := do(&in, "G"), []event.Event{ReadVerdicts{in.Number, 2, 4 * firstVerdicts}}; !reflect.DeepEqual(got,
		want) {
		t.Errorf("at the end %#v is asked for, want %#v", got, want)
	}
	if got := do(&in, "k", "G"); len(got) > 0 {
		t.Errorf("while more is read %#v is asked for", got)
	}
}

func TestTheViewsAreNamedInTheirSpace(t *testing.T) {
	in, st := opened(), theme.New(theme.None, theme.Palette{}, 0)
	for w, want := range map[int]string{
		60: "text   as sent   repair   past requests", 39: "text   as sent   repair   past requests", 38: "as sent 2/4",
	} {
		in.At = SentView
		if got := ansi.Strip(in.Views(st, w)); got != want {
			t.Errorf("in %d cells the views are %q, want %q", w, got, want)
		}
	}
	if got, want := in.Views(st, 60), st.Strong.Underline(true).Render("as sent"); !strings.Contains(got, want) {
		t.Errorf("the view on show is not underlined: %q", got)
	}
}

func TestTheHistoryOfAMessageStandsBelowItsText(t *testing.T) {
	in := opened()
	whole := in.Plan.Entries[0]
	cut := history.Entry{ID: 1, Disposition: history.Cut, Cause: history.Cause{
		Code: cause.AssistantLimit,
		Have: 150, Want: 2310, Limit: 150,
	}, CharsBefore: 2310, CharsAfter: 150, TokensBefore: 584, TokensAfter: 44}
	in.Plan.Entries = edited(in.Plan.Entries, func(list []history.Entry) {
		list[0] = cut
	})
	do(&in, Inspect{On: Subject{Message: 1}, At: TextView})
	in.Resize(100, 20)
	var list []store.PastVerdict
	for turn := 14; turn > 0; turn-- {
		e := whole
		if turn > 12 {
			e = cut
		}
		list = append(list, store.PastVerdict{Turn: turn, Request: int64(turn), Entry: e})
	}
	do(&in, VerdictsMsg{Answer: Answer{Number: in.Number}, List: list, Limit: firstVerdicts})
	want := `
  History
  whole  ● ● ● ● ● ● ● ●  turns 1 to 12
  cut    ◐ ◐              turns 13 to 14: older answers are limited to 150 characters
  next   ◐                the next request; sent whole it would take ~540 more tokens`
	if got := shown(&in); !strings.Contains(got, want) {
		t.Errorf("the history is not\n%s\nbut\n%s", want, got)
	}
	in.Resize(80, 8)
	if got := shown(&in); strings.Contains(got, "History") {
		t.Errorf("on a low screen the history takes the room of the text:\n%s", got)
	}
}

func TestTheRequestIsComparedWithAnother(t *testing.T) {
	in := opened()
	do(&in, Inspect{On: Subject{Request: true}, At: TextView}, "shift+tab")
	do(&in, BeforeMsg{Answer: Answer{Number: in.Number}, Before: &Request{
		Name: "turn 1",
		Plan: history.Plan{Entries: in.Plan.Entries[:1]},
	}})
	if got := shown(&in); !strings.Contains(got, "from turn 1 to next request") ||
		!strings.Contains(got, "entered      2 model") {
		t.Errorf("the changes are not shown:\n%s", got)
	}
	do(&in, "enter")
	if got := shown(&in); !strings.Contains(got, "message 2 · [text]") {
		t.Errorf("enter does not open the message that changed:\n%s", got)
	}
	do(&in, "esc")
	if got := shown(&in); !strings.Contains(got, "next request · [changes]") {
		t.Errorf("esc does not go back to the changes:\n%s", got)
	}
	if got := do(&in, "esc"); !reflect.DeepEqual(got, []event.Event{Closed{}}) {
		t.Errorf("a second esc: %#v, want it to close", got)
	}
}

func TestKeysAskForWhatConcernsOthers(t *testing.T) {
	in := opened()
	if got, want := do(&in, "y"), []event.Event{Copy{"6 characters", "secret"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
	if got, want := do(&in, "x"), []event.Event{Flag{history.Exclude, 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
	if got, want := do(&in, "J"), []event.Event{Step{1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestRemediesAreAskedForOneAfterTheOther(t *testing.T) {
	l := Repairs{Keys: keymap.Default()}
	press := func(keys ...string) []event.Event {
		var all []event.Event
		for _, key := range keys {
			l = l.Update(uitest.Key(key))
			all = append(all, l.Events()...)
		}
		return all
	}
	if got := press("t", "o"); !reflect.DeepEqual(got,
		[]event.Event{
			event.Notice{Text: "There is nothing to repair."}, event.Notice{Text: "There is no message to go to."},
		}) {
		t.Errorf("without repairs: %#v", got)
	}
	in := opened()
	plan := in.Plan
	plan.Entries = append(plan.Entries[:2:2], history.Entry{ID: 3, Index: 2, Repairs: []history.Repair{{Kind: "C8"}}})
	l.Set(plan)
	if got := l.Announce(); got != "2 repairs; /repair shows them." || l.Announce() != "" {
		t.Errorf("announced as %q", got)
	}
	first, second := Remedy{l.Lines[0], nil}, Remedy{l.Lines[1], nil}
	if got := press("t", "n", "t"); !reflect.DeepEqual(got,
		[]event.Event{first, ReadPrices{1, 3, l.plan, history.SendRepaired}}) {
		t.Errorf("two remedies at once: %#v, want the first and the prices of the other message", got)
	}
	l = l.Update(RemediedMsg{})
	if events := l.Events(); !reflect.DeepEqual(events, []event.Event{second}) {
		t.Errorf("after the first remedy: %#v, want the second", events)
	}
	press("t")
	l = l.Update(RemediedMsg{Failed: true})
	if events := l.Events(); len(events) > 0 {
		t.Errorf("after a remedy that failed: %#v, want none", events)
	}
	if got := press("o", "n", "esc"); !reflect.DeepEqual(got,
		[]event.Event{GoTo{3}, event.Notice{Text: "This is the last repair."}, Closed{}}) {
		t.Errorf("o, n and esc: %#v", got)
	}
}

func TestARemedyIsChosenByItsPrice(t *testing.T) {
	in := opened()
	l := Repairs{Keys: keymap.Default(), Message: in.Message}
	l.Set(in.Plan)
	l.Open(2)
	if got, want := l.Events(),
		[]event.Event{ReadPrices{1, 2, l.plan, history.SendRepaired}}; !reflect.DeepEqual(got, want) {
		t.Fatalf("opened, it asks for %#v, want %#v", got, want)
	}
	press := func(key string) []event.Event {
		l = l.Update(uitest.Key(key))
		return l.Events()
	}
	if got := press("enter"); !reflect.DeepEqual(got,
		[]event.Event{event.Notice{Text: "The other repairs are still being compared."}}) {
		t.Errorf("enter before the prices: %#v", got)
	}
	text := in.Plan
	prices := []Price{
		{history.SendRepaired, &in.Plan, 0}, {history.SendAsText, &text, 6}, {history.LeaveOut, &text, -38},
	}
	l = l.Update(PricesMsg{Number: 0, Message: 2, Prices: prices[:1]}) // too late
	l = l.Update(PricesMsg{Number: 1, Message: 2, Prices: prices})
	screen := func(w, h int) string {
		return uitest.Plain(l.View(theme.New(theme.None, theme.Palette{}, 0), w, h))
	}
	for _, want := range []string{
		"▌ 1 Send it repaired", "  2 Send it as plain text", "in use\n", "+6 tokens\n",
		"−38 tokens\n", originalKept,
	} {
		if got := screen(100, 30); !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	if got := press("enter"); !reflect.DeepEqual(got, []event.Event{event.Notice{Text: "This is what is sent now."}}) {
		t.Errorf("enter on what is sent: %#v", got)
	}
	press("j")
	press("3")
	if got := screen(100, 30); !strings.Contains(got, "▌ 3 Leave the message out") ||
		!strings.Contains(got, "−38 tokens\n") {
		t.Errorf("3 does not choose the third remedy:\n%s", got)
	}
	l.Set(in.Plan)
	l = l.Update(Refresh{})
	if got, want := l.Events(),
		[]event.Event{ReadPrices{2, 2, l.plan, history.SendRepaired}}; !reflect.DeepEqual(got, want) {
		t.Errorf("of another plan it asks for %#v, want %#v", got, want)
	}
	l = l.Update(PricesMsg{Number: 2, Message: 2, Prices: prices})
	if got := screen(100, 30); !strings.Contains(got, "▌ 3 Leave the message out") {
		t.Errorf("another plan moves the cursor:\n%s", got)
	}
	lines := strings.Split(screen(100, 30), "\n")
	second := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, "  2 Send") })
	l = l.Update(Click{second})
	if got := screen(100, 30); !strings.Contains(got, "▌ 2 Send it as plain text") {
		t.Errorf("a click does not choose the second remedy:\n%s", got)
	}
	l = l.Update(Click{second + 1})
	leave, repaired := history.LeaveOut, history.SendRepaired
	if got, want := press("enter"), []event.Event{Remedy{l.Lines[0], &leave}}; !reflect.DeepEqual(got, want) {
		t.Errorf("enter asks for %#v, want %#v", got, want)
	}
	nothing := []event.Event{event.Notice{Text: "There is nothing to undo: this is repaired."}}
	l = l.Update(RemediedMsg{Failed: true})
	if got := press("u"); !reflect.DeepEqual(got, nothing) {
		t.Errorf("u after a remedy that was not stored: %#v", got)
	}
	press("enter")
	l = l.Update(RemediedMsg{Was: repaired, Is: leave})
	for range 2 { // what is not stored can be taken back again
		if got, want := press("u"), []event.Event{Remedy{l.Lines[0], &repaired}}; !reflect.DeepEqual(got, want) {
			t.Errorf("u asks for %#v, want %#v", got, want)
		}
		l = l.Update(RemediedMsg{Failed: true})
	}
	press("u")
	l = l.Update(RemediedMsg{Was: leave, Is: repaired})
	if got := press("u"); !reflect.DeepEqual(got, nothing) {
		t.Errorf("a second u: %#v", got)
	}
}

// Prices are made for one repair at a time: steps to others meanwhile ask once, for the one on show then.
func TestPricesAreMadeForTheRepairOnShow(t *testing.T) {
	in := opened()
	plan := in.Plan
	plan.Entries = plan.Entries[:2:2]
	for id := int64(3); id < 8; id++ {
		plan.Entries = append(plan.Entries, history.Entry{
			ID: id, Index: int(id) - 1,
			Repairs: []history.Repair{{Kind: "C8"}},
		})
	}
	l := Repairs{Keys: keymap.Default(), Message: in.Message}
	l.Set(plan)
	l.Open(2)
	l.Events()
	for range 3 {
		l = l.Update(uitest.Key("n"))
	}
	if got := l.Events(); len(got) > 0 {
		t.Errorf("steps ask for %#v while prices are made", got)
	}
	l = l.Update(PricesMsg{Number: 1, Message: 2, Prices: []Price{{history.SendRepaired, &plan, 0}}})
	if got, want := l.Events(),
		[]event.Event{ReadPrices{2, 5, l.plan, history.SendRepaired}}; !reflect.DeepEqual(got, want) ||
		l.prices != nil {
		t.Errorf("then they ask for %#v, want %#v; the prices are %v", got, want, l.prices)
	}
	l = l.Update(PricesMsg{Number: 2, Message: 5, Prices: []Price{{history.SendRepaired, &plan, 0}}})
	if got := l.Events(); len(got) > 0 || len(l.prices) != 1 {
		t.Errorf("with the prices they ask for %#v and have %v", got, l.prices)
	}
}

// TestThePageOfARepairFits draws it in every box: no line is too wide, none is too many, and a remedy under the cursor
// stays on the screen.
func TestThePageOfARepairFits(t *testing.T) {
	in := opened()
	l := Repairs{Keys: keymap.Default(), Message: in.Message}
	l.Set(in.Plan)
	l.Open(2)
	l = l.Update(PricesMsg{
		Number: 1, Message: 2, Prices: []Price{
			{history.SendRepaired, &in.Plan, 0}, {history.SendAsText, &in.Plan, 6}, {history.LeaveOut, &in.Plan, -38},
		},
	})
	st := theme.New(theme.Dark, theme.BuiltIn()[theme.Dark], 0)
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(10, 300).Draw(t, "w"), rapid.IntRange(1, 60).Draw(t, "h")
		l = l.Update(uitest.Key(rapid.SampledFrom([]string{"j", "k", "ctrl+d", "ctrl+u", "pgdown"}).Draw(t, "key")))
		lines := l.View(st, w, h)
		if len(lines) > h {
			t.Fatalf("%d lines on %d", len(lines), h)
		}
		for _, s := range lines {
			if n := ansi.StringWidth(s); n > w {
				t.Fatalf("a line of %d cells on %d: %q", n, w, ansi.Strip(s))
			}
		}
		if !strings.Contains(uitest.Plain(lines), "▌ "[:3]) && h > 1 {
			t.Fatalf("no remedy is under the cursor at %d×%d:\n%s", w, h, uitest.Plain(lines))
		}
	})
}

// edited is the same entries with some of them changed.
func edited(entries []history.Entry, edit func(list []history.Entry)) []history.Entry {
	list := slices.Clone(entries)
	edit(list)
	return list
}
