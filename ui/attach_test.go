package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/uitest"
)

// fileWith makes a file in a folder of the test's and returns its path.
func fileWith(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pastes pastes a text.
func (l *live) pastes(text string) {
	_, cmd := l.Update(tea.PasteMsg{Content: text})
	l.run(cmd)
}

func TestAttachedFilesAreSentAndSeen(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	code := fileWith(t, "two words.go", "package main\n\nfunc main() {}\n")
	dot := fileWith(t, "dot.gif", "GIF89a\x20\x00\x10\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
	l.types("/attach " + composer.Escaped(code) + " '" + dot + "'")
	l.press("enter")
	l.shows("[file two words.go: 3 lines, 29 B, ~")
	l.shows("[image dot.gif: 32×16, 35 B, ~255 tokens]")
	l.press("home")
	l.press("ctrl+o")
	l.shows("func main() {}")
	l.press("esc")
	l.press("end")
	l.types("what is it? See ")
	l.planned()
	before := l.panel.Next.Plan
	if n := len(before.Messages); n == 0 || len(before.Messages[n-1].Parts) != 2 {
		t.Fatalf("the plan of the draft holds %+v, want both files", before.Messages)
	}
	l.press("enter")
	l.until("the answer", func() bool { return !l.turn.Busy && l.chat.Messages.Len() == 2 })
	body := l.bodies[0]
	for _, want := range []string{`two words.go:\n` + "```" + `\npackage main`, `data:image/gif;base64,`, `"text":"what is it? See "`} {
		if !strings.Contains(body, want) {
			t.Errorf("the request does not hold %q:\n%s", want, body)
		}
	}
	if !l.composer.Empty() {
		t.Errorf("behind the sending the draft is %q", l.composer.Shown())
	}
	l.press("up")
	l.until("the files", func() bool { return len(l.composer.Unread()) == 0 })
	if got := l.composer.Drafted(); got.Text != "what is it? See " || len(got.Files) != 2 {
		t.Errorf("recalled, the draft is %q with %d files", got.Text, len(got.Files))
	}
}

func TestASecondAttachHangsMoreFilesOnTheDraft(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	one, two := fileWith(t, "one.txt", "first"), fileWith(t, "two.txt", "second")
	l.types("/attach " + composer.Escaped(one))
	l.press("enter")
	l.shows("[file one.txt: 1 line")
	l.types("/attach " + composer.Escaped(two))
	l.press("enter")
	l.shows("[file two.txt: 1 line")
	got := l.composer.Drafted()
	if strings.TrimSpace(got.Text) != "" || len(got.Files) != 2 || got.Files[0].Name != "one.txt" || got.Files[1].Name != "two.txt" {
		t.Errorf("the draft is %q with %d files, want none and both", got.Text, len(got.Files))
	}
	if len(l.bodies) > 0 || l.turn.Busy {
		t.Errorf("the command was sent to the model: %s", l.bodies)
	}
	l.types("/attached are two files")
	l.press("enter")
	l.until("the answer", func() bool { return !l.turn.Busy && l.chat.Messages.Len() == 2 })
}

func TestDraggedFilesBecomeChips(t *testing.T) {
	t.Parallel()
	a, b := fileWith(t, "a.txt", "first"), fileWith(t, "b c.txt", "second")
	for _, c := range []struct{ name, paste string }{
		{"one, escaped", composer.Escaped(b)},
		{"one, quoted, with a space behind", "'" + b + "' "},
		{"one, as it is", b + "\n"},
		{"one as a URL", "file://" + strings.ReplaceAll(b, " ", "%20")},
		{"two on a line", a + " " + composer.Escaped(b)},
		{"two lines", a + "\r\n" + b + "\r\n"},
	} {
		l := onStage(t, 100, 30)
		l.types("see ")
		l.pastes(c.paste)
		l.shows("[file b c.txt: 1 line, 6 B, ~")
		files := 1
		if strings.HasPrefix(c.name, "two") {
			files = 2
			l.shows("[file a.txt: 1 line, 5 B, ~")
		}
		if got := l.composer.Drafted(); len(got.Files) != files || !strings.HasSuffix(got.Text, "b c.txt") {
			t.Errorf("%s: the draft is %q with %d files", c.name, got.Text, len(got.Files))
		}
		l.press("backspace")
		if got := l.composer.Drafted(); len(got.Files) != files-1 || !strings.HasSuffix(got.Text, composer.Escaped(b)) {
			t.Errorf("%s: after backspace the draft is %q with %d files, want the path as text", c.name, got.Text, len(got.Files))
		}
	}
}

func TestPastesThatAreNoFilesAreText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, paste := range []string{"/help me", dir, "~/no such file", "file:///nowhere/at all", "see " + fileWith(t, "a", "x")} {
		l := onStage(t, 100, 30)
		l.pastes(paste)
		l.until("the files", func() bool { return len(l.composer.Unread()) == 0 })
		if got := l.composer.Drafted(); got.Text != paste || len(got.Files) > 0 {
			t.Errorf("the draft is %q with %d files, want %q", got.Text, len(got.Files), paste)
		}
	}
}

func TestFilesThatCannotBeAttachedAreSaid(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	program := fileWith(t, "program", "\x7fELF\x02\x01\x01\x00\x00")
	l.types("/attach " + program)
	l.press("enter")
	l.shows("program cannot be attached: it is a binary file")
	if !strings.HasPrefix(l.composer.Shown(), " ") || len(l.composer.Drafted().Files) > 0 {
		t.Errorf("the draft is %q", l.composer.Shown())
	}
	l.pastes(program)
	l.until("the file", func() bool { return len(l.composer.Unread()) == 0 })
	if got := l.composer.Text(); !strings.Contains(got, program) {
		t.Errorf("the draft is %q, want the path that was pasted", got)
	}
	l.press("ctrl+c")
	l.types("/attach " + fileWith(t, "latin.txt", "caf\xe9"))
	l.press("enter")
	l.shows("latin.txt holds 1 byte that are not UTF-8")
}

// What is unsent comes back: the text, the pastes as chips, and the files as they are now.
func TestDraftsComeBackWithTheirChips(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	file, gone := fileWith(t, "kept.txt", "one"), fileWith(t, "gone.txt", "two")
	l.say("This session has begun.")
	paste := strings.Repeat("a line\n", 300)
	l.types("read ")
	l.pastes(paste)
	l.types(" and ")
	l.pastes(file)
	l.shows("[file kept.txt")
	l.types(" or ")
	l.pastes(gone)
	l.shows("[file gone.txt")
	l.until("the draft on disk", func() bool {
		return l.composer.Saved()
	})
	if err := os.WriteFile(file, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	l.composer = composer.New(l.composer.Deps)
	l.surround()
	l.arrange()
	l.run(l.composer.Load())
	l.until("the files", func() bool {
		return !l.composer.Empty() && len(l.composer.Unread()) == 0
	})
	got := l.composer.Drafted()
	if got.Text != "read \n"+paste+" and kept.txt or " || len(got.Files) != 1 || got.Files[0].Text != "another" {
		t.Errorf("the draft is %.40q… with %+v", got.Text, got.Files)
	}
	if !strings.Contains(l.composer.Shown(), "[paste 1: 301 lines") {
		t.Errorf("the draft shows %q", l.composer.Shown())
	}
}

func TestPathsComplete(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	path := fileWith(t, "notes of today.md", "x")
	dir := filepath.Dir(path)
	if err := os.Mkdir(filepath.Join(dir, "nested"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "nested", "deep.go"), []byte("package deep"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.types("/attach " + dir + "/n")
	l.shows("nested/")
	l.shows("notes of today.md")
	l.press("tab")
	l.shows("deep.go")
	l.press("enter")
	l.shows("[file deep.go: 1 line, 12 B")
	l.press("ctrl+c")
	l.types("/attach " + dir + "/NOTES")
	l.until("the file", func() bool { return len(l.composer.Completions()) == 1 })
	l.press("enter")
	l.shows("[file notes of today.md: 1 line, 1 B")
}

// Esc closes the list of completions first: the draft stays, and so does an answer that arrives.
func TestEscClosesTheCompletions(t *testing.T) {
	t.Parallel()
	m := fresh(t, 100, 30)
	m.turn.Busy = true
	typing(m, "/re")
	if !strings.Contains(plain(m), "esc close") || !strings.Contains(plain(m), "/retry") {
		t.Fatalf("there is no list that esc closes:\n%s", plain(m))
	}
	m.Update(uitest.Key("esc"))
	if screen := plain(m); strings.Contains(screen, "/retry") || m.composer.Text() != "/re" || m.turn.Stopping {
		t.Errorf("the draft is %q, stopping is %v:\n%s", m.composer.Text(), m.turn.Stopping, screen)
	}
	typing(m, "t")
	if !strings.Contains(plain(m), "/retry") {
		t.Errorf("a change of the draft opens no list:\n%s", plain(m))
	}
	m.Update(uitest.Key("esc"))
	m.Update(uitest.Key("esc"))
	if !m.turn.Stopping {
		t.Error("esc without a list does not stop the answer")
	}
}

func TestPromptsOfOtherWindowsComeWhereTheyStood(t *testing.T) {
	t.Parallel()
	l := onStage(t, 80, 24)
	db := l.current.With.Store
	l.say("first of mine")
	if err := db.AddPrompt(t.Context(), l.current.Info.ID, store.Draft{Text: "another window's"}); err != nil {
		t.Fatal(err)
	}
	l.types("cleared")
	l.press("ctrl+c")
	l.say("second of mine")
	l.until("the prompts", func() bool { return len(l.composer.Prompts) == 4 })
	var got []string
	for _, p := range l.composer.Prompts {
		got = append(got, p.Head.Text)
	}
	if want := "second of mine|another window's|cleared|first of mine"; strings.Join(got, "|") != want {
		t.Errorf("the prompts are %q, want %q", got, want)
	}
}

// Of a long prompt only the beginning is in memory; its text is read when it is recalled.
func TestLongPromptIsReadWhenItIsRecalled(t *testing.T) {
	t.Parallel()
	l := onStage(t, 80, 24)
	db := l.current.With.Store
	l.say("first of mine")
	long := strings.Repeat("a line of a long prompt\n", 2000)
	if err := db.AddPrompt(t.Context(), l.current.Info.ID, store.Draft{Text: long}); err != nil {
		t.Fatal(err)
	}
	l.say("second of mine")
	l.until("the prompts", func() bool { return len(l.composer.Prompts) == 3 })
	if p := l.composer.Prompts[1]; p.Whole() || len(p.Head.Text) > 2000 {
		t.Errorf("%d bytes of the long prompt are in memory", len(p.Head.Text))
	}
	l.press("up")
	l.press("up")
	l.until("the long prompt", func() bool { return l.composer.Text() == long && l.composer.At == 2 })
	l.press("up")
	l.until("the oldest prompt", func() bool { return l.composer.Text() == "first of mine" })
}
