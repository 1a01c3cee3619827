package ui

import (
	"crypto/sha256"
	"os"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session"
	"winnow/ui/theme"
)

// talked is the application with a stored conversation of long questions, and all of it is counted.
func talked(t *testing.T, w, h int) *live {
	l := onStage(t, w, h)
	for i := range 6 {
		question := strings.Repeat("Tell me of the parser's error recovery once more. ", 30+i)
		l.turnOf(l.Session.Send(t.Context(), session.Draft{Text: question}))
	}
	l.reopen()
	return l
}

// fileHash is a hash of everything that is stored.
func (l *live) fileHash() [32]byte {
	l.t.Helper()
	var all []byte
	path := l.With.Store.Path()
	for _, name := range []string{path, path + "-wal"} {
		b, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			l.t.Fatal(err)
		}
		all = append(all, b...)
	}
	return sha256.Sum256(all)
}

func TestWhatIfMovesTheVerdictsAndStoresNothing(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := talked(t, size[0], size[1])
		now, info, policy := l.Panel.Next, l.Session.Info(), l.Session.Now().Policy
		stored, asked := l.fileHash(), len(l.bodies)
		marks := l.Chat.Plan.Entries

		l.picks("what if")
		l.shows("What if")
		l.shows("nothing is sent or stored")
		l.press("right")
		l.shows("◂ 1,000")
		l.tried()
		tried := l.Panel.Shown()
		if tried.Plan.Sum.Limit >= now.Plan.Sum.Limit || tried.Counts.Sent() >= now.Counts.Sent() {
			t.Fatalf("with a budget of 1,000 tokens the limit is %d and the model sees %d, without one %d and %d",
				tried.Plan.Sum.Limit, tried.Counts.Sent(), now.Plan.Sum.Limit, now.Counts.Sent())
		}
		if got := l.Chat.Plan.Entries; len(history.Compare(got, tried.Plan.Entries)) > 0 {
			t.Error("the transcript's marks are not those of the trial")
		}
		l.shows("Sends      " + theme.Thousands(now.Counts.Sent()) + " → ")
		l.shows("Tokens     ~" + now.Counted(now.Plan.Sum.Total) + " → ~")
		if left := len(history.Compare(marks, tried.Plan.Entries)); left == 0 ||
			!strings.Contains(plain(l.Model), "− ") {
			t.Errorf("%d messages change, and the screen does not say which leave:\n%s", left, plain(l.Model))
		}
		l.press("down", "right", "down", "right")
		l.shows("◂ there/large")
		l.tried()
		l.press("up", "left", "2", "5", "0", "0")
		l.shows("◂ 2,500 ")
		l.press("backspace")
		l.shows("◂ 250 ")
		l.tried()
		l.press("pgup", "pgdown", "J", "K", "esc")
		if l.Panel.Whatif != nil || l.covered() {
			t.Fatalf("esc did not leave the dials:\n%s", plain(l.Model))
		}
		if len(history.Compare(marks, l.Chat.Plan.Entries)) > 0 {
			t.Error("esc left the marks of the trial in the transcript")
		}
		if l.fileHash() != stored {
			t.Error("what was only tried out changed the file")
		}
		if l.Session.Info().Overrides != info.Overrides || l.Session.Now().Policy != policy ||
			l.Session.Model().Ref() != l.Ref {
			t.Errorf("what was only tried out changed the session: %+v", l.Session.Info())
		}
		if len(l.bodies) != asked {
			t.Errorf("trying out sent %d requests", len(l.bodies)-asked)
		}
	}
}

func TestWhatIfAppliesAllThatWasTurned(t *testing.T) {
	t.Parallel()
	l := talked(t, 140, 50)
	l.press("tab", "w", "3", "0", "0", "0", "down", "right", "down", "right")
	l.tried()
	tried := l.Panel.Shown().Plan
	l.press("enter")
	l.shows("Set: budget 3,000, preset recall, model there/large.")
	l.shows("Next request")
	l.planned()
	if changes := history.Compare(tried.Entries, l.Panel.Next.Plan.Entries); len(changes) > 0 ||
		l.Panel.Next.Plan.Sum != tried.Sum {
		t.Errorf("applied the plan is another than the trial's: %v\n%+v\n%+v", changes, l.Panel.Next.Plan.Sum,
			tried.Sum)
	}
	again, err := session.Open(t.Context(), l.With, l.Info.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	p := again.Now().Policy
	if p.Budget != 3000 || p.Preset != "recall" || again.Model().Ref() != "there/large" ||
		l.Ref != "there/large" {
		t.Errorf("the next start has budget %d, preset %s and model %s", p.Budget, p.Preset, again.Model().Ref())
	}
	l.press("w", "enter")
	l.shows("No setting was changed.")
}

func TestWhatIfSaysWhatBecomesOfTheCachedPrefix(t *testing.T) {
	t.Parallel()
	l := talked(t, 140, 50)
	l.until("what the records tell", func() bool { return l.Panel.Forecast.Prefix.Known })
	now := l.Panel.Forecast.Prefix
	l.press("tab", "w")
	l.shows("Cache      ~" + l.Panel.Next.Counted(now.Tokens) + ", as before")
	l.press("5", "0", "0")
	l.tried()
	tried := l.Session.Forecast(l.Panel.Shown().Plan).Prefix
	if tried.Tokens >= now.Tokens {
		t.Fatalf("with a budget of 500 tokens %d are as they were, and %d without one", tried.Tokens, now.Tokens)
	}
	l.shows("Cache      rebuilt once, from message ")
	l.press("down", "down", "right")
	l.tried()
	l.shows("none: another model")
}

// tried waits until the dials' plan is shown.
func (l *live) tried() {
	l.t.Helper()
	l.until("the plan of the dials", func() bool { return l.Panel.Whatif != nil && !l.Panel.Whatif.Running })
}
