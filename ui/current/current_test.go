package current

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
)

// opening is a session on the screen.
func opening(t *testing.T) *Model {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	models := new(llm.Catalog).With(llm.Endpoint{Name: "here", BaseURL: "http://127.0.0.1:1/v1", Default: "small"})
	deps := session.Deps{Store: db, Models: models}
	s, err := session.New(deps, session.Start{Ref: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	o := &Model{Context: &app.Context{With: deps, Keys: keymap.Default(), Program: t.Context}}
	o.Fail = o.Queue.SayError
	o.Show(s)
	return o
}

func TestOfTwoSessionsThatWereAskedForTheNewerOneIsShown(t *testing.T) {
	o := opening(t)
	first, second := o.New(), o.New()
	late, newer := first().(Msg), second().(Msg)
	if leave := o.Update(late); len(o.Events()) > 0 || leave == nil {
		t.Errorf("the session that was asked for first is left: %v; want that and no event", leave != nil)
	}
	o.Update(newer)
	events := o.Events()
	if len(events) != 1 {
		t.Fatalf("the newer one: %v", events)
	}
	if e, ok := events[0].(Opened); !ok || e.Session == nil {
		t.Errorf("the newer one is %#v, want it opened", events[0])
	}
}

func TestASessionThatCannotBeOpenedSaysWhy(t *testing.T) {
	o := opening(t)
	cmd := o.Open("ffffffff", Arrival{})
	o.Update(cmd().(Msg))
	events := o.Events()
	if e, ok := events[0].(NotOpened); !ok || !e.Left || e.Err == nil {
		t.Errorf("got %#v, want why it did not come", events)
	}
}

func TestWhatIsLearnedOfAnotherSessionIsDropped(t *testing.T) {
	o := opening(t)
	for _, c := range []struct {
		msg  Msg
		want int
	}{
		{FoundMsg{Session: nil, Event: Priced{}}, 0},
		{FoundMsg{Session: o.Session, Event: Priced{}, Err: context.Canceled}, 0},
		{FoundMsg{Session: o.Session, Event: Priced{}, Err: errors.New("the disk is full")}, 1},
		{FoundMsg{Session: o.Session, Event: Priced{}}, 1},
		{OpenedMsg{Instead: new(session.Session)}, 0},
	} {
		o.Update(c.msg)
		if events := o.Events(); len(events) != c.want {
			t.Errorf("%#v: %v, want %d events", c.msg, events, c.want)
		}
	}
}

func TestALoadedSessionKnowsItsForks(t *testing.T) {
	o := opening(t)
	o.Update(o.ReadForks()().(Msg))
	events := o.Events()
	if len(events) != 1 || o.Forks.From() != "" {
		t.Errorf("got %v, from %q", events, o.Forks.From())
	}
}

func TestAPlanOfAnOlderDraftIsDropped(t *testing.T) {
	o := opening(t)
	o.Draft = func() Draft { return Draft{Text: "hello"} }
	o.PlanSoon()
	old := o.Plan()().(PlannedMsg)
	o.PlanSoon()
	if o.Update(old); len(o.Events()) > 0 {
		t.Error("the plan of an older draft is shown")
	}
	newer := o.Plan()().(PlannedMsg)
	o.Update(newer)
	if got := o.Events(); len(got) != 1 {
		t.Errorf("the plan of the draft: %v, want it shown", got)
	}
	if due := o.Update(dueMsg{o.Generation}); due == nil {
		t.Error("a draft that has rested is not planned")
	}
	o.Busy = true
	if due := o.Update(dueMsg{o.Generation}); due != nil {
		t.Error("the draft is planned while an answer arrives")
	}
	if o.PlanSoon() != nil {
		t.Error("a draft that is typed while an answer arrives is to be planned")
	}
}

func TestADraftThatDoesNotFitIsKnownUntilItChanges(t *testing.T) {
	o := opening(t)
	o.Judge(&history.OverBudgetError{})
	if o.Oversize() == nil {
		t.Error("a draft that does not fit is not known")
	}
	o.Supersede()
	if o.Oversize() != nil {
		t.Error("what was known of a draft is told of the next one")
	}
}
