package watch

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// WireOf returns the form of a request from its method and its path without a query.
func WireOf(method, path string) Wire {
	for end, w := range map[string]Wire{"/chat/completions": Chat, "/responses": Responses, "/messages": Messages} {
		if method == "POST" && strings.HasSuffix("/"+strings.TrimRight(path, "/"), end) {
			return w
		}
	}
	return NotRead
}

// keyedParams are the parameters beside tools and messages on which a server's cache depends.
var keyedParams = map[Wire]string{
	Chat: "model reasoning_effort reasoning.effort response_format verbosity " +
		"parallel_tool_calls service_tier prompt_cache_key",
	Responses: "model reasoning.effort text.format text.verbosity context_management " +
		"parallel_tool_calls service_tier prompt_cache_key",
	Messages: "model output_config.effort output_config.format output_format " +
		"thinking tool_choice speed",
}

// kinds are the kinds of blocks by the role of a message, by its member, or by the type of a part.
var kinds = map[string]Kind{
	"system": System, "developer": System, "assistant": Assistant, "tool": Result, "function": Result,
	"reasoning_content": Reasoning, "reasoning": Reasoning, "reasoning_details": Reasoning,
	"tool_calls": Call, "tools": Tool,
	"thinking": Reasoning, "redacted_thinking": Reasoning,
	"image": Image, "image_url": Image, "input_image": Image,
}

// members are the members of a message that are split into blocks, in the order in which servers read them.
var members = []string{"reasoning_content", "reasoning", "reasoning_details", "content", "tool_calls", "tools"}

// marks are the members that say where a cached beginning may end. They are not part of what is cached.
var marks = []string{"cache_control", "prompt_cache_breakpoint"}

// reader collects the blocks of one request.
type reader struct {
	Request
	tools map[string]string // names by the IDs of their calls
}

// Read reads the body of a request. Parts of an unknown kind become blocks with their JSON as text, so that none is
// lost. The error says that the body is not a JSON object.
func Read(w Wire, body []byte) (Request, error) {
	from := bytes.IndexByte(body, '{')
	if !json.Valid(body) || from < 0 || len(bytes.TrimSpace(body[:from])) > 0 {
		return Request{}, errors.New("the body of the request is not a JSON object")
	}
	top := value{raw: body[from:], from: from}.parts()
	r := reader{tools: make(map[string]string), Request: Request{
		Wire: w, Model: top.get("model").str(), Params: make(map[string]string),
		Thread: threadOf(top), After: top.get("previous_response_id").str(),
	}}
	for _, name := range strings.Fields(keyedParams[w]) {
		if v := top.get(name); v.raw != nil {
			r.Params[name] = v.compact()
		}
	}
	keep := top.get("prompt_cache_options.ttl", "prompt_cache_retention").str()
	r.Retain, _ = time.ParseDuration(keep) // 0 for "in_memory", the default.
	for _, t := range top.get("tools").list() {
		r.add(Tool, -1, nil, t)
	}
	for _, p := range top.get("system", "instructions").list() {
		r.add(System, -1, nil, p)
	}
	for i, m := range top.get("messages", "input").list() {
		r.message(i, m)
	}
	if n := len(r.Blocks); n > 0 && r.Blocks[n-1].TTL == "" {
		r.Blocks[n-1].TTL = top.ttl()
	}
	return r.Request, nil
}

// threadOf returns the client's id of the conversation, "" for none.
func threadOf(top values) string {
	user := top.get("metadata.user_id").str()
	_, session, _ := strings.Cut(user, "_session_") // Claude Code
	if json.Valid([]byte(user)) {
		session = value{raw: []byte(user)}.parts().get("session_id").str()
	}
	return cmp.Or(session, top.get("conversation.id", "conversation", "metadata.sessionId", "prompt_cache_key").str())
}

// message reads a message of Chat Completions or Messages, or an input item of the Responses API.
func (r *reader) message(i int, m value) {
	all, before := m.parts(), len(r.Blocks)
	role := all.get("role").str()
	kind := cmp.Or(kinds[role], User)
	if role == "" && all != nil {
		kind = kindOf(m, Assistant)
	}
	if kind == User || kind == System || kind == Assistant {
		rest := m.keyed(false, members...)
		for _, name := range members {
			for _, p := range all.get(name).list() {
				r.add(cmp.Or(kinds[name], kindOf(p, kind)), i, rest, p)
			}
		}
	}
	if len(r.Blocks) == before {
		r.add(kind, i, nil, m)
	}
}

// kindOf returns the kind of a part by its type, else other. A call without a call_id was run by the server itself.
func kindOf(p value, other Kind) Kind {
	name := p.parts().get("type").str()
	switch {
	case strings.HasSuffix(name, "_call") && p.parts().get("call_id").isString(), strings.HasSuffix(name, "tool_use"):
		return Call
	case strings.HasSuffix(name, "_output"), strings.HasSuffix(name, "tool_result"):
		return Result
	}
	return cmp.Or(kinds[name], other)
}

// add adds a block. rest is what the cache sees of the rest of its message.
func (r *reader) add(kind Kind, message int, rest []byte, v value) {
	all := v.parts()
	inner := slices.Concat(all, all.get("function", "custom").parts())
	id := all.get("call_id", "tool_use_id", "tool_call_id", "id").str()
	name := inner.get("name", "type").str()
	key := fmt.Appendf(nil, "%s\n%s\n%s", kind, rest, v.keyed(true))
	b := Block{
		Kind: kind, Place: strings.ReplaceAll(v.place[1:], ".[", "["), Message: message,
		Text: v.prose(), TTL: all.ttl(), Key: fmt.Sprintf("%x", sha256.Sum256(key)),
		From: v.from, To: v.from + len(v.raw),
	}
	switch kind {
	case Tool:
		b.Name, b.Text = name, v.compact()
		b.Unkeyed = inner.get("defer_loading").compact() == "true"
	case System:
		b.Unkeyed = strings.HasPrefix(b.Text, "x-anthropic-billing-header:")
	case Reasoning:
		b.Text = cmp.Or(all.get("summary").prose(), b.Text)
	case Call:
		b.Name, b.ID = name, id
		b.Text = inner.get("arguments", "input", "action", "operation").text()
		r.tools[id] = name
	case Result:
		b.Name, b.ID = cmp.Or(r.tools[id], all.get("name").str()), id
		content := all.get("content", "output")
		b.Text = cmp.Or(content.prose(), b.Text)
		for _, p := range content.list() {
			b.TTL = cmp.Or(b.TTL, p.parts().ttl())
		}
	}
	r.Blocks = append(r.Blocks, b)
}

// ttl returns how long a cache_control keeps the prompt up to here, "" for none.
func (vs values) ttl() string {
	if c := vs.get("cache_control"); c.raw != nil {
		return cmp.Or(c.parts().get("ttl").str(), "5m")
	}
	return ""
}

// keyed returns what a server's cache sees of a value, without some of its members. A text part is the same as its text
// alone; so are the parts of its content if deep is true.
func (v value) keyed(deep bool, without ...string) []byte {
	if v.raw[0] != '{' {
		return canonical(v.raw)
	}
	seen := slices.DeleteFunc(v.parts(), func(m value) bool {
		return slices.Contains(marks, m.name) || slices.Contains(without, m.name)
	})
	if text := seen.get("text"); len(seen) == 2 && text.isString() && seen.get("type").isString() {
		return canonical(text.raw)
	}
	var out []byte
	for _, m := range seen {
		out = fmt.Appendf(out, "%q:", m.name)
		if !deep || m.name != "content" {
			out = append(out, canonical(m.raw)...)
			continue
		}
		for _, p := range m.list() {
			out = append(append(out, p.keyed(false)...), ',')
		}
	}
	return out
}

// Cuts returns where a body of this size is cut into spans: at the ends of blocks, and last at size. Requests that
// begin alike have the same spans up to the first difference.
func Cuts(r Request, size int) []int {
	const least = 1024 // bytes of a span
	var ends, cuts []int
	for _, b := range r.Blocks {
		ends = append(ends, b.To)
	}
	slices.Sort(ends)
	next := least
	for _, end := range ends {
		if end >= next && end < size {
			cuts = append(cuts, end)
			next = end + least
		}
	}
	return append(cuts, size)
}
