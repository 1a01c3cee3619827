package llm

import (
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
	var keys answerKeys
	if json.Unmarshal(extra, &keys) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{keys.Chunk.OpenAI, keys.Chunk.Anthropic} {
		if len(raw) <= diagnosisMax && isObject(raw) {
			return string(raw)
		}
	}
	return ""
}

// diagnosisMax is the longest diagnosis that is kept, in bytes.
const diagnosisMax = 4 << 10

// ReadDiagnosis reads what RawDiagnosis gave. It is false where the server says nothing of use: that it cannot
// compare, or has not finished yet.
func ReadDiagnosis(raw string) (Diagnosis, bool) {
	if raw == "" {
		return Diagnosis{}, false
	}
	var d Diagnosis
	all := object(decoded(json.RawMessage(raw)))
	kind, _ := all["type"].(string)
	if reason := object(all["cache_miss_reason"]); reason != nil { // Anthropic
		d.Reason, _ = reason["type"].(string)
		d.Missed = max(0, count(reason["cache_missed_input_tokens"]))
	} else { // OpenAI
		d.Hit = kind == "cache_hit"
		d.Missed = max(0, count(all["cache_missed_tokens"]))
		if d.Reason, _ = all["reason"].(string); kind != "cache_hit" && kind != "cache_miss" {
			d.Reason = kind
		}
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
