// Package llmtest has the servers that tests talk to. It is not linked into the program.
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

// Profile is a kind of strict server, and optionally a property of the model that it serves, as in
// "llamacpp+alternate".
type Profile string

// The profiles. Servers that use chat templates have the strictest one in use.
const (
	OpenAI            Profile = "openai"
	Responses         Profile = "responses" // OpenAI's Responses API, without stored data
	LlamaCpp          Profile = "llamacpp"
	LlamaCppAlternate Profile = "llamacpp+alternate" // its template requires user and assistant to alternate, as Mistral's do
	LlamaCppToolless  Profile = "llamacpp+toolless"  // the same, but counting messages of tools too, as Gemma's do
	Mistral           Profile = "mistral"
	DeepSeek          Profile = "deepseek"
	DeepSeekThinking  Profile = "deepseek+thinking"
	Anthropic         Profile = "anthropic" // its Chat Completions endpoint
	// It accepts calls and results only in a request that offers tools, as Bedrock does.
	AnthropicOffered Profile = "anthropic+offered"
	Gemini           Profile = "gemini"            // its Chat Completions endpoint
	GeminiSignatures Profile = "gemini+signatures" // its model requires the signatures of its calls
	Strictest        Profile = "strictest"         // no real server: the rules that every request follows
)

// server is the profile without the property of the model.
func (p Profile) server() string {
	server, _, _ := strings.Cut(string(p), "+")
	return server
}

// Refusal is the response of a server to a body that breaks one of its rules.
type Refusal struct {
	Rule   string // the rule's name, such as call-answered
	Index  int    // of the message, from 0; -1 for the request itself
	Status int    // the HTTP status
	Code   string // the server's error code, "" for none
	Text   string // the server's message
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("message %d (of the request: -1) breaks rule %s: %d %s", r.Index, r.Rule, r.Status, r.Text)
}

// CheckBody returns the first rule of a profile that the body of a chat request breaks, as a *Refusal. Like a real
// server, it sees nothing but the bytes, so that a mistake in planning cannot hide itself.
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

// fault is the place where a body breaks a rule.
type fault struct {
	at   int    // the message, from 0; -1 for the request itself
	k    int    // the part or call of the message, or the tool of the request
	what string // what is wrong, if it is neither a message nor a call
}

// fill fills the placeholders in the text of a refusal.
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

// rulesOf returns the rules of a profile with their refusals, in the order in which the server checks them.
func rulesOf(p Profile) []Refusal {
	server := Profile(p.server())
	if server == p {
		return rules()[p]
	}
	return slices.Concat(rules()[server], rules()[p])
}

// rules parses refusals.txt, which describes its format.
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
		r.Status, _ = strconv.Atoi(fields[0]) // An invalid status becomes 0, which fails the tests.
		r.Code, r.Text = strings.Trim(fields[1], "-"), fields[2]
		all[of] = append(all[of], r)
	}
	return all
})

// Example is a body that breaks a rule of a profile, or that the profile accepts if Rule is "".
type Example struct {
	Profile Profile
	Rule    string
	Body    []byte
}

//go:embed testdata/strict.txtar
var examples []byte

// Examples returns one body for each rule of each profile, and some that are accepted.
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
