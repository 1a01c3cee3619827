package conversation

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// fixture is a conversation on a screen that records what it is told.
type fixture struct {
	*Model
	told []string
	left bool
}

func opening(t *testing.T) *fixture {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	models := new(llm.Catalog).With(llm.Endpoint{Name: "here", BaseURL: "http://127.0.0.1:1/v1", DefaultModel: "small"})
	deps := session.Deps{Store: db, Models: models}
	s, err := session.New(deps, session.StartOptions{Model: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	o := new(fixture)
	note := func(what string) tea.Cmd { o.told = append(o.told, what); return nil }
	shared := &app.Shared{
		Deps: deps, Keys: keymap.Default(), ProgramContext: t.Context, Say: note, Fail: note, Themes: new(theme.Selection),
		Draft: func() session.Draft { return session.Draft{Text: "hello"} },
	}
	o.Model = New(shared, s, Screen{
		IsShown:     func(*Model) bool { return !o.left },
		DraftFits:   func() { note("planned") },
		CanAnnounce: func() bool { return false },
	})
	return o
}

// takes runs a command and the Then it returns, and returns the next command and what the screen was told.
func (o *fixture) takes(cmd tea.Cmd) (tea.Cmd, string) {
	o.told = nil
	next := cmd().(app.Then)()
	return next, strings.Join(o.told, ", ")
}

func TestWhatIsLearnedOfAnotherSessionIsDropped(t *testing.T) {
	o := opening(t)
	found := func(err error) tea.Cmd {
		return o.ask(func(context.Context) (app.Then, error) { return func() tea.Cmd { return o.Say("found") }, err })
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "found"}, {context.Canceled, ""}, {errors.New("the disk is full"), "the disk is full."},
	} {
		if _, told := o.takes(found(c.err)); told != c.want {
			t.Errorf("%v: %q, want %q", c.err, told, c.want)
		}
	}
	late := found(nil)
	o.left = true
	if _, told := o.takes(late); told != "" {
		t.Errorf("of another session: %q", told)
	}
}

func TestAPlanOfAnOlderDraftIsDropped(t *testing.T) {
	o := opening(t)
	o.PlanSoon()
	old := o.Plan()
	due := o.PlanSoon()
	if o.takes(old); o.Planned {
		t.Error("the plan of an older draft is shown")
	}
	plan, _ := o.takes(due)
	if plan == nil {
		t.Fatal("a draft that has rested is not planned")
	}
	if o.takes(plan); !o.Planned {
		t.Error("the plan of the draft is not shown")
	}
	due = o.PlanSoon()
	o.Begin(1, nil)
	if plan, _ := o.takes(due); plan != nil {
		t.Error("the draft is planned while an answer arrives")
	}
}

func TestATemporarySessionThatIsLeftIsForgotten(t *testing.T) {
	s, err := session.NewTemporary(t.Context(), opening(t).Deps, session.StartOptions{Model: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	Leave(s)()
	if list, err := s.Store().Sessions(t.Context(), store.SessionFilter{}); err == nil {
		t.Errorf("its store is still open, with %d sessions", len(list))
	}
}
