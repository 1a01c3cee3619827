// Package approval decides whether a tool call may run: without asking, after asking the user, or not at all. It does
// not ask, run or store anything; its results depend on the input alone.
package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"

	"winnow/llm/tool"
	"winnow/session/store"
)

// Mode applies to tools for which no permission is set.
type Mode string

// The modes.
const (
	ModeAsk    Mode = "ask"    // the user is asked before each call
	ModeAlways Mode = "always" // calls run without asking
	ModeNever  Mode = "never"  // calls do not run, and the user is not asked
)

// Rules is what the configuration, the command line and the user's earlier answers say about tools. A pattern is a name
// in which * matches any characters and ? matches one.
type Rules struct {
	Mode        Mode
	Permissions map[string]tool.Permission // from the configuration, by the name of a tool or a pattern
	Allow       []string                   // names and patterns of tools that the command line allows
	Remembered  []store.ToolPermission     // the user's answers for all sessions
	Session     map[string]bool            // identities of the tools that the user allowed for this session
	Unattended  bool                       // there is nobody to ask
}

// Call is a tool call to decide about.
type Call struct {
	Tool          tool.Tool
	Repaired      bool // its arguments were repaired
	AnswerCut     bool // its answer was ended by something other than the model
	FinishUnknown bool // the server did not say whether its answer is complete
}

// Effect is what is done with a call.
type Effect string

// The effects.
const (
	EffectRun    Effect = "run"    // it runs without asking
	EffectAsk    Effect = "ask"    // it runs if the user allows it
	EffectRefuse Effect = "refuse" // it does not run; Reason says why
	EffectOff    Effect = "off"    // the model is not offered the tool
)

// Reason is why a call does not run, or why the user is asked.
type Reason string

// The reasons.
const (
	ReasonCutAnswer   Reason = "cut_answer"   // the answer is not complete
	ReasonSwitchedOff Reason = "switched_off" // no tools run
	ReasonUnattended  Reason = "nobody"       // there is nobody to ask

	ReasonRepaired      Reason = "repaired"  // the arguments were repaired
	ReasonFinishUnknown Reason = "unsaid"    // the server did not say whether the answer is complete
	ReasonEachTime      Reason = "each_time" // the tool needs approval each time
	ReasonToolChanged   Reason = "changed"   // the tool has changed since the user always allowed it
)

// Grant is what allowed a call.
type Grant string

// The grants. After a question, the grant is the name of the user's choice.
const (
	ByMode          Grant = "approve"
	ByConfiguration Grant = "permissions"
	ByCommandLine   Grant = "option"
	ByDefault       Grant = "default"
	ByAnswer        Grant = "once"
	BySession       Grant = "session"
	ByStoredAnswer  Grant = "always"
)

// Decision is what is done with a call, and why.
type Decision struct {
	Effect    Effect
	Reason    Reason   // "" if it runs, or if the user is asked as usual
	Asked     Reason   // for a call that is refused because nobody is there: why the user would be asked
	GrantedBy Grant    // what allows a call that runs
	Choices   []Choice // the answers to offer, besides Deny
}

// Choice is an answer to the question whether a call may run.
type Choice string

// The choices. Deny is the safe one.
const (
	Deny            Choice = "no"
	AllowOnce       Choice = "once"    // this call runs
	AllowForSession Choice = "session" // and so do later calls of the tool while the session is open in this program
	AllowAlways     Choice = "always"  // and so do later calls of the tool in all sessions
)

// Answer is the user's answer about a call. The zero value denies it.
type Answer struct {
	Choice Choice
	Reason string // why not, in the user's words, or ""
}

// Allows reports whether the call may run.
func (a Answer) Allows() bool {
	return a.Choice == AllowOnce || a.Choice == AllowForSession || a.Choice == AllowAlways
}

// Decide returns what is done with a call. Whatever the rules, a call of an incomplete answer never runs, and one with
// repaired arguments never runs without asking.
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
		return d // A wider answer would have no effect, or allow more than what is shown.
	}
	d.Choices = append(d.Choices, AllowForSession)
	if p.by != ByConfiguration {
		d.Choices = append(d.Choices, AllowAlways)
	}
	return d
}

// IsOff reports whether a tool is neither offered nor run.
func (r Rules) IsOff(t tool.Tool) bool { return r.permission(t).of == tool.Off }

// Permission returns the permission of a tool and where it comes from. ModeNever and the command line override it.
func (r Rules) Permission(t tool.Tool) (tool.Permission, Grant) {
	p := r.permission(t)
	return p.of, p.by
}

// permission is the permission of a tool and its origin.
type permission struct {
	of      tool.Permission
	by      Grant
	changed bool // the user always allowed a tool of this name, but it has changed
}

// permission returns the permission of a tool. The first of these that is set applies: the configuration of its name,
// of its server and of a pattern, the user's stored answer, and the default of the tool, its server or the mode.
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

// pattern returns the permission of the most specific pattern that matches a name: the longest one, and of equally long
// ones the strictest.
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

// remembered returns the user's stored answer about a tool, "" for none. changed reports that a tool of this name was
// allowed, but has changed.
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

// CheckPattern returns an error if a pattern for tool names is malformed.
func CheckPattern(pattern string) error {
	_, err := path.Match(pattern, "")
	return err
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// ToolIdentity returns the string by which a tool is recognised after the user allowed it. For a tool of an MCP server
// it changes with the description and the parameters, so that a server cannot turn an allowed tool into another one.
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
