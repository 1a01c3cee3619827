package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/sessiontest"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/sessions"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// someKey looks like a secret to findKey, and ourKey is known.
const (
	someKey = "sk-0123456789abcdef"
	ourKey  = "our-own-key"
)

func findKey(text string, shapes bool) (spans [][2]int) {
	for at := 0; ; {
		i, key := -1, ""
		for _, k := range []string{ourKey, someKey} {
			if n := strings.Index(text[at:], k); n >= 0 && (i < 0 || n < i) && (shapes || k == ourKey) {
				i, key = n, k
			}
		}
		if i < 0 {
			return spans
		}
		spans = append(spans, [2]int{at + i, at + i + len(key)})
		at += i + len(key)
	}
}

func TestSecretsAreHiddenBesideTheTranscriptUntilTheyAreRevealed(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	l.Secrets = theme.Secrets{Find: findKey}
	l.say("My key is " + someKey + ", ours is " + ourKey + ".")
	l.until("the title", func() bool { return l.Info.Title != "" })
	inTranscript := func() string { return strings.Join(l.Chat.View(), "\n") }
	if !strings.Contains(inTranscript(), someKey) || !strings.Contains(inTranscript(), ourKey) {
		t.Errorf("the transcript does not say what was said:\n%s", inTranscript())
	}
	rows := func() string {
		l.Panel.Focused = true
		return strings.Join(l.Panel.View(70, 30), "\n")
	}
	for range 2 {
		if !strings.Contains(rows(), "My key is "+theme.Redacted) || strings.Contains(rows(), someKey) {
			t.Fatalf("the panel's rows are\n%s", rows())
		}
		for what, text := range map[string]string{
			"the header": screenOf(l.Model).header(), "the window": l.View().WindowTitle,
		} {
			if strings.Contains(text, "sk-0") || strings.Contains(text, ourKey) {
				t.Errorf("%s says %q", what, text)
			}
		}
		l.Inspect(inspector.Subject{Message: l.Chat.Messages.ID(0)}, inspector.TextView)
		l.shows("My key is [redacted], ours is [redacted].")
		l.shows("2 secrets are hidden in this view; f3 shows possible secrets.")
		l.press("f3")
		l.shows("My key is " + someKey + ", ours is [redacted].")
		l.shows("Possible secrets are shown; f3 hides it.")
		l.press("tab") // as it is sent
		l.shows(someKey)
		l.press("esc")
		if !strings.Contains(rows(), someKey) || strings.Contains(rows(), ourKey) {
			t.Fatalf("the panel's revealed rows are\n%s", rows())
		}
		l.press("f3")
		l.shows("Possible secrets are hidden.")
	}
}

// What was repaired is shown against what is sent instead, and both are texts of the request.
func TestSecretsAreHiddenInRepairs(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	file := filepath.Join(t.TempDir(), "damaged.jsonl")
	text := `{"role":"user","content":"log in"}
{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"login","arguments":` +
		`"{\"with\": \"` + someKey + ` and ` + ourKey + `\", \"then"}}]}
{"role":"tool","tool_call_id":"c1","content":"in"}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l.Secrets = theme.Secrets{Find: findKey}
	l.open(l.imported(file))
	shown := func(what string) {
		t.Helper()
		l.shows(`{"with": "` + theme.Redacted + " and")
		l.lacks("sk-0")
		l.lacks(ourKey)
		l.press("f3")
		l.shows(`{"with": "` + someKey + " and")
		l.lacks(ourKey)
		l.press("f3")
		l.shows(`{"with": "` + theme.Redacted + " and")
		if screen := plain(l.Model); strings.Contains(screen, "sk-0") {
			t.Errorf("%s hides nothing again:\n%s", what, screen)
		}
	}
	// It says what was said, and is on the screen beside the views.
	bareTranscript := func() { l.Chat.Reset(branch.Branch{}) }
	l.types("/repair")
	l.press("enter")
	bareTranscript()
	shown("the list of repairs")
	l.press("esc")
	l.Inspect(inspector.Subject{Message: sessiontest.Messages(l.Session.Branch())[1].ID}, inspector.RepairView)
	shown("the inspector")
}

func TestSecretsAreHiddenInTheListOfSessions(t *testing.T) {
	hidden := theme.Secrets{Find: findKey}
	s := store.Session{ID: "1", Title: "deploy with " + someKey}
	m := fresh(t, 100, 40)
	m.Secrets = hidden
	m.openSessions("")
	typing(m, "works")
	m.sessions.Found(sessions.Found{Text: "works", Hits: []store.Hit{
		{Session: s, Role: history.User, Snippet: "the key " + someKey + " works", Marks: [][2]int{{28, 33}}},
	}})
	m.sessions.Previewed([]sessions.Previewed{
		previewed(history.User, "All of it: the key "+someKey+" works.", begun, store.Place{}),
	}, nil)
	lines := plain(m)
	if !strings.Contains(lines, "All of it: the key [redacted] works.") {
		t.Errorf("the preview says\n%s", lines)
	}
	if strings.Contains(lines, someKey) || !strings.Contains(lines, "the key [redacted] works") ||
		!strings.Contains(lines, "deploy with [redacted]") {
		t.Errorf("the hit says\n%s", lines)
	}

	m = fresh(t, 100, 30)
	m.Secrets = hidden
	m.openSessions("")
	listed(m, s)
	for _, want := range []string{s.Title, "deploy with [redacted]"} {
		m.Update(uitest.Key("f3"))
		if got := titles(m)[0]; got != want {
			t.Errorf("the line says %q, want %q", got, want)
		}
	}
	m.Update(uitest.Key("ctrl+e")) // the title is renamed as it is stored
	m.Update(uitest.Key("end"))
	if got := plain(m); !strings.Contains(got, "Title › "+s.Title) {
		t.Errorf("what is renamed is not the stored title:\n%s", got)
	}
}
