package question

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

var everyChoice = []approval.Choice{approval.AllowOnce, approval.AllowForSession, approval.AllowAlways}

// askedAbout is a question about a call with these arguments.
func askedAbout(arguments string) session.ToolQuestion {
	a := history.RepairArguments([]history.ToolCall{{Arguments: arguments}})[0]
	q := session.ToolQuestion{
		Call: history.ToolCall{Name: "shell", Arguments: arguments}, Arguments: a, Number: 1, Of: 1,
		Choices: everyChoice,
		Reach:   "Runs as you, with your files and network.",
	}
	if a.Object != arguments {
		q.Reason, q.Choices = approval.ReasonRepaired, everyChoice[:1]
	}
	return q
}

// gpt gets the results.
var gpt = Recipient{Model: "gpt-5.2", Host: "api.openai.com", RequestTokens: 4300}

// asks is a question as it is drawn in so many cells and lines.
func asks(q Question, w, h int) *Model {
	m := &Model{Keys: keymap.Default()}
	m.Ask(q)
	m.Resize(w, h)
	return m
}

func of(q session.ToolQuestion, w, h int) *Model {
	return asks(Question{Call: &session.ApprovalNeeded{ToolQuestion: q}, Recipient: gpt}, w, h)
}

// aboveALimit is a question about a request that costs more than a request may.
func aboveALimit(given *limits.Answer) Question {
	l := limits.Limits{Request: limits.Amount{Cost: pricing.Dollar / 4}}
	return Question{Limit: &session.LimitExceeded{
		Over: l.Check(limits.SpentBefore{}, limits.Estimate{
			Tokens: 12_000, Cost: pricing.Cost{Amount: 42 * pricing.Dollar / 100, From: pricing.Estimated},
		}),
		Answer: func(a limits.Answer) { *given = a },
	}}
}

// press presses keys one after the other and returns what the last one came to.
func press(m *Model, keys ...string) (o Outcome, a approval.Answer) {
	for _, key := range keys {
		o, a = m.Update(uitest.Key(key))
	}
	return o, a
}

func TestTheSafeAnswerIsTheFirst(t *testing.T) {
	for _, c := range []struct {
		keys    []string
		want    Outcome
		choice  approval.Choice
		reason  string
		limited limits.Answer // what the same keys answer of a request above a limit, "" for nothing
	}{
		{keys: []string{"enter"}, want: Answered, choice: approval.Deny, limited: limits.DoNotSend},
		{keys: []string{"down", "enter"}, want: Answered, choice: approval.AllowOnce, limited: limits.SendOnce},
		{keys: []string{"down", "up", "enter"}, want: Answered, choice: approval.Deny, limited: limits.DoNotSend},
		{keys: []string{"up", "enter"}, want: Answered, choice: approval.AllowAlways, limited: limits.RaiseLimit},
		{keys: []string{"y"}, want: Answered, choice: approval.AllowOnce, limited: limits.SendOnce},
		{keys: []string{"s"}, want: Answered, choice: approval.AllowForSession, limited: limits.RaiseLimit},
		{keys: []string{"a"}, want: Answered, choice: approval.AllowAlways},
		{keys: []string{"n"}, want: Answered, choice: approval.Deny, limited: limits.DoNotSend},
		{
			keys: []string{"r", "n", "o", "y", "enter"}, want: Answered, choice: approval.Deny, reason: "noy",
			limited: limits.DoNotSend,
		},
		{keys: []string{"r", "y", "esc", "n"}, want: Answered, choice: approval.Deny, limited: limits.DoNotSend},
		{keys: []string{"r", "y", "esc"}, want: StaysOpen, limited: limits.DoNotSend},
		{keys: []string{"esc"}, want: StopTurn, limited: limits.DoNotSend},
		{keys: []string{"x"}, want: NotHandled},
	} {
		got, answer := press(of(askedAbout(`{"command":"rm -r build"}`), 60, 12), c.keys...)
		if got != c.want || answer != (approval.Answer{Choice: c.choice, Reason: c.reason}) {
			t.Errorf("%v: got %v with %+v, want %v with %q and %q", c.keys, got, answer, c.want, c.choice, c.reason)
		}
		var given limits.Answer
		m := asks(aboveALimit(&given), 60, 12)
		if got, answer := press(m, c.keys[len(c.keys)-1:]...); got == Answered && len(c.keys) == 1 {
			m.Question().Answer(answer)
			if given != c.limited {
				t.Errorf("%v: a request above a limit is answered with %q, want %q", c.keys, given, c.limited)
			}
		}
	}
}

func TestOnlyWhatIsOfferedCanBeAnswered(t *testing.T) {
	q := askedAbout(`{"command":"rm -r`)
	for _, key := range []string{"s", "a"} {
		if got, _ := press(of(q, 60, 12), key); got != NotHandled {
			t.Errorf("%s: got %v of a repaired call, want nothing", key, got)
		}
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
		got := ArgumentsUnseen
		for range 400 {
			for _, line := range q.View(theme.New(theme.None, theme.Palette{}, 0), true) {
				if theme.Width(line) > w {
					t.Fatalf("%q is wider than %d", line, w)
				}
				seen[strings.Trim(strings.TrimPrefix(strings.TrimLeft(ansi.Strip(line), " "), "│"), " ")] = true
			}
			if got, _ = press(q, "y"); got != ArgumentsUnseen {
				break
			}
		}
		if got != Answered {
			t.Fatalf("%d×%d: the call cannot be allowed", w, h)
		}
		for _, line := range q.body() {
			if !seen[strings.Trim(line, " ")] {
				t.Fatalf("%d×%d: the call may run, and %q was not on the screen", w, h, line)
			}
		}
	})
}

func TestScreens(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{}, 0)
	var screens uitest.Screens
	add := func(name string, m *Model, w, h int, keys ...string) {
		m.Resize(w, h)
		press(m, keys...)
		screens.Add(name, m.View(st, name != "the draft has the focus"))
	}
	call := func() *Model { return of(askedAbout(`{"command":"rm -r build","force":true}`), 80, 20) }
	add("the draft has the focus", call(), 100, 20)
	add("it has the focus", call(), 80, 20, "down")
	add("there is less room", call(), 60, 12, "down")
	add("narrow and low", call(), 38, 6, "down")
	add("a reason is typed", call(), 60, 12, "r", "n", "o", "t")
	remote := askedAbout(`{"path":"notes.txt","text":"one\ntwo \u001b[31m\n"}`)
	remote.Server, remote.Number, remote.Of, remote.Reason = "files", 2, 3, approval.ReasonToolChanged
	add("the tool of a server that changed it", of(remote, 70, 16), 70, 16)
	add("repaired arguments", of(askedAbout("{\"command\":\"rm -r build\x1b[2J\", 'force': True"), 70, 20), 70, 20)
	long := askedAbout(`{"text":"` + strings.Repeat(`line\n`, 40) + `"}`)
	add("more than fits", of(long, 60, 14), 60, 14)
	add("more than fits, and run was pressed", of(long, 60, 14), 60, 14, "y")
	limited := aboveALimit(new(limits.Answer))
	add("a request above a limit", asks(limited, 60, 12), 60, 12, "down")
	limited.Limit.For = store.PurposeSummary
	add("a summary above a limit, narrow and low", asks(limited, 40, 4), 40, 4)
	unknown := Question{Limit: &session.LimitExceeded{Over: limits.OverLimit{PriceUnknown: true}}}
	add("the price is not known", asks(unknown, 60, 6), 60, 6)
	screens.Golden(t)
}
