// Package strict reads the body of a chat request as a real server does, and refuses what that
// server refuses, in its words. It works on the bytes that go over the wire and knows nothing of how
// they came about, so that a fault of the planning cannot excuse itself.
//
// It is the strict half of a server alone: it answers nothing of its own, counts no tokens and knows
// no keys. Where what a server does depends on a model's chat template, it takes the strictest
// template that is in use.
package strict

import (
	"fmt"
	"strconv"
	"strings"
)

// Profile is a server, and what of its strictness depends on the model that it serves.
type Profile struct {
	Server string // its name

	Alternate  bool // llama.cpp: the template wants user and assistant in turn, as Mistral's do
	Toolless   bool // llama.cpp: so does this one, which knows no tools and counts their messages too, as Gemma's do
	Thinking   bool // DeepSeek: the model thinks, and requires its reasoning with its calls
	Signatures bool // Gemini: the model signs its calls, and requires the signatures
	Offered    bool // Anthropic: calls and results stand only in a request that offers tools, as on Bedrock
}

// The servers.
var (
	OpenAI    = Profile{Server: "openai"}
	LlamaCpp  = Profile{Server: "llamacpp"}
	Mistral   = Profile{Server: "mistral"}
	DeepSeek  = Profile{Server: "deepseek"}
	Anthropic = Profile{Server: "anthropic"} // its Chat Completions endpoint
	Gemini    = Profile{Server: "gemini"}    // its Chat Completions endpoint
	Responses = Profile{Server: "responses"} // OpenAI's Responses API, with nothing stored
	Strictest = Profile{Server: "strictest"} // none that there is: what every request satisfies, whoever gets it
)

// Refusal is what a server answers to a body that breaks one of its rules.
type Refusal struct {
	Rule   string // the rule's name, such as call-answered
	Index  int    // the message, from 0; -1 where it is about the request itself
	Status int    // the HTTP status
	Code   string // the server's own code for it, "" for none
	Text   string // what the server says
}

// Error names rule and message, counted from 1 as a reader does, and gives the server's words.
func (r *Refusal) Error() string {
	where := "the request"
	if r.Index >= 0 {
		where = "message " + strconv.Itoa(r.Index+1)
	}
	return fmt.Sprintf("%s breaks rule %s: %d %s", where, r.Rule, r.Status, r.Text)
}

// Check reports the first rule of p that the body of a chat request breaks, as a *Refusal.
func Check(p Profile, body []byte) error {
	server := servers[p.Server]
	c, wrong := server.open(body)
	if wrong != nil {
		return server.unread.refuse(wrong)
	}
	for _, r := range server.rules {
		if wrong := r.broken(c, p); wrong != nil {
			return r.refuse(wrong)
		}
	}
	return nil
}

// open reads a body in the server's format.
func (b rulebook) open(body []byte) (*chat, *fault) {
	if b.read != nil {
		return b.read(body)
	}
	return readChat(body)
}

// rule is one thing that a server requires, and its refusal where it is missing.
type rule struct {
	name   string
	broken finder
	status int
	code   string
	text   string // {i} is the message's index; a fault fills in the rest
}

// finder looks for the first place that breaks a rule, nil for none.
type finder func(c *chat, p Profile) *fault

// fault is a place that breaks a rule.
type fault struct {
	at    int      // the message, from 0; -1 is the request itself
	words []string // pairs: a name in the rule's text, and what stands for it
}

// wrong is a fault of message at, with pairs of names and what stands for them.
func wrong(at int, words ...string) *fault { return &fault{at, words} }

func (r rule) refuse(f *fault) *Refusal {
	pairs := []string{"{i}", strconv.Itoa(f.at)}
	for k := 0; k+1 < len(f.words); k += 2 {
		pairs = append(pairs, "{"+f.words[k]+"}", f.words[k+1])
	}
	return &Refusal{Rule: r.name, Index: f.at, Status: r.status, Code: r.code, Text: strings.NewReplacer(pairs...).Replace(r.text)}
}
