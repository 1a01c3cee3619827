package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

func noTexts(int64) string { return "" }

func TestPanelShowsAnAssumedWindowAsAssumed(t *testing.T) {
	var p panel.Model
	p.Set(history.Plan{Sum: history.Sum{Limit: 6144, Window: 8192}}, nil, noTexts)
	shown := func() string {
		return ansi.Strip(strings.Join(p.View(theme.New(theme.None, theme.Palette{}), 60, 20, false), "\n"))
	}
	p.Judge(llm.Window{Tokens: 8192, Source: "the server"})
	if got := shown(); strings.Contains(got, "assuming") {
		t.Errorf("a window that the server said is shown as assumed:\n%s", got)
	}
	p.Judge(llm.Window{Tokens: 8192, Assumed: true})
	if got := shown(); !strings.Contains(got, "context window unknown; assuming 8,192 (/window to set)") {
		t.Errorf("an assumed window is not shown as one:\n%s", got)
	}
}

func TestPanelCountsInTheServersMeasure(t *testing.T) {
	var p panel.Model
	p.Set(history.Plan{
		Sum:     history.Sum{Body: 100, Total: 100, Limit: 400, Ratio: 2, Margin: 0.1, Sent: 1, Stored: 1},
		Entries: []history.Entry{{ID: 1, Role: history.User, Disposition: history.Kept, TokensBefore: 100, TokensAfter: 100}},
	}, nil, noTexts)
	got := ansi.Strip(strings.Join(p.View(theme.New(theme.None, theme.Palette{}), 60, 20, false), "\n"))
	for _, want := range []string{"history 200", "~200 of 400 · 200 free", " 50 %", "200 "} {
		if !strings.Contains(got, want) {
			t.Errorf("the panel lacks %q:\n%s", want, got)
		}
	}
}

func TestPanelSaysThatTokensAreGuessedUntilTheyAreCounted(t *testing.T) {
	m := chatting(t, 120, 40)
	next := m.counted(countedMsg{session: m.session, counting: session.Counting{Counted: 12_000, Of: 100_000}})
	if next == nil {
		t.Error("after a part the counting does not go on")
	}
	if got := plain(m); !strings.Contains(got, "counting 12,000 of 100,000") {
		t.Errorf("the screen does not say how far the counting is:\n%s", got)
	}
	if next := m.counted(countedMsg{session: m.session, counting: session.Counting{Counted: 100_000, Of: 100_000}}); next == nil {
		t.Error("when all is counted the plan is not made anew")
	}
	if got := plain(m); strings.Contains(got, "counting") {
		t.Errorf("the screen still counts:\n%s", got)
	}
	if next := m.counted(countedMsg{session: nil, counting: session.Counting{Of: 1}}); next != nil || m.panel.Guessed != "" {
		t.Error("another session's counting is shown in this one")
	}
}
