package watch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"winnow/llm/pricing"
	"winnow/llm/wire"
)

// ReadAnswer reads the body of an answer of any form that is read, streamed or not. Of an answer that broke off it
// returns what there is.
func ReadAnswer(w Wire, contentType string, body []byte) Answer {
	a := Answer{Usage: pricing.NoUsage()}
	if w == NotRead {
		return a
	}
	events := [][]byte{body}
	if strings.HasPrefix(contentType, "text/event-stream") || !json.Valid(body) {
		lines, _ := io.ReadAll(wire.NewSSEReader(bytes.NewReader(body))) // What came before an error counts.
		events = bytes.Split(lines, []byte("\n"))
	}
	usage := make(map[string]json.RawMessage)
	var text strings.Builder
	for _, raw := range events {
		raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("data: ")))
		if !json.Valid(raw) {
			continue
		}
		e := value{raw: raw}
		all := e.parts()
		for _, v := range []value{e, all.get("message", "response"), all.get("delta")} {
			part := v.parts()
			a.read(part, &text)
			for _, u := range part.get("usage").parts() {
				if string(u.raw) != "null" {
					usage[u.name] = u.raw
				}
			}
		}
	}
	a.Text = text.String()
	raw, _ := json.Marshal(usage) // Its values are valid JSON.
	if u, ok := pricing.ReadUsage(raw); ok {
		a.Usage = u
	}
	return a
}

// read reads an event, or the object in it that says more about the answer, and appends to the answer's text.
func (a *Answer) read(all values, text *strings.Builder) {
	a.ID = cmp.Or(a.ID, all.get("id").str())
	a.Model = cmp.Or(a.Model, all.get("model").str())
	word := all.get("diagnostics.cache_miss_reason", "prompt_cache_diagnostics")
	a.Word = cmp.Or(word.word(), a.Word)
	failed := all.get("error.error.message", "error.message", "error", "detail", "message")
	if failed.name != "message" || failed.isString() {
		a.Failed = cmp.Or(failed.text(), a.Failed)
	}

	switch all.get("type").str() {
	case "response.output_text.delta", "response.refusal.delta":
		text.WriteString(all.get("delta").str())
	case "text_delta":
		text.WriteString(all.get("text").str())
	}
	ended := all.get("stop_reason", "incomplete_details.reason", "status").str()
	for _, c := range all.get("choices").parts() {
		choice := c.parts()
		if n := choice.get("index").text(); n != "" && n != "0" {
			continue
		}
		ended = choice.get("finish_reason").str()
		said := choice.get("delta.content", "message.content", "delta.refusal", "message.refusal")
		text.WriteString(said.prose())
	}
	if ended != "in_progress" && ended != "queued" {
		a.Stop = cmp.Or(ended, a.Stop)
	}
	if text.Len() == 0 {
		text.WriteString(wholeText(all))
	}
}

// wholeText returns the text of an answer of Messages or of the Responses API that was not streamed.
func wholeText(all values) string {
	parts := all.get("content").parts()
	for _, item := range all.get("output").parts() {
		if item := item.parts(); item.get("type").str() == "message" {
			parts = append(parts, item.get("content").parts()...)
		}
	}
	var text string
	for _, p := range parts {
		text += p.parts().get("text", "refusal").str()
	}
	return text
}

// word returns what a server says about its cache as one line: a string, or the members of an object.
func (v value) word() string {
	var all []string
	for _, m := range v.parts() {
		word := m.text()
		if m.name != "type" && m.name != "message" {
			word = m.name + " " + word
		}
		all = append(all, word)
	}
	return cmp.Or(strings.Join(all, ", "), v.text())
}
