// Package llmtest holds the servers that tests talk to. The program is never linked with it.
package llmtest

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/txtar"
)

// Profile is a server and what of its strictness depends on the model that it serves, as in "llamacpp+alternate".
type Profile string

// The profiles. Where what a server does depends on a chat template, it is the strictest one in use.
const (
	OpenAI            Profile = "openai"
	Responses         Profile = "responses" // OpenAI's Responses API, with nothing stored
	LlamaCpp          Profile = "llamacpp"
	LlamaCppAlternate Profile = "llamacpp+alternate" // its template wants user and assistant in turn, as Mistral's do
	LlamaCppToolless  Profile = "llamacpp+toolless"  // so does this one, which counts tools' messages too, as Gemma's do
	Mistral           Profile = "mistral"
	DeepSeek          Profile = "deepseek"
	DeepSeekThinking  Profile = "deepseek+thinking"
	Anthropic         Profile = "anthropic" // its Chat Completions endpoint
	// Calls and results stand only in a request that offers tools, as on Bedrock.
	AnthropicOffered Profile = "anthropic+offered"
	Gemini           Profile = "gemini"            // its Chat Completions endpoint
	GeminiSignatures Profile = "gemini+signatures" // its model requires the signatures of its calls
	Strictest        Profile = "strictest"         // none that there is: what every request satisfies, whoever gets it
)

// server is the profile without what depends on the model.
func (p Profile) server() string {
	server, _, _ := strings.Cut(string(p), "+")
	return server
}

// Refusal is what a server answers to a body that breaks one of its rules.
type Refusal struct {
	Rule   string // the rule's name, such as call-answered
	Index  int    // the message, from 0; -1 where it is about the request itself
	Status int    // of HTTP
	Code   string // the server's own code for it, "" for none
	Text   string // what the server says
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("message %d (of the request: -1) breaks rule %s: %d %s", r.Index, r.Rule, r.Status, r.Text)
}

// Check reports the first rule of a profile that the body of a chat request breaks, as a *Refusal. It reads the bytes
// as a real server does, and knows nothing of how they came about, so that a fault of the planning cannot excuse
// itself.
func CheckBody(p Profile, body []byte) error {
	read, wrong := readBody(body, p.server())
	for _, r := range rulesOf(p) {
		if wrong == nil && r.Rule != "form" {
			wrong = finders[r.Rule](read)
		}
		if wrong != nil {
			r.Index, r.Text = wrong.at, read.fill(r.Text, *wrong)
			return &r
		}
	}
	return nil
}

// fault is a place that breaks a rule.
type fault struct {
	at   int    // the message, from 0; -1 is the request itself
	k    int    // the part or call of the message, or the tool of the request
	what string // what is wrong there, where that is neither message nor call
}

// fill puts what is wrong into the text of a refusal.
func (b *body) fill(text string, f fault) string {
	var m message
	var c toolCall
	if f.at >= 0 {
		m = b.messages[f.at]
	}
	if f.k < len(m.ToolCalls) {
		c = m.ToolCalls[f.k]
	}
	return strings.NewReplacer(
		"{i}", strconv.Itoa(f.at), "{k}", strconv.Itoa(f.k), "{what}", f.what, "{role}", m.Role,
		"{before}", b.roleBefore(f.at), "{id}", c.ID+m.ToolCallID+m.ID, "{name}", c.Function.Name,
	).Replace(text)
}

//go:embed refusals.txt
var refusals string

// rulesOf are the rules of a profile, each with its refusal, in the order in which the server looks.
func rulesOf(p Profile) []Refusal {
	server := Profile(p.server())
	if server == p {
		return rules()[p]
	}
	return slices.Concat(rules()[server], rules()[p])
}

// rules reads refusals.txt, which says what it holds.
var rules = sync.OnceValue(func() map[Profile][]Refusal {
	all, of := map[Profile][]Refusal{}, Profile("")
	for line := range strings.Lines(refusals) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "== "); ok {
			of = Profile(name)
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		r := Refusal{Rule: strings.Fields(line)[0]}
		fields := strings.SplitN(strings.TrimSpace(strings.TrimPrefix(line, r.Rule)), " ", 3)
		r.Status, _ = strconv.Atoi(fields[0]) // A status that is none is 0, which no server answers with.
		r.Code, r.Text = strings.Trim(fields[1], "-"), fields[2]
		all[of] = append(all[of], r)
	}
	return all
})

// Example is a body that a profile refuses by a rule, or accepts where that is "".
type Example struct {
	Profile Profile
	Rule    string
	Body    []byte
}

//go:embed testdata/strict.txtar
var examples []byte

// Examples has one of each rule of each profile, and some that break none.
func Examples() []Example {
	var all []Example
	for _, f := range txtar.Parse(examples).Files {
		profile, rule, _ := strings.Cut(f.Name, " ")
		if strings.HasPrefix(rule, "accepts ") {
			rule = ""
		}
		all = append(all, Example{Profile(profile), rule, f.Data})
	}
	return all
}
