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

// RawDiagnosis is the part of an answer's unknown keys that holds a diagnosis, as the server wrote it; "" for none.
func RawDiagnosis(extra json.RawMessage) string {
	var keys struct {
		Chunk struct {
			OpenAI    json.RawMessage `json:"prompt_cache_diagnostics"`
			Anthropic json.RawMessage `json:"diagnostics"`
		} `json:"chunk"`
	}
	if json.Unmarshal(extra, &keys) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{keys.Chunk.OpenAI, keys.Chunk.Anthropic} {
		if len(raw) > 0 && len(raw) <= diagnosisMax && object(decoded(raw)) != nil {
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

// reasons are the reasons of servers in words.
var reasons = map[string]string{
	"model_changed":            "another model answered",
	"system_changed":           "the system prompt changed",
	"tools_changed":            "the tools changed",
	"messages_changed":         "earlier messages changed",
	"input_changed":            "earlier messages or the system prompt changed",
	"prompt_cache_key_changed": "the cache key changed",
	"service_tier_changed":     "the service tier changed",
	"text_format_changed":      "the format of the answer changed",
	"reasoning_effort_changed": "the reasoning effort changed",
	"verbosity_changed":        "the verbosity changed",
	"context_compacted":        "the conversation was summarised",
}

// String is the diagnosis as a sentence without its full stop. Reasons that are not known stay in the server's
// words.
func (d Diagnosis) String() string {
	if d.Hit {
		return "the server says that it found what it could in its cache"
	}
	reason := reasons[d.Reason]
	if reason == "" {
		reason = oneLine(strings.ReplaceAll(d.Reason, "_", " "), 80)
	}
	missed := ""
	if d.Missed > 0 {
		missed = fmt.Sprintf(" (~%s tokens missed)", comma(d.Missed))
	}
	return "the server says about its cache: " + reason + missed
}

// AnswerID is the id that a server gave an answer, out of the answer's unknown keys; "" where it was not kept.
func AnswerID(extra json.RawMessage) string {
	var keys struct {
		Chunk struct {
			ID string `json:"id"`
		} `json:"chunk"`
	}
	if json.Unmarshal(extra, &keys) != nil || len(keys.Chunk.ID) > 200 {
		return ""
	}
	return keys.Chunk.ID
}
