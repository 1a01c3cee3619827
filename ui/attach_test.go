package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/composer"
)

// fileWith creates a file in a temporary folder and returns its path.
func fileWith(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// escaped returns a path as a terminal pastes it.
func escaped(path string) string { return strings.ReplaceAll(path, " ", `\ `) }

// pastes pastes a text.
func (l *live) pastes(text string) {
	_, cmd := l.Update(tea.PasteMsg{Content: text})
	l.run(cmd)
}

func TestAttachedFilesAreSentAndSeen(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	code := fileWith(t, "two words.go", "package main\n\nfunc main() {}\n")
	dot := fileWith(t, "dot.gif",
		"GIF89a\x20\x00\x10\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"+
			",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
	l.types("/attach " + escaped(code) + " '" + dot + "'")
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
	before := l.Panel.Next.Plan
	if n := len(before.Messages); n == 0 || len(before.Messages[n-1].Parts) != 2 {
		t.Fatalf("the plan of the draft holds %+v, want both files", before.Messages)
	}
	l.press("enter")
	l.until("the answer", func() bool { return !l.Turn.Busy && l.Chat.Messages.Len() == 2 })
	body := l.bodies[0]
	for _, want := range []string{`two words.go:\n` + "```" +
		`\npackage main`, `data:image/gif;base64,`, `"text":"what is it? See "`} {
		if !strings.Contains(body, want) {
			t.Errorf("the request does not hold %q:\n%s", want, body)
		}
	}
	if !l.composer.Empty() {
		t.Errorf("behind the sending the draft is %q", l.composer.DisplayText())
	}
	l.press("up")
	l.until("the files", func() bool { return !l.composer.LoadingFiles() })
	if got := l.composer.CurrentDraft(); got.Text != "what is it? See " || len(got.Files) != 2 {
		t.Errorf("recalled, the draft is %q with %d files", got.Text, len(got.Files))
	}
}

func TestDraggedFilesBecomeChips(t *testing.T) {
	t.Parallel()
	a, b := fileWith(t, "a.txt", "first"), fileWith(t, "b c.txt", "second")
	for _, c := range []struct{ name, paste string }{
		{"one, escaped", escaped(b)},
		{"one, quoted, with a space behind", "'" + b + "' "},
		{"one, with a line end", "'" + b + "'\n"},
		{"one as a URL", "file://" + strings.ReplaceAll(b, " ", "%20")},
		{"two on a line", a + " " + escaped(b)},
		{"two lines", a + "\r\n" + escaped(b) + "\r\n"},
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
		if got := l.composer.CurrentDraft(); len(got.Files) != files || !strings.HasSuffix(got.Text, "b c.txt") {
			t.Errorf("%s: the draft is %q with %d files", c.name, got.Text, len(got.Files))
		}
	}
}

func TestPastesThatAreNoFilesAreText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, paste := range []string{"/help me", dir, "~/no such file", "file:///nowhere/at all", "see " +
		fileWith(t, "a", "x")} {
		l := onStage(t, 100, 30)
		l.pastes(paste)
		l.until("the files", func() bool { return !l.composer.LoadingFiles() })
		if got := l.composer.CurrentDraft(); got.Text != paste || len(got.Files) > 0 {
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
	if !strings.HasPrefix(l.composer.DisplayText(), " ") || len(l.composer.CurrentDraft().Files) > 0 {
		t.Errorf("the draft is %q", l.composer.DisplayText())
	}
	l.pastes(program)
	l.until("the file", func() bool { return !l.composer.LoadingFiles() })
	if got := l.composer.Text(); !strings.Contains(got, program) {
		t.Errorf("the draft is %q, want the path that was pasted", got)
	}
	l.press("ctrl+c")
	l.types("/attach " + fileWith(t, "latin.txt", "caf\xe9"))
	l.press("enter")
	l.shows("latin.txt is not valid UTF-8")
}

// An unsent draft is restored: its text, its pastes as chips, and its files, read again.
func TestDraftsComeBackWithTheirChips(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	file, gone := fileWith(t, "kept.txt", "one"), fileWith(t, "gone.txt", "two")
	l.say("This chat has begun.")
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
		d, err := l.Session.Store().Draft(t.Context(), l.Session.Info().ID)
		return err == nil && strings.HasSuffix(d.Text, " or ") && len(d.Folds) == 3
	})
	if err := os.WriteFile(file, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	l.composer = composer.New(l.Context, l.composer.Hooks, l.composer.Options)
	l.arrange()
	l.run(l.composer.LoadDraft())
	l.until("the files", func() bool {
		return !l.composer.Empty() && !l.composer.LoadingFiles()
	})
	got := l.composer.CurrentDraft()
	if got.Text != "read \n"+paste+" and kept.txt or " || len(got.Files) != 1 || got.Files[0].Text != "another" {
		t.Errorf("the draft is %.40q… with %+v", got.Text, got.Files)
	}
	if !strings.Contains(l.composer.DisplayText(), "[paste 1: 301 lines") {
		t.Errorf("the draft shows %q", l.composer.DisplayText())
	}
}
