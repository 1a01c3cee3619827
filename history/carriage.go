package history

import (
	"regexp"
	"slices"
	"strings"
)

// Beside its text an answer may have what its server wants returned: the model's reasoning, and keys that only that
// server understands, such as a signature of the reasoning. They go back with the message they came with, or not at
// all:
//
//   - keys to the endpoint and model that sent them, and nowhere else;
//   - reasoning where the endpoint asks for it, in a turn that called tools, from the first call on;
//   - a message that makes calls carries both whatever is cut of its text, because servers refuse the calls without
//     them. An answer without calls carries them only while its text is whole;
//   - calls that are sent as text carry nothing, nor does an answer that broke off or that is joined to its neighbour.

// carriage says what of its own an endpoint gets back.
type carriage struct {
	to     Origin // whose own it is, zero for nobody
	keys   bool   // the keys that only the server knows
	echo   bool   // the reasoning
	merges bool   // neighbouring answers are joined, so that answers without calls carry nothing
}

func carriageOf(o Options) carriage {
	return carriage{o.To, !o.Profile.NoReplay, o.Profile.EchoReasoning, o.Profile.MergeSameRole}
}

// load is what a candidate carries beside its text, and what that costs.
type load struct {
	keys      bool // its own keys and those of its calls
	reasoning bool
	carried   int // tokens
}

// carry decides what each candidate carries. Of the messages that the user chose something else for, the cost is
// already
// known that they would have without it.
func (t *thread) carry(otherwise map[int]Message, count Counter) {
	called := false // in the turn at hand
	for i := range t.candidates {
		v := &t.candidates[i]
		calls := len(v.ToolCalls) > 0
		called = called && v.Role != User || calls
		if v.StandIn || v.Role != Assistant || v.Origin != t.to || t.to == (Origin{}) {
			continue
		}
		if !calls && (t.merges || v.Joins || v.BrokeOff()) {
			continue
		}
		if t.keys {
			v.keys, v.carried = true, countKeys(v.Replay, count)
			for _, call := range v.ToolCalls {
				v.carried += countKeys(call.Replay, count)
			}
		}
		if t.echo && called && v.Reasoning != "" {
			v.reasoning = true
			v.carried += count(v.Reasoning)
		}
		v.tokens += v.carried
		if !calls {
			v.text += v.carried // It goes when the text is cut.
		}
		if _, chosen := otherwise[v.From]; !chosen {
			t.entries[v.From].TokensBefore += v.carried
		}
	}
}

// countKeys counts what a message carries. Encrypted reasoning counts nothing: how much is in it is not known, and
// servers drop it where its turn is over.
func countKeys(raw string, count Counter) int {
	if raw == "" {
		return 0
	}
	if CarriesEncrypted(raw) {
		raw = encryptedReasoning.ReplaceAllString(raw, "")
	}
	return count(raw)
}

// CarriesEncrypted reports whether the keys of an answer hold reasoning that only its server can read.
func CarriesEncrypted(replay string) bool {
	return strings.Contains(replay, `"responses_reasoning"`) && encryptedReasoning.MatchString(replay)
}

// encryptedReasoning is a value in an item of the Responses API.
var encryptedReasoning = regexp.MustCompile(`"encrypted_content":"[^"]*"`)

// alone is what a rendering costs in the recalled block, which carries nothing.
func (v *candidate) alone(f rendering) int {
	if f.tokens > 0 && (len(v.ToolCalls) > 0 || f.whole()) {
		return f.tokens - v.carried
	}
	return f.tokens
}

// messageWith is the candidate as a message with what a rendering shows of it, and with what it carries.
func (v *candidate) messageWith(f rendering) Message {
	m := v.Message
	carries := f.text == v.Content || len(v.ToolCalls) > 0
	m.Content, m.Parts = f.text, f.parts
	if !v.reasoning || !carries {
		m.Reasoning = ""
	}
	if !v.keys || !carries {
		m.Replay = ""
	}
	if !v.keys && slices.ContainsFunc(m.ToolCalls, func(c ToolCall) bool { return c.Replay != "" }) {
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
