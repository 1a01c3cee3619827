package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/llm/tool"
	"winnow/session/store"
)

var search = tool.Tool{
	Name: "github__search", Server: "github", Description: "Searches.",
	Parameters: json.RawMessage(`{"type":"object"}`),
}

// read reads what a line of decisions.txt says of the tool and of a call of it.
func read(said string) (r Rules, c Call) {
	r.Permissions, c.Tool = map[string]tool.Permission{}, search
	for word := range strings.FieldsSeq(said) {
		key, value, _ := strings.Cut(word, "=")
		switch p := tool.Permission(value); key {
		case "mode":
			r.Mode = Mode(value)
		case "allow":
			r.Allow = []string{value}
		case "remembered":
			row := store.ToolPermission{Name: search.Name, Permission: value}
			if p == tool.Allow {
				row.Identity = ToolIdentity(search)
			}
			r.Remembered = []store.ToolPermission{row}
		case "session":
			r.Session = map[string]bool{ToolIdentity(search): true}
		case "unattended":
			r.Unattended = true
		case "table":
			c.Tool.Configured = p
		case "default":
			c.Tool.Default = p
		case "each-time":
			c.Tool.EachTime = true
		case "changed":
			c.Tool.Description = "Searches, and sends what it finds."
		case "repaired":
			c.Repaired = true
		case "unsaid":
			c.FinishUnknown = true
		default:
			r.Permissions[key] = p
		}
	}
	return r, c
}

// written is a decision as decisions.txt has it.
func written(d Decision) string {
	text := string(d.Effect)
	if d.Reason != "" {
		text += " " + string(d.Reason)
	}
	if d.Asked != "" {
		text += ", asked " + string(d.Asked)
	}
	if d.GrantedBy != "" {
		text += " by " + string(d.GrantedBy)
	}
	if len(d.Choices) > 0 {
		text += fmt.Sprint(" ", d.Choices)
	}
	return text
}

func TestWhatWasSaidOfTheToolItselfCountsFirst(t *testing.T) {
	cases, err := os.ReadFile("testdata/decisions.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(cases)) {
		line, want, isCase := strings.Cut(strings.TrimSpace(line), " -> ")
		if name, said, _ := strings.Cut(line, ":"); isCase {
			r, c := read(said)
			if got := written(r.Decide(c)); got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
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
		Mode:        rapid.SampledFrom([]Mode{ModeAsk, ModeAlways, ModeNever, ""}).Draw(t, "mode"),
		Permissions: rapid.MapOf(names, permission).Draw(t, "permissions"),
		Allow:       rapid.SliceOf(names).Draw(t, "allow"),
		Unattended:  rapid.Bool().Draw(t, "unattended"),
		Session:     map[string]bool{},
	}
	if rapid.Bool().Draw(t, "for this session") {
		r.Session[ToolIdentity(of)] = true
	}
	for range rapid.IntRange(0, 2).Draw(t, "remembered") {
		m := store.ToolPermission{Name: of.Name, Permission: string(permission.Draw(t, "remembered permission"))}
		m.Identity = rapid.SampledFrom([]string{"", ToolIdentity(of), "another"}).Draw(t, "identity")
		r.Remembered = append(r.Remembered, m)
	}
	return r, Call{
		Tool: of, Repaired: rapid.Bool().Draw(t, "repaired"), AnswerCut: rapid.IntRange(0, 3).Draw(t, "cut") == 0,
		FinishUnknown: rapid.IntRange(0, 3).Draw(t, "unsaid") == 0,
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
		case d.Effect == EffectRun && (c.Repaired || c.FinishUnknown || c.AnswerCut):
			t.Fatalf("%+v runs a call that must be asked about or not run: %+v", r, c)
		case d.Effect == EffectAsk && (c.AnswerCut || r.Unattended):
			t.Fatalf("%+v asks about %+v", r, c)
		case d.Effect == EffectAsk && (d.Choices == nil || d.Choices[0] != AllowOnce || slices.Contains(d.Choices, Deny)):
			t.Fatalf("%+v is asked about with the choices %q", c, d.Choices)
		case d.Effect == EffectAsk && (c.Repaired || c.Tool.EachTime) && len(d.Choices) > 1:
			t.Fatalf("%+v may be allowed for more than once: %q", c, d.Choices)
		case (d.Effect == EffectOff) != r.IsOff(c.Tool):
			t.Fatalf("%+v says %q of a tool that is off: %v", r, d.Effect, r.IsOff(c.Tool))
		case (d.Effect == EffectRun) != (d.GrantedBy != ""):
			t.Fatalf("%+v is allowed by %q and the verdict is %q", c, d.GrantedBy, d.Effect)
		case (d.Effect == EffectRefuse) && d.Reason == "":
			t.Fatalf("%+v is refused for no reason", c)
		case c.Tool.EachTime && d.Effect == EffectRun && d.GrantedBy != ByCommandLine:
			t.Fatalf("%+v runs by %q a tool that is asked about each time", c, d.GrantedBy)
		}
		if again := r.Decide(c); again.Effect != d.Effect || again.Reason != d.Reason {
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
		case AllowForSession:
			r.Session = map[string]bool{ToolIdentity(c.Tool): true}
		case AllowAlways:
			r.Remembered = []store.ToolPermission{
				{Name: c.Tool.Name, Identity: ToolIdentity(c.Tool), Permission: string(tool.Allow)},
			}
		}
		if got := r.Decide(next); got.Effect != EffectRun {
			t.Fatalf("after %q the next call is decided as %+v", choice, got)
		}
		if next.Tool.Server == "" {
			return
		}
		r.Session = nil
		next.Tool.Parameters = json.RawMessage(`{"type":"object","properties":{"more":{}}}`)
		if got := r.Decide(next); choice == AllowAlways && (got.Effect != EffectAsk || got.Reason != ReasonToolChanged) {
			t.Fatalf("a changed tool is decided as %+v", got)
		}
	})
}
