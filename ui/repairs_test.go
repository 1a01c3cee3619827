package ui

import (
	"os"
	"slices"
	"strings"
	"testing"

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
	err = transfer.Import(l.t.Context(), l.With.Store, from, func(im transfer.Imported) { id = im.Session.ID })
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
		l.shows("18 repairs; /repair shows them")
		l.press("tab", "g", "m")
		list := inspector.Repaired(&l.Panel.Next.Plan)
		kinds := map[string]bool{}
		for _, e := range list {
			l.shows("1 Send it repaired")
			for _, r := range e.Repairs {
				kinds[r.Kind] = true
			}
			got, number := plain(l.Model), theme.Thousands(e.Index+1)
			for _, want := range []string{
				"› message " + number + " ", "▲ " + firstWords(e.Repairs[0].Sentence()),
			} {
				if !strings.Contains(got, want) {
					t.Errorf("the page of message %s lacks %q:\n%s", number, want, got)
				}
			}
			if damage := e.Repairs[0]; !strings.Contains(l.Inspector.Text(), "Stored  as received") &&
				damage.Before+damage.After != "" {
				t.Errorf("message %s does not show %q against %q:\n%s", number, damage.Before, damage.After, got)
			}
			l.press("n")
		}
		l.shows("repair 1 of") // behind the last one comes the first
		l.press("N")
		l.shows("› message " + theme.Thousands(list[len(list)-1].Index+1))
		if len(kinds) != 15 {
			t.Errorf("there are repairs of %d kinds, want 15", len(kinds))
		}
		l.press("esc")
		if l.covered() {
			t.Error("esc does not close the page")
		}
	}
}

func firstWords(s string) string {
	words := strings.Fields(s)
	return strings.Join(words[:min(4, len(words))], " ")
}

// A remedy is chosen by its place, holds for the calls and their results, changes the request and nothing that is
// stored, and is undone.
func TestARemedyIsChosen(t *testing.T) {
	l := damaged(t, 140, 50)
	stored := bare(sessiontest.Messages(l.Session.Branch()))
	l.press("tab", "g", "m")
	l.shows("2 Send it as plain text")
	total := l.Panel.Next.Plan.Sum
	const asText, asCall = `[called read with {\"path\":\"C:`, `"arguments":"{\"path\":\"C:\\\\Users`
	for _, c := range []struct {
		keys   []string
		says   string
		remedy history.Remedy
		sent   string
	}{
		{[]string{"j", "enter"}, "as text", history.SendAsText, asText},
		{[]string{"u"}, "undone", history.SendRepaired, asCall},
		{[]string{"j", "j", "enter"}, "left out", history.LeaveOut, ""},
		{[]string{"k", "k", "enter"}, "repaired", history.SendRepaired, asCall},
	} {
		l.press(c.keys...)
		l.shows("This is sent from now on; your history is unchanged.")
		remedy := func() history.Remedy { return inspector.Repaired(&l.Panel.Next.Plan)[0].Repairs[0].Remedy }
		l.until("the new plan", func() bool { return remedy() == c.remedy })
		l.until("the prices by the new plan", func() bool {
			return strings.Contains(plain(l.Model), "▌ ") && strings.Contains(plain(l.Model), "in use")
		})
		body, err := l.Session.Try(t.Context(), session.Settings{}).Body(l.Panel.Next.Plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{asText, asCall} {
			if got, want := strings.Contains(string(body), form), form == c.sent; got != want {
				t.Errorf("%s: the request has %s: %t, want %t\n%s", c.says, form, got, want, body)
			}
		}
		if !slices.EqualFunc(bare(sessiontest.Messages(l.Session.Branch())), stored, sameMessage) {
			t.Fatalf("%s: what is stored changed", c.says)
		}
	}
	if l.Panel.Next.Plan.Sum != total {
		t.Errorf("repaired again the sum is %+v, and was %+v", l.Panel.Next.Plan.Sum, total)
	}
	if len(l.bodies) != 0 {
		t.Errorf("choosing sent %d requests", len(l.bodies))
	}
}

func sameMessage(a, b history.Message) bool {
	return a.ID == b.ID && a.Role == b.Role && a.Content == b.Content && slices.Equal(a.ToolCalls, b.ToolCalls) &&
		a.ToolCallID == b.ToolCallID
}

// Of damage that can be sent in one way alone no remedy is offered.
func TestARemedyThatChangesNothingIsNotOffered(t *testing.T) {
	l := damaged(t, 140, 50)
	for _, e := range inspector.Repaired(&l.Panel.Next.Plan) {
		if kind := e.Repairs[0].Kind; kind != "C8" && kind != "C15" {
			continue
		}
		l.run(l.Inspect(inspector.Subject{Message: e.ID}, inspector.RepairView))
		l.shows("1 Send it repaired")
		l.lacks("2 Send")
		l.press("enter")
		l.shows("This is what is sent now.")
	}
}

func TestRemediesWaitForWhatForbidsThem(t *testing.T) {
	t.Parallel()
	l := damaged(t, 140, 50)
	l.press("tab", "m")
	l.shows("1 Send it repaired")
	l.Busy = true
	l.press("enter")
	l.shows("An answer is still arriving")
	l.Busy = false

	l = onStage(t, 140, 50)
	l.With.Policy.Recovery = history.RecoverStrip
	l.open(l.imported("../cli/testdata/damaged.jsonl"))
	l.press("tab", "m", "enter")
	l.shows("Recovery is set to strip for all calls")
}
