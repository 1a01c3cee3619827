package question

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session"
	"winnow/session/approval"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

var everyChoice = []approval.Choice{approval.Once, approval.Session, approval.Forever}

// askedAbout is a question about a call with these arguments.
func askedAbout(arguments string) session.Question {
	a := history.ArgumentsOf([]history.ToolCall{{Arguments: arguments}})[0]
	q := session.Question{
		Call: history.ToolCall{Name: "shell", Arguments: arguments}, Arguments: a, Number: 1, Of: 1,
		Choices: everyChoice,
		Reach:   "Runs as you, with your files and network.",
	}
	if a.Object != arguments {
		q.Reason, q.Choices = approval.Repaired, everyChoice[:1]
	}
	return q
}

// gpt gets the results.
var gpt = Recipient{Model: "gpt-5.2", Place: "api.openai.com", Tokens: 4300}

func of(q session.Question, w, h int) Model {
	m := Of(session.Asked{Question: q}, gpt)
	m.Resize(keymap.Default(), w, h)
	return m
}

func decided(c approval.Choice, reason string) Decided {
	return Decided{approval.Answer{Choice: c, Reason: reason}}
}

// press presses keys one after the other and returns the last event.
func press(q Model, keys ...string) (Model, Event) {
	var e Event
	for _, key := range keys {
		q, e = q.Update(keymap.Default(), uitest.Key(key))
	}
	return q, e
}

func TestTheSafeAnswerIsTheFirst(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want Event
	}{
		{[]string{"enter"}, decided(approval.No, "")},
		{[]string{"down", "enter"}, decided(approval.Once, "")},
		{[]string{"down", "up", "enter"}, decided(approval.No, "")},
		{[]string{"up", "enter"}, decided(approval.Forever, "")},
		{[]string{"y"}, decided(approval.Once, "")},
		{[]string{"s"}, decided(approval.Session, "")},
		{[]string{"a"}, decided(approval.Forever, "")},
		{[]string{"n"}, decided(approval.No, "")},
		{[]string{"r", "n", "o", "y", "enter"}, decided(approval.No, "noy")},
		{[]string{"r", "enter"}, decided(approval.No, "")},
		{[]string{"r", "y", "esc", "n"}, decided(approval.No, "")},
		{[]string{"r", "y", "esc"}, nil},
		{[]string{"esc"}, Stopped{}},
		{[]string{"x"}, Other{}},
	} {
		if _, got := press(of(askedAbout(`{"command":"rm -r build"}`), 60, 12), c.keys...); got != c.want {
			t.Errorf("%v: got %#v, want %#v", c.keys, got, c.want)
		}
	}
}

func TestOnlyWhatIsOfferedCanBeAnswered(t *testing.T) {
	q := askedAbout(`{"command":"rm -r`)
	for _, key := range []string{"s", "a"} {
		if _, got := press(of(q, 60, 12), key); got != (Other{}) {
			t.Errorf("%s: got %#v of a repaired call, want nothing", key, got)
		}
	}
}

func TestAPendingCallCanWait(t *testing.T) {
	q := OfPending(session.PendingCall{Message: 2, Question: askedAbout("{}")}, gpt)
	q.Resize(keymap.Default(), 60, 12)
	if _, got := press(q, "esc"); got != (Later{}) {
		t.Errorf("esc: got %#v, want it later", got)
	}
}

// Whatever the size of the screen: before an answer runs the call, each line of the arguments was drawn.
func TestAllArgumentsAreOnTheScreenBeforeTheCallRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := map[string]string{}
		for i := range rapid.IntRange(0, 30).Draw(t, "members") {
			members[fmt.Sprintf("k%d", i)] = rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\x1b\"\\é ")), 0, 60,
				-1).Draw(t, "value")
		}
		object, _ := json.Marshal(members)
		arguments := string(object)
		if rapid.Bool().Draw(t, "broken") && len(arguments) > 3 {
			arguments = arguments[:len(arguments)-1]
		}
		w, h := rapid.IntRange(36, 120).Draw(t, "w"), rapid.IntRange(6, 30).Draw(t, "h")
		q := of(askedAbout(arguments), w, h)
		seen := map[string]bool{}
		var e Event
		for range 400 {
			for _, line := range q.View(theme.New(theme.None, theme.Palette{}, 0), keymap.Default(), w, h, true) {
				if theme.Width(line) > w {
					t.Fatalf("%q is wider than %d", line, w)
				}
				seen[strings.Trim(strings.TrimPrefix(strings.TrimLeft(ansi.Strip(line), " "), "│"), " ")] = true
			}
			if q, e = press(q, "y"); e == decided(approval.Once, "") {
				break
			}
			if e != (Unseen{}) {
				t.Fatalf("y: got %#v", e)
			}
		}
		if e != decided(approval.Once, "") {
			t.Fatalf("%d×%d: the call cannot be allowed", w, h)
		}
		for _, line := range q.body(q.bodyWidth(w)) {
			if !seen[strings.Trim(line, " ")] {
				t.Fatalf("%d×%d: the call may run, and %q was not on the screen", w, h, line)
			}
		}
	})
}

func TestAClickAnswers(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{}, 0)
	q := of(askedAbout(`{"command":"ls"}`), 60, 12)
	lines := q.View(st, keymap.Default(), 60, 12, true)
	for y, line := range lines {
		line = ansi.Strip(line)
		want := Event(nil)
		switch {
		case strings.Contains(line, "Run it once"):
			want = decided(approval.Once, "")
		case strings.Contains(line, "Don’t run it"):
			want = decided(approval.No, "")
		case strings.Contains(line, "don’t ask again"):
			want = decided(approval.Session, "")
		case strings.Contains(line, "Always allow"):
			want = decided(approval.Forever, "")
		}
		if _, got := q.Clicked(st, keymap.Default(), y); got != want {
			t.Errorf("a click on %q gave %#v, want %#v", line, got, want)
		}
	}
}

func TestScreens(t *testing.T) {
	st, k := theme.New(theme.None, theme.Palette{}, 0), keymap.Default()
	var screens uitest.Screens
	add := func(name string, q Model, w, h int, focused bool) {
		q.Resize(k, w, h)
		screens.Add(name, q.View(st, k, w, h, focused))
	}
	plain := askedAbout(`{"command":"rm -r build","force":true}`)
	moved, _ := press(of(plain, 80, 20), "down")
	add("the draft has the focus", moved, 100, 20, false)
	add("it has the focus", moved, 80, 20, true)
	add("there is less room", moved, 60, 12, true)
	add("narrow and low", moved, 38, 6, true)
	typing, _ := press(of(plain, 60, 12), "r", "n", "o", "t")
	add("a reason is typed", typing, 60, 12, true)
	remote := askedAbout(`{"path":"notes.txt","text":"one\ntwo \u001b[31m\n"}`)
	remote.Server, remote.Number, remote.Of, remote.Reason = "files", 2, 3, approval.Changed
	add("the tool of a server that changed it", of(remote, 70, 16), 70, 16, true)
	add("repaired arguments", of(askedAbout("{\"command\":\"rm -r build\x1b[2J\", 'force': True"), 70, 20), 70, 20,
		true)
	long := askedAbout(`{"text":"` + strings.Repeat(`line\n`, 40) + `"}`)
	add("more than fits", of(long, 60, 14), 60, 14, true)
	paged, _ := press(of(long, 60, 14), "y")
	add("more than fits, and run was pressed", paged, 60, 14, true)
	screens.Golden(t)
}
