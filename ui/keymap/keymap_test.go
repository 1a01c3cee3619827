package keymap

import (
	"slices"
	"strings"
	"testing"

	"winnow/ui/uitest"
)

func TestEveryKeyHasHelpAndAnActionOfItsOwn(t *testing.T) {
	seen := map[Action]bool{}
	for _, r := range Default().Table() {
		if r.Help().Desc == "" || len(r.Keys()) == 0 || seen[r.Action] {
			t.Errorf("row %+v: want help, keys, and an action named once", r)
		}
		seen[r.Action] = true
	}
	if err := new(Map).clash(); err != nil {
		t.Errorf("an empty key map clashes: %v", err)
	}
	k := Default()
	if err := k.clash(); err != nil {
		t.Errorf("the default keys clash: %v", err)
	}
}

func TestKeysAreRemapped(t *testing.T) {
	k, err := Default().With(map[string][]string{"send": {"ctrl+e"}})
	if err != nil {
		t.Fatal(err)
	}
	if !k.Pressed(uitest.Key("ctrl+e"), Send) || k.Pressed(uitest.Key("enter"), Send) {
		t.Errorf("send on ctrl+e: keys are %q", k.Keys(Send))
	}
	if d := Default(); !d.Pressed(uitest.Key("enter"), Send) {
		t.Errorf("remapping changed the defaults: %q", d.Keys(Send))
	}
	for _, c := range []struct {
		keys map[string][]string
		want string
	}{
		{map[string][]string{"fly": {"f"}}, `unknown key action "fly"`},
		{map[string][]string{"send": {"ctrl+p"}}, "ctrl+p is bound to both send and palette"},
		{map[string][]string{"palette": {"enter"}}, "enter is bound to both send and palette"},
		{map[string][]string{"copy": {"p"}}, "p is bound to both copy and pin"},
		{map[string][]string{"allow": {"esc"}}, "esc is bound to both back and allow"},
		{map[string][]string{"tags": {"ctrl+c"}}, "ctrl+c is bound to both stop and tags"},
		{map[string][]string{"archive": {"ctrl+n"}}, "ctrl+n is bound to both new and archive"},
		{map[string][]string{"list-up": {"pgup"}}, "pgup is bound to both list-up and page-up"},
		{map[string][]string{"next-hit": {"j"}}, "j is bound to both down and next-hit"},
		{map[string][]string{"next-hit": {"enter"}}, "enter is bound to both"},
		{map[string][]string{"send": {"ctrl+z"}}, "ctrl+z suspends winnow, and cannot be bound to send"},
	} {
		if _, err := Default().With(c.keys); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want an error with %q", c.keys, err, c.want)
		}
	}
}

func TestABindingSaysWhyNotNow(t *testing.T) {
	m := Default()
	lacking := func(missing ...Need) func(Need) bool {
		return func(n Need) bool { return !slices.Contains(missing, n) }
	}
	for _, c := range []struct {
		action  Action
		missing []Need
		want    string
	}{
		{Edit, nil, ""},
		{Edit, []Need{NeedIdle}, "An answer is still arriving: esc stops it."},
		{Edit, []Need{NeedIdle, NeedLease}, "This chat is open in another window; you can read and fork it here."},
		{Fork, []Need{NeedMessage, NeedLease}, "Select a message first."},
		{Boundary, []Need{NeedPlan}, "There is no plan of the next request yet."},
		{Down, []Need{NeedPlan, NeedMessage, NeedIdle, NeedLease, NeedLoaded}, ""},
		{"no-such-action", []Need{NeedIdle}, ""},
	} {
		if got := m.WhyNot(c.action, lacking(c.missing...)); got != c.want {
			t.Errorf("%s without %v: %q, want %q", c.action, c.missing, got, c.want)
		}
	}
}

func TestAKeyIsForOneActionInAPlace(t *testing.T) {
	m := Default()
	for _, c := range []struct {
		key  string
		in   Scope
		want Action
	}{
		{"ctrl+d", InDraft, Quit},
		{"ctrl+d", InTranscript, ""},
		{"ctrl+d", InSessions, Delete},
		{"enter", InTranscript, Inspect},
		{"enter", InInspector, Inspect},
		{"z", InTranscript, ""},
	} {
		if got := m.Action(uitest.Key(c.key), c.in); got != c.want {
			t.Errorf("%s in %b is %q, want %q", c.key, c.in, got, c.want)
		}
	}
}
