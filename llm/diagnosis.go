package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Diagnosis is what a server says of how it found the beginning of a request in its cache, compared with an earlier
// request.
type Diagnosis struct {
	Hit    bool   // it found what could be expected
	Reason string // why it did not, in the server's words, such as "tools_changed"; "" where it does not say
	Missed int    // about how many tokens it did not find therefore, 0 where it does not say
}

// answerKeys are those of an answer's unknown keys that say something to the request after it.
type answerKeys struct {
	Chunk struct {
		ID        string          `json:"id"`
		OpenAI    json.RawMessage `json:"prompt_cache_diagnostics"`
		Anthropic json.RawMessage `json:"diagnostics"`
	} `json:"chunk"`
}

// AnswerID is the id that a server gave an answer, out of the answer's unknown keys; "" where it was not kept.
func AnswerID(extra json.RawMessage) string {
	var keys answerKeys
	if json.Unmarshal(extra, &keys) != nil || len(keys.Chunk.ID) > 200 {
		return ""
	}
	return keys.Chunk.ID
}

// RawDiagnosis is the part of an answer's unknown keys that holds a diagnosis, as the server wrote it; "" for none.
func RawDiagnosis(extra json.RawMessage) string {
	const most = 4 << 10 // bytes that are kept
	var keys answerKeys
	_ = json.Unmarshal(extra, &keys) // "" has none.
	for _, raw := range []json.RawMessage{keys.Chunk.OpenAI, keys.Chunk.Anthropic} {
		if len(raw) <= most && bytes.HasPrefix(raw, []byte{'{'}) {
			return string(raw)
		}
	}
	return ""
}

// ReadDiagnosis reads what RawDiagnosis gave. It is false where the server says nothing of use: that it cannot
// compare, or has not finished yet.
func ReadDiagnosis(raw string) (d Diagnosis, says bool) {
	var said struct {
		Type   string `json:"type"` // OpenAI
		Reason string `json:"reason"`
		Missed int    `json:"cache_missed_tokens"`
		Miss   *struct {
			Type   string `json:"type"`
			Missed int    `json:"cache_missed_input_tokens"`
		} `json:"cache_miss_reason"` // Anthropic
	}
	_ = decode([]byte(raw), &said) // "" says nothing.
	switch {
	case said.Miss != nil:
		d.Reason, d.Missed = said.Miss.Type, max(0, said.Miss.Missed)
	case said.Type == "cache_hit" || said.Type == "cache_miss":
		d = Diagnosis{said.Type == "cache_hit", said.Reason, max(0, said.Missed)}
	default:
		d.Reason, d.Missed = said.Type, max(0, said.Missed)
	}
	switch d.Reason {
	case "", "unavailable", "comparison_response_not_found", "previous_message_not_found":
		return d, d.Hit
	}
	return d, true
}

// String is the diagnosis as a sentence without its full stop, with the reason in the server's words.
func (d Diagnosis) String() string {
	if d.Hit {
		return "the server says that it found what it could in its cache"
	}
	missed := ""
	if d.Missed > 0 {
		missed = fmt.Sprintf(" (~%s tokens missed)", comma(d.Missed))
	}
	return "the server says about its cache: " + oneLine(strings.ReplaceAll(d.Reason, "_", " "), 80) + missed
}
