package composer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// desk is a composer whose commands run at once.
type desk struct {
	Model
	t      *testing.T
	events []event.Event
}

func newDesk(t *testing.T, more func(*Deps)) *desk {
	d := Deps{Keys: keymap.Default(), Run: func(do func(context.Context) tea.Msg) tea.Cmd {
		return func() tea.Msg { return do(t.Context()) }
	}}
	if more != nil {
		more(&d)
	}
	c := New(d)
	c.Restyle(theme.New(theme.None, theme.Palette{}, 0))
	c.Resize(70, 6)
	c.Completes = true
	c.ReadFile = func(path string) (history.Part, error) {
		text, err := os.ReadFile(path)
		return history.Part{Kind: history.TextPart, Name: filepath.Base(path), Text: string(text)}, err
	}
	c.AttachText = func(name, text string) (history.Part, error) {
		if strings.HasPrefix(text, "\x89PNG") {
			return history.Part{Kind: history.ImagePart, Name: name, MediaType: "image/png", Data: []byte(text)}, nil
		}
		return history.Part{Kind: history.TextPart, Name: name, Text: text}, nil
	}
	return &desk{Model: c, t: t}
}

func (d *desk) takes(msg tea.Msg) {
	var cmd tea.Cmd
	d.Model, cmd = d.Update(msg)
	d.does(cmd)
}

// does runs a command, and those that it is made of.
func (d *desk) does(cmd tea.Cmd) {
	d.events = append(d.events, d.Events()...)
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			d.does(c)
		}
	case Msg:
		d.takes(msg)
	}
}

func (d *desk) types(text string) {
	for _, r := range text {
		if r == ' ' {
			d.takes(uitest.Key("space"))
			continue
		}
		d.takes(uitest.Key(string(r)))
	}
}

func (d *desk) offered() (list []string) {
	for _, c := range d.Completions() {
		list = append(list, c.Path)
	}
	return list
}

// said is the newest sentence.
func (d *desk) said() string {
	for _, e := range slices.Backward(d.events) {
		if n, ok := e.(event.Notice); ok {
			return n.Text
		}
	}
	return ""
}

func TestAtCompletesFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"main.go", "docs/manual page.md", "ui/composer/completion.go"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("the text of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	d := newDesk(t, nil)
	d.types("what is in @")
	if got, want := d.offered(),
		[]string{"main.go", "docs/manual page.md", "ui/composer/completion.go"}; !slices.Equal(got, want) {
		t.Errorf("@ offers %q, want %q", got, want)
	}
	d.Mentions = func(string) []Command { return []Command{{Name: "@notes:memo"}} }
	if list := d.Completions(); list[0].Name != "@main.go" || list[len(list)-1].Name != "@notes:memo" {
		t.Errorf("@ lists %+v, want the files first", list)
	}
	d.Mentions = nil
	d.types("uicomp")
	if got, want := d.offered(), []string{"ui/composer/completion.go"}; !slices.Equal(got, want) {
		t.Fatalf("@uicomp offers %q, want %q", got, want)
	}
	if view := strings.Join(d.CompletionView(70, 10), "\n"); !strings.Contains(view, "@ui/composer/completion.go") {
		t.Errorf("the list is\n%s", view)
	}
	d.takes(uitest.Key("enter"))
	got := d.Drafted()
	if len(got.Files) != 1 || got.Files[0].Text != "the text of ui/composer/completion.go" ||
		strings.Contains(got.Text, "@") {
		t.Errorf("the draft is %q with %+v", got.Text, got.Files)
	}
	d.types("and @./do")
	if got, want := d.offered(), []string{"./docs"}; !slices.Equal(got, want) {
		t.Fatalf("@./do offers %q, want %q", got, want)
	}
	d.takes(uitest.Key("tab"))
	if got, want := d.offered(), []string{"./docs/manual page.md"}; !slices.Equal(got, want) {
		t.Fatalf("@./docs/ offers %q, want %q", got, want)
	}
	d.takes(uitest.Key("tab"))
	if got := d.Drafted().Files; len(got) != 2 || got[1].Name != "manual page.md" {
		t.Errorf("the files are %+v", got)
	}
	d.Set("mail me@")
	d.types("example")
	if got := d.offered(); got != nil {
		t.Errorf("an address for mail offers %q", got)
	}
	// A message that only looks like it is sent.
	d.Set("")
	d.types("ask @xyzzy")
	d.takes(uitest.Key("enter"))
	if last := d.events[len(d.events)-1]; !reflect.DeepEqual(last, event.Event(Entered{})) {
		t.Errorf("enter behind a word that names no file is %+v", last)
	}
}

func TestAnImageOfTheClipboardBecomesAChip(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the programs for the clipboards of Linux")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\ncase \"$1\" in --list-types) echo image/png;; *) printf '\\211PNG picture';; esac"
	if err := os.WriteFile(filepath.Join(dir, "wl-paste"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	t.Setenv("DISPLAY", "")
	d := newDesk(t, nil)
	d.takes(uitest.Key("ctrl+v"))
	d.takes(tea.PasteMsg{}) // what some terminals send for an image
	files := d.Drafted().Files
	if len(files) != 2 || files[0].Kind != history.ImagePart || files[0].Name != "pasted-1.png" ||
		files[1].Name != "pasted-2.png" {
		t.Errorf("the draft has %+v", files)
	}
	d.types("look")
	unsent, again := d.Unsent(), newDesk(t, nil)
	again.does(again.readFiles(again.Restore(unsent)))
	if back := again.Drafted(); back.Text != d.Drafted().Text || !reflect.DeepEqual(back.Files, files) ||
		again.Unsent().Hash() != unsent.Hash() {
		t.Errorf("the draft comes back as %+v, want %+v", back, d.Drafted())
	}
	t.Setenv("WAYLAND_DISPLAY", "")
	d.takes(uitest.Key("ctrl+v"))
	if got := d.said(); !strings.HasPrefix(got, "Images cannot be read from the clipboard here") {
		t.Errorf("without a display it says %q", got)
	}
}

func TestAPageIsFetchedWhenItWasAllowed(t *testing.T) {
	asked := 0
	d := newDesk(t, func(deps *Deps) {
		deps.ReadPage = func(_ context.Context, address string) (string, bool, error) {
			if asked++; strings.HasSuffix(address, "missing") {
				return "", false, errors.New("it answered 404 Not Found")
			}
			return "# A page\n", true, nil
		}
	})
	d.does(d.Attach("https://docs.example.com/page?q=1"))
	want := AskedFor{URL: "https://docs.example.com/page?q=1", Host: "docs.example.com"}
	if last := d.events[len(d.events)-1]; last != want || asked != 0 {
		t.Fatalf("%+v was told after %d requests, want %+v before any", last, asked, want)
	}
	d.does(d.FetchPage(want.URL))
	if files := d.Drafted().Files; asked != 1 || len(files) != 1 || files[0].Text != "# A page\n" ||
		files[0].Name != want.URL {
		t.Errorf("the draft has %+v after %d requests", files, asked)
	}
	if got := d.said(); !strings.HasPrefix(got, "Only the beginning of https://docs.example.com/page?q=1 was read") {
		t.Errorf("of a page that is too long it says %q", got)
	}
	// A draft that was left unsent does not ask again by itself.
	kept := d.Kept()
	again := newDesk(t, nil)
	again.does(again.readFiles(again.Restore(kept)))
	if got := again.said(); !strings.Contains(got, "is not fetched again automatically") ||
		len(again.Drafted().Files) != 0 {
		t.Errorf("the draft came back with %+v, and says %q", again.Drafted().Files, got)
	}
	d.does(d.FetchPage("https://docs.example.com/missing"))
	if got := d.said(); !strings.Contains(got, "404") || len(d.Drafted().Files) != 1 {
		t.Errorf("of a page that is not there it says %q", got)
	}
}
