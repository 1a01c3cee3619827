package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// Event is a piece of an answer, or its usage.
type Event struct {
	Channel Channel
	Text    string          // the next piece of the channel
	ID      string          // the call's ID, sent once
	Name    string          // the call's name, sent once
	Usage   json.RawMessage // token counts, with the keys of Chat Completions or Responses; nil for a piece
}

// Channel identifies one of the texts of an answer: the reasoning, the text, or the arguments of a call. Call i, from
// 0, is FirstCallChannel+i.
type Channel int

// The channels.
const (
	ReasoningChannel Channel = iota
	TextChannel
	FirstCallChannel
)

// Answer decodes one streamed answer.
type Answer struct {
	FinishReason string // finish_reason in terms of Chat Completions, "" for none yet
	Began        bool   // part of it was read, so the server does speak this format
	Done         bool   // the server declared it complete; nothing after that counts

	format    Format
	events    []Event // not returned by Events yet
	think     thinking
	calls     calls
	responses responsesItems
	textChunk textChunk // Chat Completions: the form of the last chunk

	kept      replayKeys         // unknown keys of the message
	keptCalls map[int]replayKeys // and of each call, by index
}

// NewAnswer returns a decoder for a format.
func NewAnswer(f Format) *Answer {
	return &Answer{
		format:    f,
		keptCalls: make(map[int]replayKeys),
		calls:     calls{byIndex: make(map[int]int)},
		responses: responsesItems{
			byKey: make(map[string]*responsesItem), ends: make(map[Channel]paragraph),
		},
	}
}

// Feed decodes the data of an event. The error is a Refusal, or a *json.SyntaxError. Values of unexpected types are
// skipped.
func (a *Answer) Feed(data []byte) error {
	if text, ok := a.textChunk.text(data); ok {
		a.addContent(text, false)
		return nil
	}
	if !isObject(data) {
		var list []envelope // Gemini sends errors as a list
		if json.Unmarshal(data, &list) == nil && len(list) > 0 && list[0].isError() {
			return Refusal(data)
		}
		return nil
	}
	var e envelope
	if bytes.Contains(data, []byte(`"error"`)) {
		_ = json.Unmarshal(data, &e) // Invalid JSON is detected below.
	}
	if e.isError() {
		return Refusal(data)
	}
	part, err := a.read(data)
	if part {
		a.Began = true
		return err
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &e); errors.As(err, &syntax) {
		return err
	}
	if e.Message != nil || e.Detail != nil || e.Errors != nil {
		return Refusal(data)
	}
	return nil
}

// read decodes an event, and reports whether it is part of an answer.
func (a *Answer) read(data []byte) (part bool, err error) {
	switch a.format {
	case Responses:
		return a.readResponses(data)
	case Ollama:
		return a.readOllama(data), nil
	}
	return a.readChat(data)
}

// envelope has the keys that mark an event of any format as an error. Message, Detail and Errors do so only if the
// event is not part of an answer.
type envelope struct {
	Object  string          `json:"object"`
	Type    string          `json:"type"`
	Error   json.RawMessage `json:"error"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
	Errors  json.RawMessage `json:"errors"`
}

func (e envelope) isError() bool {
	return !isBlank(e.Error) || e.Object == "error" || e.Type == "error"
}

// Events returns the events since the last call.
func (a *Answer) Events() []Event {
	events := a.events
	a.events = nil
	return events
}

// Flush ends the answer, and returns the events since the last call of Events, with text that was held back because it
// could have become a tag.
func (a *Answer) Flush() []Event {
	a.addContent("", true)
	return a.Events()
}

// Extra returns the unknown keys of the answer as one object, nil if there are none: those of the message under
// "message", and those of its calls under "tool_calls", by index.
func (a *Answer) Extra() json.RawMessage {
	if len(a.kept)+len(a.keptCalls) == 0 {
		return nil
	}
	raw, _ := EncodeJSON(struct { // It contains only decoded JSON.
		Message replayKeys         `json:"message,omitempty"`
		Calls   map[int]replayKeys `json:"tool_calls,omitempty"`
	}{a.kept, a.keptCalls})
	return raw
}

// addContent adds a piece of the content, which may contain reasoning. With last, no tag can follow.
func (a *Answer) addContent(piece string, last bool) {
	thought, text := a.think.add(piece, last)
	a.add(ReasoningChannel, thought)
	a.add(TextChannel, text)
}

// add adds a piece to a channel. It extends the last event if that belongs to the same channel.
func (a *Answer) add(to Channel, piece string) {
	last := len(a.events) - 1
	switch {
	case piece == "":
	case last >= 0 && a.events[last].Channel == to && a.events[last].Usage == nil:
		a.events[last].Text += piece
	default:
		a.events = append(a.events, Event{Channel: to, Text: piece})
	}
}

// addUsage adds the usage that the server reports.
func (a *Answer) addUsage(usage json.RawMessage) {
	if isObject(usage) {
		a.events = append(a.events, Event{Usage: usage})
	}
}

// addMessage adds a message, or a delta of one, of Chat Completions or Ollama.
func (a *Answer) addMessage(m fields) {
	visible, thought := texts(m["content"])
	// If several keys hold reasoning, it is the same.
	a.add(
		ReasoningChannel, cmp.Or(m.text("reasoning_content"), m.text("reasoning"), m.text("thinking"))+thought,
	)
	a.addContent(visible+m.text("refusal"), false)
	var calls []fields
	_ = json.Unmarshal(m["tool_calls"], &calls) // An invalid call stays nil.
	for _, call := range calls {
		if call != nil {
			a.addMessageCall(call)
		}
	}
	a.kept = a.kept.withUnknown(m, messageKeys)
}

func (a *Answer) addMessageCall(call fields) {
	var function fields
	_ = json.Unmarshal(call["function"], &function)
	f := fragment{
		index: -1, id: call.text("id"), name: function.text("name"), arguments: function.text("arguments"),
	}
	if n, err := strconv.Atoi(string(call["index"])); err == nil && n >= 0 {
		f.index = n
	}
	if isObject(function["arguments"]) {
		f.arguments = string(function["arguments"]) // from a server that does not stream arguments
	}
	if a.format == Ollama { // Calls are not streamed; old servers send no ID.
		f.index, f.id = len(a.calls.all), cmp.Or(f.id, newCallID())
	}
	at := a.addCall(f)
	if k := a.keptCalls[at].withUnknown(call, callKeys); k != nil {
		a.keptCalls[at] = k
	}
}

// texts returns a content as text and reasoning. It is a string, or a list of parts of either kind.
func texts(content json.RawMessage) (visible, thought string) {
	if json.Unmarshal(content, &visible) == nil {
		return visible, ""
	}
	var parts []struct {
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	_ = json.Unmarshal(content, &parts) // Anything else stays nil.
	for _, p := range parts {
		inner, _ := texts(p.Thinking)
		visible, thought = visible+p.Text, thought+inner
	}
	return visible, thought
}

// fields is a JSON object with undecoded values.
type fields map[string]json.RawMessage

// text returns a string, "" if the value is of another type.
func (f fields) text(key string) (s string) {
	_ = json.Unmarshal(f[key], &s)
	return s
}

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// isBlank reports whether a value is empty. Some servers send an empty error with each chunk.
func isBlank(raw json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "false", "{}"}, string(raw))
}

// replayKeys is provider data: the unknown keys of a message or a call, with undecoded values.
type replayKeys map[string]json.RawMessage

// withUnknown adds the keys of an object that are not known.
func (k replayKeys) withUnknown(object fields, known []string) replayKeys {
	for key, value := range object {
		if !slices.Contains(known, key) {
			k = k.with(key, value)
		}
	}
	return k
}

// with adds the value of a key. Pieces of a list are joined. Of other values the last one counts, because some servers
// send a new one with every chunk.
func (k replayKeys) with(key string, value json.RawMessage) replayKeys {
	if string(value) == "null" || len(bytes.Trim(value, "[]"+blanks)) == 0 {
		return k
	}
	if k == nil {
		k = make(replayKeys)
	}
	if before := k[key]; len(before) > 0 && before[0] == '[' && value[0] == '[' {
		before[len(before)-1] = ','
		value = append(before, value[1:]...)
	}
	k[key] = value
	return k
}
