// Package approval decides whether a call of a tool may run: without asking, after the user was asked, or not at all.
// It asks nobody, runs nothing and stores nothing: the result depends on the input alone.
package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"

	"winnow/llm/tool"
	"winnow/session/store"
)

// Mode is what holds for the tools of which nothing else is said.
type Mode string

// The modes.
const (
	ModeAsk    Mode = "ask"    // the user is asked before each call
	ModeAlways Mode = "always" // calls run without asking
	ModeNever  Mode = "never"  // calls do not run, and nobody is asked
)

// Rules is what was said of tools by the configuration, the command line and the user's earlier answers. A pattern is a
// name in which * stands for any characters and ? for one.
type Rules struct {
	Mode        Mode
	Permissions map[string]tool.Permission // as configured, by the tool's name or a pattern
	Allow       []string                   // names and patterns of tools that the command line allows
	Remembered  []store.ToolPermission     // what the user said of tools for all sessions
	Session     map[string]bool            // the identities of the tools that the user allowed for this session
	Unattended  bool                       // there is nobody to ask
}

// Call is a call that may run or not.
type Call struct {
	Tool          tool.Tool
	Repaired      bool // its arguments are not what the model wrote
	AnswerCut     bool // the answer that holds it was ended by something else than the model
	FinishUnknown bool // nobody said whether that answer is whole
}

// Verdict is what is done with a call.
type Effect string

// The verdicts.
const (
	EffectRun    Effect = "run"    // at once
	EffectAsk    Effect = "ask"    // where the user allows it
	EffectRefuse Effect = "refuse" // it does not run; Reason says why
	EffectOff    Effect = "off"    // the model is not offered the tool
)

// Reason is why a call does not run, or why the user is asked.
type Reason string

// The reasons.
const (
	ReasonCutAnswer   Reason = "cut_answer"   // the answer is not whole
	ReasonSwitchedOff Reason = "switched_off" // no tools run
	ReasonUnattended  Reason = "nobody"       // there is nobody to ask

	ReasonRepaired      Reason = "repaired"  // the arguments were repaired
	ReasonFinishUnknown Reason = "unsaid"    // nobody said whether the answer is whole
	ReasonEachTime      Reason = "each_time" // the tool is asked about each time
	ReasonToolChanged   Reason = "changed"   // the tool is another than the one that the user allowed always
)

// Grant is what allowed a call.
type Grant string

// The grants. A user who was asked grants by the name of the choice.
const (
	ByMode          Grant = "approve"
	ByConfiguration Grant = "permissions"
	ByCommandLine   Grant = "option" // of the command line
	ByDefault       Grant = "default"
	ByAnswer        Grant = "once"
	BySession       Grant = "session"
	ByStoredAnswer  Grant = "always"
)

// Decision is what is done with a call.
type Decision struct {
	Effect    Effect
	Reason    Reason // "" where it runs, and where the user is asked as usual
	Asked     Reason // why the user would be asked, of a call that is refused because there is nobody
	GrantedBy Grant  // what allows a call that runs
	Choices   []Choice
}

// Choice is one of the answers to the question about a call.
type Choice string

// The choices. No is the safe one.
const (
	Deny            Choice = "no"
	AllowOnce       Choice = "once"    // this call runs
	AllowForSession Choice = "session" // and the tool's later ones as long as the session is open in this program
	AllowAlways     Choice = "always"  // and the tool's later ones in all sessions
)

// Answer is what the user said about a call. The zero Answer is no.
type Answer struct {
	Choice Choice
	Reason string // why not, in the user's words, "" for none
}

// Allows says that the call may run.
func (a Answer) Allows() bool {
	return a.Choice == AllowOnce || a.Choice == AllowForSession || a.Choice == AllowAlways
}

// Decide says what is done with a call. A call of an answer that is not whole never runs, and one with repaired
// arguments never without a question, whatever the rules are.
func (r Rules) Decide(c Call) Decision {
	p := r.permission(c.Tool)
	allowed := p.of == tool.Allow
	switch {
	case p.of == tool.Off:
		return Decision{Effect: EffectOff}
	case c.AnswerCut:
		return Decision{Effect: EffectRefuse, Reason: ReasonCutAnswer}
	case slices.ContainsFunc(r.Allow, func(p string) bool { return matches(p, c.Tool.Name) }):
		allowed, p.by = true, ByCommandLine
	case r.Mode == ModeNever && p.by != ByConfiguration:
		return Decision{Effect: EffectRefuse, Reason: ReasonSwitchedOff}
	case !allowed && r.Session[ToolIdentity(c.Tool)]:
		allowed, p.by = true, BySession
	}
	why := Reason("")
	switch {
	case c.Repaired:
		why = ReasonRepaired
	case c.FinishUnknown:
		why = ReasonFinishUnknown
	}
	if allowed && why == "" && c.Tool.EachTime && p.by != ByCommandLine {
		why = ReasonEachTime
	}
	if allowed && why == "" {
		return Decision{Effect: EffectRun, GrantedBy: p.by}
	}
	if why == "" && p.changed {
		why = ReasonToolChanged
	}
	if r.Unattended {
		return Decision{Effect: EffectRefuse, Reason: ReasonUnattended, Asked: why}
	}
	d := Decision{Effect: EffectAsk, Reason: why, Choices: []Choice{AllowOnce}}
	if allowed || c.Tool.EachTime || c.Repaired || c.FinishUnknown {
		return d // A wider answer would change nothing, or be about more than what is shown.
	}
	d.Choices = append(d.Choices, AllowForSession)
	if p.by != ByConfiguration {
		d.Choices = append(d.Choices, AllowAlways)
	}
	return d
}

// Off says that a tool is neither offered nor run.
func (r Rules) IsOff(t tool.Tool) bool { return r.permission(t).of == tool.Off }

// Permission is what holds for a tool, and what says so. Mode Never and the command line come over it.
func (r Rules) Permission(t tool.Tool) (tool.Permission, Grant) {
	p := r.permission(t)
	return p.of, p.by
}

// permission is what holds for a tool.
type permission struct {
	of      tool.Permission
	by      Grant
	changed bool // the user allowed a tool of this name always, but not this one
}

// permission is what was said of a tool: what the configuration says of its own name before a pattern, that before what
// is remembered, and that before what holds for the tool, its server and all tools.
func (r Rules) permission(t tool.Tool) permission {
	if p, ok := r.Permissions[t.Name]; ok {
		return permission{of: p, by: ByConfiguration}
	}
	if t.Configured != "" {
		return permission{of: t.Configured, by: ByConfiguration}
	}
	if p, ok := r.pattern(t.Name); ok {
		return permission{of: p, by: ByConfiguration}
	}
	of, changed := r.remembered(t)
	switch {
	case of != "":
		return permission{of: of, by: ByStoredAnswer}
	case t.Default != "":
		return permission{of: t.Default, by: ByDefault, changed: changed}
	case r.Mode == ModeAlways:
		return permission{of: tool.Allow, by: ByMode, changed: changed}
	}
	return permission{of: tool.Ask, by: ByMode, changed: changed}
}

// pattern is what the most particular pattern says that fits a name: the longest, and of equally long ones the one that
// allows less.
func (r Rules) pattern(name string) (found tool.Permission, ok bool) {
	strict := []tool.Permission{tool.Allow, tool.Ask, tool.Off}
	longest := 0
	for pattern, p := range r.Permissions {
		if !matches(pattern, name) || len(pattern) < longest {
			continue
		}
		if len(pattern) > longest || slices.Index(strict, p) > slices.Index(strict, found) {
			found = p
		}
		longest, ok = len(pattern), true
	}
	return found, ok
}

// remembered is what the user said of a tool for all sessions, "" for nothing. changed says that a tool of this name
// was allowed, but another one.
func (r Rules) remembered(t tool.Tool) (p tool.Permission, changed bool) {
	for _, m := range r.Remembered {
		switch {
		case m.Name != t.Name:
		case tool.Permission(m.Permission) != tool.Allow || m.Identity == "" || m.Identity == ToolIdentity(t):
			return tool.Permission(m.Permission), false
		default:
			changed = true
		}
	}
	return "", changed
}

// CheckPattern says what is wrong with a pattern for names of tools.
func CheckPattern(pattern string) error {
	_, err := path.Match(pattern, "")
	return err
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// Identity is what a tool is recognised by after the user has allowed it. That of an MCP server's tool changes with its
// description and its parameters: a server could otherwise make another tool of one that is allowed.
func ToolIdentity(t tool.Tool) string {
	if t.Server == "" {
		return t.Name
	}
	hash := sha256.New()
	for _, part := range []string{t.Server, t.Name, t.Description, string(t.Parameters)} {
		sum := sha256.Sum256([]byte(part))
		hash.Write(sum[:])
	}
	return t.Name + " " + hex.EncodeToString(hash.Sum(nil))
}
