package history

import (
	"regexp"
	"slices"
	"strings"
)

// Beside its text an answer may have what its server wants returned: the model's reasoning, and
// keys that only that server understands, such as a signature of the reasoning. They go back with
// the message they came with, or not at all:
//
//   - keys to the endpoint and model that sent them, and nowhere else;
//   - reasoning where the endpoint asks for it, in a turn that called tools, from the first call
//     on;
//   - a message that makes calls carries both whatever is cut of its text, because servers refuse the
//     calls without them. An answer without calls carries them only while its text is whole;
//   - calls that are sent as text carry nothing, nor does an answer that broke off or that is joined to
//     its neighbour.

// carriage says what of its own an endpoint gets back.
type carriage struct {
	to     Origin // whose own it is, zero for nobody
	keys   bool   // the keys that only the server knows
	echo   bool   // the reasoning
	merges bool   // neighbouring answers are joined, so that answers without calls carry nothing
}

// load is what a candidate carries beside its text, and what that costs.
type load struct {
	keys      bool // its own keys and those of its calls
	reasoning bool
	tokens    int
}

// address sets what each message carries for the endpoint and model that is asked.
func (c *Conversation) address(to carriage) {
	if c.carriage == to {
		return
	}
	c.carriage = to
	for i := range c.candidates {
		c.candidates[i].unload()
	}
	if c.loadFrom(0); len(c.candidates) > 0 {
		c.number(0)
	}
	c.renderings = nil
	c.outdate()
}

// loadFrom gives the candidates from index i on what they carry.
func (c *Conversation) loadFrom(i int) {
	called := false
	for k := i - 1; k >= 0 && c.candidates[k].role() != User && !called; k-- {
		called = c.candidates[k].calls
	}
	for ; i < len(c.candidates); i++ {
		v := &c.candidates[i]
		called = called && v.role() != User || v.calls
		if v.standIn {
			continue
		}
		if c.load(v, called); !v.remedied {
			c.base.cost(v.from, v.tokens)
		}
	}
}

// load decides what a candidate carries; called says that its turn called tools up to here.
func (c *Conversation) load(v *candidate, called bool) {
	calls, to := v.calls, c.carriage
	if !v.carries || v.role() != Assistant || c.origins[v.origin] != to.to || to.to == (Origin{}) || !calls && (to.merges || v.joins || v.brokeOff) {
		return
	}
	m := c.fullOf(v)
	if to.keys {
		v.load = load{keys: true, tokens: c.countKeys(m.Replay)}
		for _, call := range m.ToolCalls {
			v.load.tokens += c.countKeys(call.Replay)
		}
	}
	if to.echo && called && m.Reasoning != "" {
		v.load.reasoning = true
		v.load.tokens += c.count(m.Reasoning)
	}
	v.tokens += v.load.tokens
	if !calls {
		v.text += v.load.tokens // It goes when the text is cut.
	}
}

// countKeys counts what a message carries. Encrypted reasoning counts nothing: how much is in it is not known, and
// servers drop it where its turn is over.
func (c *Conversation) countKeys(raw string) int {
	if raw == "" {
		return 0
	}
	if CarriesEncrypted(raw) {
		raw = encryptedReasoning.ReplaceAllString(raw, "")
	}
	return c.count(raw)
}

// CarriesEncrypted reports whether the keys of an answer hold reasoning that only its server can read.
func CarriesEncrypted(replay string) bool {
	return strings.Contains(replay, `"responses_reasoning"`) && encryptedReasoning.MatchString(replay)
}

// encryptedReasoning is a value in an item of the Responses API.
var encryptedReasoning = regexp.MustCompile(`"encrypted_content":"[^"]*"`)

// unload takes from a candidate what it carries.
func (v *candidate) unload() {
	v.tokens -= v.load.tokens
	if !v.calls {
		v.text -= v.load.tokens
	}
	v.load = load{}
}

// alone is what a rendering costs in the recalled block, which carries nothing.
func (v *candidate) alone(f rendering) int {
	if f.tokens > 0 && (v.calls || f.shortened.whole()) {
		return f.tokens - v.load.tokens
	}
	return f.tokens
}

// messageWith is the candidate as a message with that text, and with what it carries.
func (v *full) messageWith(text string) Message {
	m := v.Message
	carries := text == v.Content || len(v.ToolCalls) > 0
	m.Content = text
	if !v.load.reasoning || !carries {
		m.Reasoning = ""
	}
	if !v.load.keys || !carries {
		m.Replay = ""
	}
	if !v.load.keys && slices.ContainsFunc(m.ToolCalls, func(c ToolCall) bool { return c.Replay != "" }) {
		m.ToolCalls = slices.Clone(m.ToolCalls)
		for k := range m.ToolCalls {
			m.ToolCalls[k].Replay = ""
		}
	}
	if m.Status == Interrupted || m.Status == Streaming {
		m.Status = Complete // Its text says that it broke off, or is cut and says that.
	}
	return m
}
