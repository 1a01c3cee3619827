package composer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
)

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
	d := newDesk(t, Options{})
	d.types("what is in @")
	d.wantOffered("@main.go", "@docs/manual page.md", "@ui/composer/completion.go")
	d.types("uicomp")
	d.wantOffered("@ui/composer/completion.go")
	if view := strings.Join(d.CompletionView(70, 10), "\n"); !strings.Contains(view, "@ui/composer/completion.go") {
		t.Errorf("the list is\n%s", view)
	}
	if view := d.CompletionView(0, 10); len(view) > 0 {
		t.Errorf("without a cell the list is %q", view)
	}
	d.press("enter")
	d.wantDraft("what is in completion.go ", "completion.go")
	d.types("and @./do")
	d.wantOffered("@./docs/")
	d.press("tab")
	d.wantOffered("@./docs/manual page.md")
	d.press("tab")
	d.wantDraft("what is in completion.go and manual page.md ", "completion.go", "manual page.md")
	d.Set("mail me@")
	d.types("example")
	d.wantOffered()
	// A message that only looks like it is sent.
	d.Set("")
	d.types("ask @xyzzy")
	d.press("enter")
	if n := len(d.did); n == 0 || d.did[n-1] != "send" {
		t.Errorf("enter behind a word that names no file does %q", d.did)
	}
}

func TestAnImageOfTheClipboardBecomesAChip(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\n" +
		"printf 'GIF89a \\000\\020\\000\\200\\000\\000\\000\\000\\000\\377\\377\\377'"
	if err := os.WriteFile(filepath.Join(dir, "wl-paste"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	d := newDesk(t, Options{})
	d.press("ctrl+v")
	d.takes(tea.PasteMsg{}) // what some terminals send for an image
	d.types("look")
	d.wantDraft("look", "pasted-1.png", "pasted-2.png")
	if files := d.Drafted().Files; len(files) > 0 && files[0].Kind != history.ImagePart {
		t.Errorf("the image is a %s", files[0].Kind)
	}
	unsent, again := d.packed(), newDesk(t, Options{})
	again.does(again.restore(unsent))
	if back := again.Drafted(); !reflect.DeepEqual(back, d.Drafted()) || again.packed().Hash() != unsent.Hash() {
		t.Errorf("the draft comes back as %+v, want %+v", back, d.Drafted())
	}
	t.Setenv("PATH", "")
	if d.press("ctrl+v"); !strings.HasPrefix(d.said[len(d.said)-1], "The clipboard has no text and no image") {
		t.Errorf("without a program for the clipboard it says %q", d.said)
	}
}

func TestAPageIsFetchedWhenItWasAllowed(t *testing.T) {
	asked := 0
	d := newDesk(t, Options{ReadPage: func(_ context.Context, address string) (string, bool, error) {
		if asked++; strings.HasSuffix(address, "missing") {
			return "", false, errors.New("it answered 404 Not Found")
		}
		return "# A page\n", true, nil
	}})
	page := "https://docs.example.com/page?q=1"
	d.does(d.Attach(page))
	if asked != 0 || d.open == nil || d.open.Title != "fetch a page from docs.example.com?" {
		t.Fatalf("%d requests before the user was asked", asked)
	}
	d.does(d.take(""))
	d.wantSaid("The page was not fetched.")
	d.does(d.take(page))
	d.wantDraft("", page)
	d.wantSaid("Only the beginning of https://docs.example.com/page?q=1 was read: 9 B.")
	// A draft that was left unsent does not ask again by itself.
	again := newDesk(t, Options{})
	again.does(again.restore(d.packed()))
	again.wantDraft(" ")
	again.wantSaid(page + " was attached to the draft, but is not fetched again automatically; /attach " + page +
		" fetches it.")
	d.does(d.take("https://docs.example.com/missing"))
	d.wantSaid("https://docs.example.com/missing cannot be attached: it answered 404 Not Found.")
	if asked != 2 {
		t.Errorf("%d requests, want two", asked)
	}
}
