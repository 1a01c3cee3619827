package ui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"winnow/history"
)

// ranged is a selection of the messages from the second to the last but one in the transcript.
func ranged(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(tab)
	for _, k := range "KKKK    " {
		m.Update(char(k))
	}
	return m
}

// pinned is what the screen says after the dropped first message and the cut one behind it are pinned.
func pinned(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(tab)
	for _, k := range "g  p" {
		m.Update(char(k))
	}
	_, now := conversation()
	now.Entries = editedEntries(now.Entries, func(list []history.Entry) {
		for i := range 2 {
			e := &list[i]
			e.Disposition, e.Pinned, e.Whole, e.Cause = history.Kept, true, true, history.Cause{Text: "pinned by you"}
			e.TokensAfter, e.CharsAfter, e.Cuts = e.TokensBefore, e.CharsBefore, nil
		}
		list[5].Disposition, list[5].TokensAfter, list[5].Cause = history.Dropped, 0,
			history.Cause{Text: "over the budget"}
	})
	now.Sum.Pinned += 612 + 577
	now.Sum.Body -= 37 + 31
	plans(m, now)
	m.chat.Unselect()
	m.notice.Say("Pinned 2 messages.")
	return m
}

// walked goes to the transcript and to its first message.
func walked(t *testing.T, w, h int, said ...string) *live {
	l := onStage(t, w, h)
	for _, text := range said {
		l.say(text)
	}
	l.press("tab", "g")
	return l
}

func (l *live) flagOf(n int) history.Flag {
	return l.current.Session.Now().Flags[l.chat.Messages.ID(n)]
}

func TestWhatIsPinnedIsSaidAndUndone(t *testing.T) {
	l := walked(t, 140, 50, "The first question.", "The second question.")
	l.press("p")
	l.shows("Pinned message 1.")
	if f := l.flagOf(0); f != history.Pin {
		t.Fatalf("the first message has the flag %q", f)
	}
	l.shows("you   pinned")
	l.press("J", "x")
	l.shows("Excluded message 2.")
	l.press("x")
	l.shows("Message 2 is automatic again.")
	l.press("u")
	l.shows("Undone: message 2 is automatic again.")
	if f := l.flagOf(1); f != history.Exclude {
		t.Fatalf("after the undo the second message has the flag %q", f)
	}
	l.press("u")
	l.shows("Undone: excluded message 2.")
	l.press("u")
	l.shows("Undone: pinned message 1.")
	if a, b := l.flagOf(0), l.flagOf(1); a != "" || b != "" {
		t.Fatalf("after all is undone the flags are %q and %q", a, b)
	}
	l.press("u")
	l.shows("There is nothing to undo")
}

func TestASelectionIsFlaggedAtOnce(t *testing.T) {
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := walked(t, size[0], size[1], "The first question.", "The second question.", "The third question.")
		l.press("space", "space", "space")
		l.shows("3 selected")
		l.press("K", "space")
		l.shows("2 selected")
		l.press("G", "space")
		l.shows("3 selected")
		if got := l.chat.Picked(); !slices.Equal(got,
			[]int64{l.chat.Messages.ID(0), l.chat.Messages.ID(1), l.chat.Messages.ID(5)}) {
			t.Errorf("selected are %v", got)
		}
		l.press("x")
		l.shows("Excluded 3 messages.")
		if l.chat.Selecting() {
			t.Error("the selection stays when it was acted on")
		}
		l.press("u")
		l.shows("Undone: excluded 3 messages.")
		if f := l.flagOf(5); f != "" {
			t.Errorf("the last message has the flag %q", f)
		}
	}
}

func TestEscLeavesTheSelectionBeforeThePane(t *testing.T) {
	l := walked(t, 140, 50, "The first question.")
	l.press("space", "esc")
	if l.chat.Selecting() || l.focus != transcriptPane {
		t.Fatalf("after esc a selection is left: %v, and the focus is %v, want the selection left alone",
			l.chat.Selecting(), l.focus)
	}
	l.press("esc")
	if l.focus != draftPane {
		t.Errorf("the second esc stays in pane %v", l.focus)
	}
}

func TestASelectionOutlivesTheWayToTheDraft(t *testing.T) {
	l := walked(t, 140, 50, "The first question.", "The second question.")
	l.press("space", "space", "space", "tab", "tab")
	if l.focus != draftPane || len(l.chat.Picked()) != 3 {
		t.Fatalf("in the draft %d messages are selected, want 3", len(l.chat.Picked()))
	}
	l.press("tab", "p")
	l.shows("Pinned 3 messages")
}

func TestAFlagOnAPastRequestHoldsForTheNext(t *testing.T) {
	l := walked(t, 140, 50, "The first question.", "The second question.")
	l.press("c")
	l.shows("Turn 1 ")
	l.press("g", "x")
	l.shows("Excluded message 1.")
	l.shows("It applies to the next request, not to the one shown.")
	l.planned()
	if l.panel.Past == nil || l.panel.Past.Plan.Entries[0].Disposition == history.Excluded {
		t.Error("the past request does not stay as it was")
	}
	if l.panel.Next.Plan.Entries[0].Disposition != history.Excluded {
		t.Error("the next request is not planned with it")
	}
}

func TestTheFootNamesThePriceOfEachAct(t *testing.T) {
	l := walked(t, 140, 50, "The first question.", "The second question.")
	l.press("tab", "g")
	l.shows("p pin   x exclude −")
	l.press("x")
	l.shows("x automatic up to +")
	l.press("p")
	l.shows("p automatic up to −")
}

// tooled is an imported conversation in which one answer called two tools.
func tooled(t *testing.T, w, h int) *live {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tools.jsonl")
	lines := `{"role":"user","content":"What is in the folder?"}
{"role":"assistant","content":"I look.","tool_calls":[` +
		`{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}},` +
		`{"id":"b","type":"function","function":{"name":"pwd","arguments":"{}"}}]}
{"role":"tool","tool_call_id":"a","content":"gen.go parser.go lexer.go"}
{"role":"tool","tool_call_id":"b","content":"/home/somebody/parser"}
{"role":"assistant","content":"Three files."}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	l := onStage(t, w, h)
	l.open(l.imported(path))
	l.planned()
	return l
}

func TestAToolGroupGoesWhole(t *testing.T) {
	l := tooled(t, 140, 50)
	l.press("tab")
	for _, c := range []struct{ undo, keys, want string }{
		{"", "g J x", "Excluded message 2 with 2 more of the tool group."},
		{"u", "g J J x", "Excluded message 3 with 2 more of the tool group."},
		{"u", "g J space space x", "Excluded 2 messages with 1 more of the tool group."},
		{"u", "g space space space space space x", "Excluded 5 messages."},
	} {
		if c.undo != "" {
			l.press(c.undo)
			l.shows("Undone")
		}
		l.press(strings.Fields(c.keys)...)
		l.shows(c.want)
		l.planned()
		want := 3
		if strings.HasPrefix(c.want, "Excluded 5") {
			want = 5
		}
		out := 0
		for _, e := range l.panel.Next.Plan.Entries {
			if e.Disposition == history.Excluded {
				out++
			}
		}
		if out != want {
			t.Errorf("%s leaves out %d messages, want %d", c.keys, out, want)
		}
	}
}

func TestAFlagWhileAnAnswerArrivesHoldsForTheNextRequest(t *testing.T) {
	l := walked(t, 140, 50, "The first question.", "The second question.")
	shown := l.panel.Next.Plan.Sum.Total
	l.turn.Busy, l.current.Busy = true, true
	l.press("x")
	l.shows("Excluded message 1. It applies to the next request; the current one is already sent.")
	if l.panel.Next.Plan.Sum.Total != shown {
		t.Error("the request that is running is shown otherwise than it left")
	}
	if f := l.flagOf(0); f != history.Exclude {
		t.Errorf("the flag is %q", f)
	}
	l.turn.Busy, l.current.Busy = false, false
	l.run(l.draftChanged())
	l.shows("⊘  1 you")
}

func TestALongNoticeTakesTwoLinesWhereThereIsRoom(t *testing.T) {
	said := "Pinned message 12: +1,204 tokens; its call and 2 results go with it; 2 messages dropped (5 you, 6 " +
		"model) to make room."
	m := chatting(t, 80, 24)
	m.notice.Say(said)
	settleLines(m)
	lines := strings.Split(plain(m), "\n")
	if got := strings.Join(strings.Fields(strings.Join(lines[22:24], " ")), " "); got != said {
		t.Errorf("the lowest lines say %q", got)
	}
	fits(t, m)
	m = chatting(t, 80, 12)
	m.notice.Say(said)
	settleLines(m)
	if lines := strings.Split(plain(m), "\n"); !strings.Contains(lines[10], "Pinned message 12") ||
		!strings.Contains(lines[9], "›") {
		t.Errorf("a short screen does not make room for the notice:\n%s", plain(m))
	}
	fits(t, m)
}
