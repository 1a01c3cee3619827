package approval

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"winnow/llm/tool"
	"winnow/session/store"
)

var search = tool.Tool{
	Name: "github__search", Server: "github", Description: "Searches.",
	Parameters: json.RawMessage(`{"type":"object"}`),
}

func TestWhatWasSaidOfTheToolItselfCountsFirst(t *testing.T) {
	changed := search
	changed.Description = "Searches, and sends what it finds."
	always := []store.ToolPermission{{Name: search.Name, Identity: Identity(search), Permission: string(tool.Allow)}}
	askFirst, once, session, forever := Decision{Verdict: Ask}, []Choice{Once}, []Choice{Once, Session},
		[]Choice{Once, Session, Forever}
	asks := func(why Reason, choices []Choice) Decision {
		d := askFirst
		d.Reason, d.Choices = why, choices
		return d
	}
	with := func(change func(*tool.Tool)) tool.Tool {
		t := search
		change(&t)
		return t
	}
	permissions := func(pairs ...string) map[string]tool.Permission {
		m := map[string]tool.Permission{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = tool.Permission(pairs[i+1])
		}
		return m
	}
	for _, c := range []struct {
		name  string
		rules Rules
		call  Call
		want  Decision
	}{
		{"nothing is said", Rules{}, Call{Tool: search}, asks("", forever)},
		{"approve = always", Rules{Mode: Always}, Call{Tool: search}, Decision{Verdict: Run, By: ByMode}},
		{"approve = never", Rules{Mode: Never}, Call{Tool: search}, Decision{Verdict: Refuse, Reason: SwitchedOff}},
		{"configured allow", Rules{
			Mode: Never, Permissions: permissions("github__search", "allow"),
		}, Call{Tool: search}, Decision{Verdict: Run, By: ByConfiguration}},
		{"configured ask over always", Rules{
			Mode: Always, Permissions: permissions("github__search", "ask"),
		}, Call{Tool: search}, asks("", session)},
		{"configured ask over what is remembered", Rules{
			Permissions: permissions("github__*", "ask"), Remembered: always,
		}, Call{Tool: search}, asks("", session)},
		{"a name over a pattern", Rules{
			Permissions: permissions("github__*", "off", "github__search", "allow"),
		}, Call{Tool: search}, Decision{Verdict: Run, By: ByConfiguration}},
		{"a long pattern over a short one", Rules{
			Permissions: permissions("*", "allow", "github__*", "off"),
		}, Call{Tool: search}, Decision{Verdict: Off}},
		{"of patterns of one length the strict one", Rules{
			Permissions: permissions("github__searc?", "allow", "github__s?arch", "ask", "g*", "off"),
		}, Call{Tool: search}, asks("", session)},
		{"the server's table over a pattern", Rules{Permissions: permissions("*", "off")}, Call{
			Tool: with(func(t *tool.Tool) { t.Configured = tool.Allow }),
		}, Decision{Verdict: Run, By: ByConfiguration}},
		{"the server's own default", Rules{}, Call{Tool: with(func(t *tool.Tool) { t.Default = tool.Allow })}, Decision{
			Verdict: Run, By: ByDefault,
		}},
		{"approve = never over a default", Rules{Mode: Never}, Call{
			Tool: with(func(t *tool.Tool) { t.Default = tool.Allow }),
		}, Decision{Verdict: Refuse, Reason: SwitchedOff}},
		{"off by default", Rules{Mode: Always}, Call{
			Tool: with(func(t *tool.Tool) { t.Default = tool.Off }),
		}, Decision{Verdict: Off}},
		{"off by default, and asked about by hand", Rules{
			Remembered: []store.ToolPermission{{Name: search.Name, Permission: string(tool.Ask)}},
		}, Call{
			Tool: with(func(t *tool.Tool) { t.Default = tool.Off }),
		}, asks("", forever)},
		{"remembered", Rules{Remembered: always}, Call{Tool: search}, Decision{Verdict: Run, By: ByMemory}},
		{"remembered, and changed since", Rules{Remembered: always}, Call{Tool: changed}, asks(Changed, forever)},
		{"remembered off", Rules{
			Mode: Always, Remembered: []store.ToolPermission{{Name: search.Name, Permission: string(tool.Off)}},
		}, Call{Tool: search}, Decision{Verdict: Off}},
		{"allowed for the session", Rules{
			Session: map[string]bool{Identity(search): true},
		}, Call{Tool: search}, Decision{Verdict: Run, By: BySession}},
		{"allowed for the session, and changed since", Rules{
			Session: map[string]bool{Identity(search): true},
		}, Call{Tool: changed}, asks("", forever)},
		{"the command line over ask and never", Rules{
			Mode: Never, Allow: []string{"github__*"},
		}, Call{Tool: search}, Decision{Verdict: Run, By: ByOption}},
		{"the command line offers nothing that is off", Rules{
			Allow: []string{"*"}, Permissions: permissions("github__search", "off"),
		}, Call{Tool: search}, Decision{Verdict: Off}},
		{"asked each time", Rules{Mode: Always, Remembered: always}, Call{
			Tool: with(func(t *tool.Tool) { t.EachTime = true }),
		}, asks(EachTime, once)},
		{"asked each time, but allowed by the command line", Rules{Allow: []string{"github__search"}}, Call{
			Tool: with(func(t *tool.Tool) { t.EachTime = true }),
		}, Decision{Verdict: Run, By: ByOption}},
		{"repaired", Rules{Mode: Always}, Call{Tool: search, Repaired: true}, asks(Repaired, once)},
		{"nobody said that the answer is whole", Rules{Mode: Always}, Call{
			Tool: search, Unsaid: true,
		}, asks(Unsaid, once)},
		{"nobody to ask", Rules{Unattended: true}, Call{Tool: search}, Decision{Verdict: Refuse, Reason: Nobody}},
		{"nobody to ask about a repaired call", Rules{Unattended: true, Allow: []string{"*"}}, Call{
			Tool: search, Repaired: true,
		}, Decision{Verdict: Refuse, Reason: Nobody, Asked: Repaired}},
	} {
		got := c.rules.Decide(c.call)
		if got.Verdict != c.want.Verdict || got.Reason != c.want.Reason || got.Asked != c.want.Asked ||
			got.By != c.want.By || !slices.Equal(got.Choices, c.want.Choices) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// drawRules draws rules about a tool, and a call of it.
func drawRules(t *rapid.T) (Rules, Call) {
	permission := rapid.SampledFrom([]tool.Permission{tool.Off, tool.Ask, tool.Allow})
	maybe := func(what string) tool.Permission {
		if rapid.Bool().Draw(t, what+" is there") {
			return permission.Draw(t, what)
		}
		return ""
	}
	of := search
	if rapid.Bool().Draw(t, "own") {
		of.Server = ""
	}
	of.Configured, of.Default, of.EachTime = maybe("configured"), maybe("default"), rapid.Bool().Draw(t, "each time")
	names := rapid.SampledFrom([]string{"github__search", "github__*", "*", "?ithub__search", "other", "[", ""})
	r := Rules{
		Mode:        rapid.SampledFrom([]Mode{AskFirst, Always, Never, ""}).Draw(t, "mode"),
		Permissions: rapid.MapOf(names, permission).Draw(t, "permissions"),
		Allow:       rapid.SliceOf(names).Draw(t, "allow"),
		Unattended:  rapid.Bool().Draw(t, "unattended"),
		Session:     map[string]bool{},
	}
	if rapid.Bool().Draw(t, "for this session") {
		r.Session[Identity(of)] = true
	}
	for range rapid.IntRange(0, 2).Draw(t, "remembered") {
		m := store.ToolPermission{Name: of.Name, Permission: string(permission.Draw(t, "remembered permission"))}
		m.Identity = rapid.SampledFrom([]string{"", Identity(of), "another"}).Draw(t, "identity")
		r.Remembered = append(r.Remembered, m)
	}
	return r, Call{
		Tool: of, Repaired: rapid.Bool().Draw(t, "repaired"), Cut: rapid.IntRange(0, 3).Draw(t, "cut") == 0,
		Unsaid: rapid.IntRange(0, 3).Draw(t, "unsaid") == 0,
	}
}

func TestNoRuleRunsWhatMustBeAskedAbout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := drawRules(t)
		permissions := maps.Clone(r.Permissions)
		d := r.Decide(c)
		if !maps.Equal(r.Permissions, permissions) {
			t.Fatal("the rules were changed")
		}
		switch {
		case d.Verdict == Run && (c.Repaired || c.Unsaid || c.Cut):
			t.Fatalf("%+v runs a call that must be asked about or not run: %+v", r, c)
		case d.Verdict == Ask && (c.Cut || r.Unattended):
			t.Fatalf("%+v asks about %+v", r, c)
		case d.Verdict == Ask && (d.Choices == nil || d.Choices[0] != Once || slices.Contains(d.Choices, No)):
			t.Fatalf("%+v is asked about with the choices %q", c, d.Choices)
		case d.Verdict == Ask && (c.Repaired || c.Tool.EachTime) && len(d.Choices) > 1:
			t.Fatalf("%+v may be allowed for more than once: %q", c, d.Choices)
		case (d.Verdict == Off) != r.Off(c.Tool):
			t.Fatalf("%+v says %q of a tool that is off: %v", r, d.Verdict, r.Off(c.Tool))
		case (d.Verdict == Run) != (d.By != ""):
			t.Fatalf("%+v is allowed by %q and the verdict is %q", c, d.By, d.Verdict)
		case (d.Verdict == Refuse) && d.Reason == "":
			t.Fatalf("%+v is refused for no reason", c)
		case c.Tool.EachTime && d.Verdict == Run && d.By != ByOption:
			t.Fatalf("%+v runs by %q a tool that is asked about each time", c, d.By)
		}
		if again := r.Decide(c); again.Verdict != d.Verdict || again.Reason != d.Reason {
			t.Fatalf("decided %+v and then %+v", d, again)
		}
	})
}

// An answer for the session or for always holds for the next call, and for no other tool than the one that was shown.
func TestAnAnswerHoldsForTheToolThatWasShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, c := drawRules(t)
		r.Unattended = false
		d := r.Decide(c)
		if len(d.Choices) < 2 {
			return
		}
		next := Call{Tool: c.Tool}
		choice := rapid.SampledFrom(d.Choices[1:]).Draw(t, "choice")
		switch choice {
		case Session:
			r.Session = map[string]bool{Identity(c.Tool): true}
		case Forever:
			r.Remembered = []store.ToolPermission{
				{Name: c.Tool.Name, Identity: Identity(c.Tool), Permission: string(tool.Allow)},
			}
		}
		if got := r.Decide(next); got.Verdict != Run {
			t.Fatalf("after %q the next call is decided as %+v", choice, got)
		}
		if next.Tool.Server == "" {
			return
		}
		r.Session = nil
		next.Tool.Parameters = json.RawMessage(`{"type":"object","properties":{"more":{}}}`)
		if got := r.Decide(next); choice == Forever && (got.Verdict != Ask || got.Reason != Changed) {
			t.Fatalf("a changed tool is decided as %+v", got)
		}
	})
}
