package ui

import (
	"os"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/sessiontest"
	"winnow/session/store"
	"winnow/session/transfer"
	"winnow/ui/inspector"
	"winnow/ui/theme"
)

// damaged is the application with an imported conversation in which everything is broken that can be.
func damaged(t *testing.T, w, h int) *live {
	t.Helper()
	l := onStage(t, w, h)
	l.open(l.imported("../cli/testdata/damaged.jsonl"))
	return l
}

// imported stores a file's conversation and gives its id.
func (l *live) imported(path string) string {
	l.t.Helper()
	file, err := os.Open(path)
	if err != nil {
		l.t.Fatal(err)
	}
	defer file.Close()
	var id string
	from := transfer.Source{File: file, Time: begun}
	err = transfer.Import(l.t.Context(), l.current.With.Store, from, func(im transfer.Imported) { id = im.Session.ID })
	if err != nil {
		l.t.Fatal(err)
	}
	return id
}

// bare are messages without what a request may add to them.
func bare(messages []store.Message) []history.Message {
	var list []history.Message
	for _, m := range messages {
		list = append(list, m.Message)
	}
	return list
}

func TestEveryRepairHasAPage(t *testing.T) {
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := damaged(t, size[0], size[1])
		l.shows("20 repairs; /repair shows them")
		l.press("tab", "g", "m")
		kinds := map[string]bool{}
		for i, line := range l.repairs.Lines {
			if l.repairs.At != i {
				t.Fatalf("repair %d is on show, want %d", l.repairs.At, i)
			}
			l.shows("1 Send it repaired")
			got := plain(l.Model)
			number := theme.Thousands(line.Entry.Index + 1)
			for _, want := range []string{"repair " + theme.Thousands(i+1) + " of 20", "message " + number + ",", "▲ " +
				firstWords(line.Repair.Sentence())} {
				if !strings.Contains(got, want) {
					t.Errorf("the page of %s of message %s lacks %q:\n%s", line.Repair.Kind, number, want, got)
				}
			}
			if shown := strings.Contains(got, "Stored  as received"); !shown &&
				line.Repair.Before+line.Repair.After != "" {
				t.Errorf("%s of message %s is of %q and %q, and the screen is\n%s", line.Repair.Kind, number,
					line.Repair.Before, line.Repair.After, got)
			}
			kinds[line.Repair.Kind] = true
			l.press("n")
		}
		l.shows("This is the last repair.")
		l.press("N", "J", "K")
		if l.repairs.At != 18 {
			t.Errorf("N, J and K go to repair %d, want 19", l.repairs.At+1)
		}
		l.press("g")
		l.shows("repair 1 of 20")
		l.press("G")
		if len(l.repairs.Lines) != 20 || len(kinds) != 15 {
			t.Errorf("there are %d repairs of %d kinds, want 20 of 15", len(l.repairs.Lines), len(kinds))
		}
		l.press("o")
		if on, ok := l.chat.Selected(); l.overlays.any() || l.focus != transcriptPane || !ok ||
			on.ID != l.repairs.Lines[19].Entry.ID {
			t.Errorf("o does not go to the message; message %d is selected:\n%s", on.ID, plain(l.Model))
		}
		l.press("m")
		if on, ok := l.repairs.Chosen(); !ok || on.Entry.Index != 29 {
			t.Errorf("opened on message 30 the repair on show is %+v", on)
		}
		l.press("esc")
		if l.overlays.any() {
			t.Error("esc does not close the page")
		}
	}
}

// The page of a call shows what is stored of it and of its result against what is sent, and what else could be.
func TestARepairIsShownAgainstWhatIsStored(t *testing.T) {
	t.Parallel()
	l := damaged(t, 140, 50)
	l.press("tab", "g", "m")
	l.shows("2 Send it as plain text")
	for _, want := range []string{
		`−   args  {"path":"C:\Users\me", "limit`, `+   args  {"path":"C:\\Users\\me"}`, `id    "call_0"`,
		`name  "read"`,
		"▌ 1 Send it repaired", "“I look. [called read with", "3 Leave the call out", "now\n",
	} {
		if got := plain(l.Model); !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
	l.press("j")
	if got := plain(l.Model); !strings.Contains(got, "sent as text") ||
		!strings.Contains(got, "from now on, if you choose this") || !strings.Contains(got, " tokens\n") {
		t.Errorf("the second remedy does not show what it would send:\n%s", got)
	}
	l.press("enter")
	l.shows("The calls and results of messages 2 and 3 are sent as text")
	l.shows("sent as text, as you chose")
	l.shows("▌ 2 Send it as plain text")
	l.press("u")
	l.shows("The calls and results of messages 2 and 3 are repaired: ")
	l.shows("repaired in the request, not in the store")

	c5 := slices.IndexFunc(l.repairs.Lines, func(r inspector.Repaired) bool { return r.Repair.Kind == "C5" })
	row := slices.IndexFunc(strings.Split(plain(l.Model), "\n"), func(s string) bool {
		return strings.Contains(s, "▲ 10 model   ")
	})
	l.frame.Mouse = true
	_, cmd := l.Update(tea.MouseClickMsg{X: 20, Y: row, Button: tea.MouseLeft})
	l.run(cmd)
	if l.repairs.At != c5 {
		t.Errorf("a click on the repair %d of the list goes to %d:\n%s", c5, l.repairs.At, plain(l.Model))
	}
	l.shows("−   missing")
	l.shows(`name  "read"`)
	l.shows("+   id    \"call_4\"")
}

func firstWords(s string) string {
	words := strings.Fields(s)
	return strings.Join(words[:min(4, len(words))], " ")
}

func TestARemedyIsChosenInTheListOfRepairs(t *testing.T) {
	l := damaged(t, 140, 50)
	stored := bare(sessiontest.Messages(l.current.Session.Branch()))
	l.press("tab", "g", "m")
	total := l.panel.Next.Plan.Sum
	const asText, asCall = `[called read with {\"path\":\"C:`, `"arguments":"{\"path\":\"C:\\\\Users`
	for _, c := range []struct {
		says, word string
		remedy     history.Remedy
		sent       string
	}{
		{"The calls and results of messages 2 and 3 are sent as text", "sent as text", history.SendAsText, asText},
		{"The calls and results of messages 2 and 3 are left out: −", "left out", history.LeaveOut, ""},
		{"The calls and results of messages 2 and 3 are repaired: +", "repaired", history.SendRepaired, asCall},
	} {
		l.press("t")
		l.shows(c.says)
		l.shows("The stored message is not changed.")
		l.until("the new plan in the list", func() bool {
			on, _ := l.repairs.Chosen()
			return on.Repair.Remedy == c.remedy
		})
		on, _ := l.repairs.Chosen()
		if on.Entry.Index != 1 || on.Repair.Remedy != c.remedy || l.current.Session.Now().Remedies[on.Entry.ID] != c.remedy {
			t.Fatalf("%s: the line under the cursor is %+v", c.word, on)
		}
		if !strings.Contains(plain(l.Model), c.word) {
			t.Errorf("the list does not say %q:\n%s", c.word, plain(l.Model))
		}
		body, err := l.current.Session.Try(t.Context(), session.Settings{}).Body(l.panel.Next.Plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{asText, asCall} {
			if got, want := strings.Contains(string(body), form), form == c.sent; got != want {
				t.Errorf("%s: the request has %s: %t, want %t\n%s", c.word, form, got, want, body)
			}
		}
		if !slices.EqualFunc(bare(sessiontest.Messages(l.current.Session.Branch())), stored, sameMessage) {
			t.Fatalf("%s: what is stored changed", c.word)
		}
	}
	if l.panel.Next.Plan.Sum != total {
		t.Errorf("repaired again the sum is %+v, and was %+v", l.panel.Next.Plan.Sum, total)
	}
	if len(l.bodies) != 0 {
		t.Errorf("choosing sent %d requests", len(l.bodies))
	}
}

func sameMessage(a, b history.Message) bool {
	return a.ID == b.ID && a.Role == b.Role && a.Content == b.Content && slices.Equal(a.ToolCalls, b.ToolCalls) &&
		a.ToolCallID == b.ToolCallID
}

func TestARemedyThatChangesNothingIsPassedOver(t *testing.T) {
	l := damaged(t, 140, 50)
	l.press("tab", "m")
	for _, c := range []struct {
		kind string
		says []string
	}{
		{"C8", []string{"There is no other way to send message 18."}},
		{"C12", []string{"Message 25 is left out: −", "Message 25 is repaired: +"}},
		{"C6", []string{"Message 12 is left out: −", "Message 12 is repaired: +"}},
		{"C15", []string{"There is no other way to send message 30."}},
	} {
		l.repairs.At = slices.IndexFunc(l.repairs.Lines, func(r inspector.Repaired) bool {
			return r.Repair.Kind == c.kind
		})
		for _, says := range c.says {
			l.press("t")
			l.shows(says)
		}
		if on, _ := l.repairs.Chosen(); l.current.Session.Now().Remedies[on.Entry.ID] != history.SendRepaired {
			t.Errorf("%s: a remedy without an effect is kept: %q", c.kind, l.current.Session.Now().Remedies[on.Entry.ID])
		}
	}
	l.press("z")
	l.shows("z does nothing here; enter applies the chosen remedy")
}

func TestTheListOfRepairsOfASoundHistoryIsEmpty(t *testing.T) {
	t.Parallel()
	l := onStage(t, 80, 24)
	l.say("A question.")
	l.types("/repair")
	l.press("enter")
	l.shows("Nothing is damaged")
	l.press("t")
	l.shows("There is nothing to repair.")
	l.press("o")
	l.shows("There is no message to go to.")
}

func TestRepairsAreToldOncePerOpening(t *testing.T) {
	l := damaged(t, 140, 50)
	l.shows("20 repairs; /repair shows them.")
	l.notice.Hush()
	l.types("a draft")
	l.planned()
	if strings.Contains(plain(l.Model), "; /repair shows them") {
		t.Error("the repairs are told of a second time")
	}
	l.reopen()
	l.shows("20 repairs; /repair shows them")
}

func TestRemediesWaitForWhatForbidsThem(t *testing.T) {
	t.Parallel()
	l := damaged(t, 140, 50)
	l.press("tab", "m")
	l.turn.Busy = true
	l.press("t")
	l.shows("An answer is still arriving")
	l.turn.Busy = false

	l = onStage(t, 140, 50)
	l.current.With.Policy.Recovery = history.RecoverStrip
	l.open(l.imported("../cli/testdata/damaged.jsonl"))
	l.press("tab", "m", "t")
	l.shows("Recovery is set to strip for all calls")
}
