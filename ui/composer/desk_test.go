package composer

import (
	"reflect"
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/settings"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// desk is a composer whose commands run at once, with a session that is nowhere on disk.
type desk struct {
	*Model
	t    *testing.T
	did  []string // what the screen was asked for
	said []string // the sentences
	open *list.Model
	take func(string) tea.Cmd // chooses from the open list
}

func newDesk(t *testing.T, o Options) *desk {
	t.Helper()
	policy, err := history.Preset("balanced")
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(session.Deps{
		Models: new(llm.Catalog).With(llm.Endpoint{Name: "here", BaseURL: "http://127.0.0.1:1/v1", Default: "m"}),
		Base:   settings.Base{Policy: policy},
	}, session.Start{Ref: "here/m"})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t}
	say := func(text string) tea.Cmd {
		if text != "" {
			d.said = append(d.said, text)
		}
		return nil
	}
	did := func(what string) tea.Cmd {
		d.did = append(d.did, what)
		return nil
	}
	ctx := &app.Context{Session: s, Shared: &app.Shared{
		Program: t.Context, Keys: keymap.Default(), Say: say, Fail: say,
		Themes: &theme.Set{Styles: theme.New(theme.None, theme.Palette{}, 0)},
		Replan: func() tea.Cmd { return nil },
	}}
	d.Model = New(ctx, Screen{
		Focus:   func() {},
		Focused: func() bool { return true },
		Do:      func(a keymap.Action) tea.Cmd { return did(string(a)) },
		Send:    func(bool) tea.Cmd { return did("send") },
		Run:     func(command string) tea.Cmd { return did(command) },
		Open:    func(l *list.Model, take, _ func(string) tea.Cmd) { d.open, d.take = l, take },
		Read:    func(title, _ string) { did(title) },
		News:    func(string) {},
	}, o)
	d.Resize(60, 6)
	return d
}

// takes gives the composer a message, and runs what that asks for.
func (d *desk) takes(msg tea.Msg) {
	d.does(d.Update(msg))
	d.does(d.Settle())
}

// does runs a command, and those that it is made of.
func (d *desk) does(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			d.does(c)
		}
	case app.Then:
		d.does(msg())
		d.does(d.Settle())
	}
}

func (d *desk) press(names ...string) {
	for _, name := range names {
		d.takes(uitest.Key(name))
	}
}

func (d *desk) types(text string) {
	for _, r := range text {
		if r == ' ' {
			d.press("space")
			continue
		}
		d.press(string(r))
	}
}

func (d *desk) wantSaid(want string) {
	d.t.Helper()
	if n := len(d.said); n == 0 || d.said[n-1] != want {
		d.t.Errorf("it says %q, want %q", d.said, want)
	}
}

// wantDraft fails where another text or other files would be sent.
func (d *desk) wantDraft(text string, files ...string) {
	d.t.Helper()
	var names []string
	for _, p := range d.Drafted().Files {
		names = append(names, p.Name)
	}
	if d.Text() != text || !slices.Equal(names, files) {
		d.t.Errorf("the draft is %.200q with %q, want %.200q with %q", d.Text(), names, text, files)
	}
}

func (d *desk) wantOffered(want ...string) {
	d.t.Helper()
	var labels []string
	if d.Completions() > 0 {
		for _, o := range d.completions.list {
			labels = append(labels, o.label)
		}
	}
	if !reflect.DeepEqual(labels, want) {
		d.t.Errorf("%q offers %q, want %q", d.Shown(), labels, want)
	}
}
