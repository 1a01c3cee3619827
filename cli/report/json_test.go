package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm/pricing"
)

func TestJSONFollowsItsRule(t *testing.T) {
	type Inner struct{ HTMLPart string }
	value := struct {
		Inner
		ToolCallID string
		Named      int `json:"other,omitempty"`
		hidden     int
		Left       int `json:"-"`
		At, Never  time.Time
		Took       time.Duration
		Why        history.Cause
		Limit      int
		Cost       pricing.Money
		List       []string
		Data       []byte
		Next       *Inner
		By         map[string]bool
	}{
		Inner: Inner{"a\x1b[2Jb sk-secret"}, ToolCallID: "c", hidden: 1, At: time.Unix(0, 0), Took: 2 * time.Second,
		Why: history.Cause{Text: "because"}, Limit: history.NoLimit, Cost: pricing.Dollar / 4, Data: []byte("x"),
		By: map[string]bool{"z": true, "a": false},
	}
	p := &Page{Clean: func(text string) string { return strings.ReplaceAll(text, "sk-secret", "[redacted]") }}
	got, err := p.JSON(value)
	const want = `{
  "html_part": "a\u001b[2Jb [redacted]",
  "tool_call_id": "c",
  "other": 0,
  "at": "1970-01-01T00:00:00Z",
  "never": null,
  "took_ms": 2000,
  "why": "because",
  "limit": null,
  "cost": 0.25,
  "list": [],
  "next": null,
  "by": {
    "a": false,
    "z": true
  }
}
`
	if err != nil || got != want || !json.Valid([]byte(got)) {
		t.Errorf("%v; got\n%s\nwant\n%s", err, got, want)
	}
}
