package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// Event is a piece of an answer.
type Event struct {
	Channel Channel
	Text    string          // a piece of what comes on the channel
	ID      string          // of a call, once
	Name    string          // of a call, once
	Usage   json.RawMessage // the counts of tokens, in the words of Chat Completions or of Responses; nil for a piece
}

// Channel is one of the texts of an answer. The arguments of the calls follow the constants: the call with the index
// i, from 0, is Calls+i.
type Channel int

// The channels.
const (
	ReasoningChannel Channel = iota
	TextChannel
	FirstCallChannel
)

// Answer is one answer as far as it came.
type Answer struct {
	FinishReason string // the reason of its end in the words of Chat Completions, "" for none yet
	Began        bool   // a part of it came: the server does speak this format
	Done         bool   // the server said that it is complete: nothing that follows counts

	format    Format
	events    []Event // not given yet
	think     thinking
	calls     calls
	responses responsesItems
	textChunk textChunk // of Chat Completions: how the last chunk looked

	kept      replayKeys         // the unknown keys of the message
	keptCalls map[int]replayKeys // and of each call
}

// NewAnswer begins the reading of an answer.
func NewAnswer(f Format) *Answer {
	return &Answer{
		format:    f,
		keptCalls: make(map[int]replayKeys),
		calls:     calls{byIndex: make(map[int]int)},
		responses: responsesItems{byKey: make(map[string]*responsesItem), ends: make(map[Channel]paragraph)},
	}
}

// Take takes the data of an event. The error is a Refusal, or a *json.SyntaxError of an object that is none. A value
// of another type than expected is left out.
func (a *Answer) Feed(data []byte) error {
	if text, ok := a.textChunk.text(data); ok {
		a.addContent(text, false)
		return nil
	}
	if !isObject(data) {
		var list []envelope // as Gemini sends errors; a ping or a number is none
		if json.Unmarshal(data, &list) == nil && len(list) > 0 && list[0].isError() {
			return Refusal(data)
		}
		return nil
	}
	var e envelope
	if bytes.Contains(data, []byte(`"error"`)) {
		_ = json.Unmarshal(data, &e) // What is no JSON is found below.
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

// read takes an event if it is a part of an answer.
func (a *Answer) read(data []byte) (part bool, err error) {
	switch a.format {
	case Responses:
		return a.readResponses(data)
	case Ollama:
		return a.readOllama(data), nil
	}
	return a.readChat(data)
}

// envelope has the keys that mark an event of any format as an error. Message, Detail and Errors mark one only if the
// event is no part of an answer.
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

// Events gives the events that were not given yet.
func (a *Answer) Events() []Event {
	events := a.events
	a.events = nil
	return events
}

// End gives what was held back because a tag could have followed.
func (a *Answer) Flush() []Event {
	a.addContent("", true)
	return a.Events()
}

// Extra is what of the answer winnow has no words for, as one object, nil for none: under "message" keys of the
// message, and under "tool_calls" those of the calls by their index.
func (a *Answer) Extra() json.RawMessage {
	if len(a.kept)+len(a.keptCalls) == 0 {
		return nil
	}
	raw, _ := EncodeJSON(struct { // Only values that were read from JSON are in it.
		Message replayKeys         `json:"message,omitempty"`
		Calls   map[int]replayKeys `json:"tool_calls,omitempty"`
	}{a.kept, a.keptCalls})
	return raw
}

// content adds a piece of the text, which may hold reasoning. Behind the last one no tag follows.
func (a *Answer) addContent(piece string, last bool) {
	thought, text := a.think.add(piece, last)
	a.add(ReasoningChannel, thought)
	a.add(TextChannel, text)
}

// add adds a piece of the text or the reasoning to the event with the piece before it, if that was not given yet.
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

// counted adds what the server says of the usage.
func (a *Answer) addUsage(usage json.RawMessage) {
	if isObject(usage) {
		a.events = append(a.events, Event{Usage: usage})
	}
}

// message adds a message, or a piece of one, as Chat Completions and Ollama send it.
func (a *Answer) addMessage(m fields) {
	visible, thought := texts(m["content"])
	// If two keys have reasoning, it is the same.
	a.add(ReasoningChannel, cmp.Or(m.text("reasoning_content"), m.text("reasoning"), m.text("thinking"))+thought)
	a.addContent(visible+m.text("refusal"), false)
	var calls []fields
	_ = json.Unmarshal(m["tool_calls"], &calls) // What is no call stays nil.
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
	f := fragment{index: -1, id: call.text("id"), name: function.text("name"), arguments: function.text("arguments")}
	if n, err := strconv.Atoi(string(call["index"])); err == nil && n >= 0 {
		f.index = n
	}
	if isObject(function["arguments"]) {
		f.arguments = string(function["arguments"]) // from a server that does not stream them
	}
	if a.format == Ollama { // Each call comes whole, from old servers without an id.
		f.index, f.id = len(a.calls.all), cmp.Or(f.id, newCallID())
	}
	at := a.addCall(f)
	if k := a.keptCalls[at].withUnknown(call, callKeys); k != nil {
		a.keptCalls[at] = k
	}
}

// texts is a content as text: a string, or a list of parts of which some are thought.
func texts(content json.RawMessage) (visible, thought string) {
	if json.Unmarshal(content, &visible) == nil {
		return visible, ""
	}
	var parts []struct {
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	_ = json.Unmarshal(content, &parts) // What is no list stays nil.
	for _, p := range parts {
		inner, _ := texts(p.Thinking)
		visible, thought = visible+p.Text, thought+inner
	}
	return visible, thought
}

// fields is a JSON object with its values as they came, of which winnow does not know all keys.
type fields map[string]json.RawMessage

// text is a string, "" for anything else.
func (f fields) text(key string) (s string) {
	_ = json.Unmarshal(f[key], &s)
	return s
}

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// isBlank says that a value is none: some servers send an error with each chunk.
func isBlank(raw json.RawMessage) bool {
	return slices.Contains([]string{"", "null", `""`, "false", "{}"}, string(raw))
}

// kept is keys that are kept, with their values as they came.
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

// with adds the value of a key. Lists that come in pieces are joined; of anything else the last one counts, for some
// servers send a new one with every chunk.
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
