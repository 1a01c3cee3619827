package llm

import (
	"strings"

	"winnow/history"
)

// pick chooses one of n ways, from 0: a random one in a property, each in turn in a table.
type pick func(n int) int

// of chooses one of some texts.
func (p pick) of(texts ...string) string { return texts[p(len(texts))] }

// past is a conversation that is being damaged.
type past []history.Message

// insert puts messages in front of message at.
func (h past) insert(at int, m ...history.Message) past {
	return append(append(append(past(nil), h[:at]...), m...), h[at:]...)
}

// without leaves message at out.
func (h past) without(at int) past { return append(append(past(nil), h[:at]...), h[at+1:]...) }

// anywhere is a place between messages, the end included.
func (h past) anywhere(p pick) int { return p(len(h) + 1) }

// call is one of the messages with calls, and one of its calls. A conversation without one gets one.
func (h past) call(p pick) (past, int, int) {
	var heads []int
	for i, m := range h {
		if len(m.ToolCalls) > 0 {
			heads = append(heads, i)
		}
	}
	if len(heads) == 0 {
		at := h.anywhere(p)
		h = h.insert(at, group("call_new", "read", `{"path":"b.txt"}`, "there")...)
		return h, at, 0
	}
	at := heads[p(len(heads))]
	h = append(past(nil), h...)
	h[at].ToolCalls = append([]history.ToolCall(nil), h[at].ToolCalls...)
	return h, at, p(len(h[at].ToolCalls))
}

// result is one of the results. A conversation without one gets one.
func (h past) result(p pick) (past, int) {
	var results []int
	for i, m := range h {
		if m.Role == history.Tool {
			results = append(results, i)
		}
	}
	if len(results) == 0 {
		at := h.anywhere(p)
		return h.insert(at, group("call_new", "read", `{"path":"b.txt"}`, "there")...), at + 1
	}
	return append(past(nil), h...), results[p(len(results))]
}

// own is the origin of answers of the model that is asked; a target puts its own name there.
var own = history.Origin{Endpoint: "own", Model: targetModel}

// signature is what a model of Gemini wants back with its call.
const signature = `{"extra_content":{"google":{"thought_signature":"c2ln"}}}`

// group is a call with its result.
func group(id, name, arguments, result string) []history.Message {
	return []history.Message{
		{Role: history.Assistant, ToolCalls: []history.ToolCall{{ID: id, Name: name, Arguments: arguments, Replay: signature}}, Origin: own, Status: history.Complete},
		{Role: history.Tool, ToolCallID: id, Content: result, Status: history.Complete},
	}
}

// garbage is text that is none, in the ways in which it comes about.
func garbage(p pick) string {
	return p.of("a\xff\xfeb", "a\x00b", "\xe7\x8c", "\x00", "\xed\xa0\x80 half a pair", "latin \xe4\xf6\xfc")
}

// corruption is one way in which a tool history breaks. All of them are seen in the wild.
type corruption struct {
	kind string // of the catalogue that every repair is named for
	harm func(h past, p pick) past
}

var corruptions = []corruption{
	{"C1", func(h past, p pick) past {
		return h.rewrite(p, func(c *history.ToolCall) {
			c.Arguments = p.of(`{"path":"a.tx`, `{"path":"C:\Users\me"`, `{"path":`, `{path: 'a.txt',}`, "```json\n{\"path\":\"a\nb\"}\n```", `I would call read("a.txt")`, `{"a":[1,{"b":"\u12`, "{\"a\":\"\xff")
		})
	}},
	{"C2", func(h past, p pick) past {
		return h.rewrite(p, func(c *history.ToolCall) { c.Arguments = p.of("", " ", "\n\t", "\u00a0", "\ufeff") })
	}},
	{"C3", func(h past, p pick) past {
		return h.rewrite(p, func(c *history.ToolCall) {
			c.Arguments = p.of("null", "123", `"123"`, `["a"]`, "true", `"{\"path\":\"a.txt\"}"`, `"\"{}\""`, "1e400", "-0")
		})
	}},
	{"C4", func(h past, p pick) past {
		return h.rewrite(p, func(c *history.ToolCall) {
			c.Arguments = p.of(`{"a":1}{"b":2}`, `{}{}`, `{"a":1} {"b":2} {"c":3}`, `{"a":1}{"b":`, `{"a":1}[]`)
		})
	}},
	{"C5", func(h past, p pick) past {
		h, at := h.result(p)
		return h.without(at)
	}},
	{"C6", func(h past, p pick) past {
		if p(2) == 0 {
			return h.insert(h.anywhere(p), history.Message{Role: history.Tool, ToolCallID: p.of("gone", "", "call_0"), Content: "left behind", Status: history.Complete})
		}
		h, at, _ := h.call(p)
		return h.without(at)
	}},
	{"C7", func(h past, p pick) past {
		h, at, k := h.call(p)
		old := h[at].ToolCalls[k].ID
		id := p.of("call_0", "call_1", "", " ", "call 1", "кол", "c.1", "a/b:c", strings.Repeat("long_", 20), "1")
		h[at].ToolCalls[k].ID = id
		for i := at + 1; i < len(h) && h[i].Role == history.Tool; i++ {
			if h[i].ToolCallID == old && p(4) > 0 {
				h[i].ToolCallID = id
			}
		}
		if p(2) == 0 { // and the same result twice, or another one
			h = h.insert(at+1, history.Message{Role: history.Tool, ToolCallID: id, Content: p.of("hello", "another"), Status: history.Complete})
		}
		return h
	}},
	{"C8", func(h past, p pick) past {
		status := []history.Status{history.Interrupted, history.Failed, history.Complete, history.Streaming, history.Imported}[p(5)]
		return h.insert(h.anywhere(p), history.Message{Role: history.Assistant, Content: p.of("", " ", "\n\n", "\u00a0"), Status: status})
	}},
	{"C9", func(h past, p pick) past {
		h, at := h.result(p)
		h[at].Content = p.of("", " ", "\r\n")
		return h
	}},
	{"C10", func(h past, p pick) past {
		h, at := h.result(p)
		m := h[at]
		h = h.without(at)
		to := at + p(len(h)-at+1)
		original := history.Message{Role: []history.Role{history.User, history.Assistant, history.System}[p(3)], Content: "meanwhile", Status: history.Complete}
		return h.insert(to, original, m)
	}},
	{"C11", func(h past, p pick) past {
		h, at, k := h.call(p)
		c := &h[at].ToolCalls[k]
		switch p(5) {
		case 0:
			c.Name = p.of("", " ")
		case 1:
			c.ID = ""
		case 2:
			*c = history.ToolCall{Replay: c.Replay}
		case 3:
			c.Name, c.ID, h[at].Status = "", "", history.Interrupted
		default:
			c.Name = p.of("functions.read", "mcp/list files", "読む", strings.Repeat("tool", 40), "read\n", "$")
		}
		return h
	}},
	{"C12", func(h past, p pick) past {
		role := []history.Role{history.System, history.System, "critic", "developer", ""}[p(5)]
		return h.insert(h.anywhere(p), history.Message{Role: role, Content: p.of("Answer in French.", "", " "), Status: history.Complete})
	}},
	{"C13", func(h past, p pick) past {
		h, at := h.result(p)
		if p(6) == 5 {
			h[at].Parts = []history.Part{{Kind: history.ImagePart, Name: "plot.png", MediaType: "image/png", Data: []byte("PNG")}}
			return h
		}
		h[at].Content = p.of(strings.Repeat("\x00\x01\x02\xff", 2000), "\x7fELF\x02\x01\x01\x00\x00\x00\x00", strings.Repeat("row of a long table\n", 3000), strings.Repeat("👩‍👩‍👧‍👦", 1200), strings.Repeat(" ", 5000))
		return h
	}},
	{"C14", func(h past, p pick) past {
		if len(h) == 0 {
			return h
		}
		h = append(past(nil), h...)
		m := &h[p(len(h))]
		switch p(5) {
		case 0:
			m.Content += garbage(p)
		case 1:
			m.Content = garbage(p)
		case 2:
			m.Reasoning = garbage(p)
		case 3:
			m.Parts = append(m.Parts[:len(m.Parts):len(m.Parts)], history.Part{Kind: history.TextPart, Name: "notes\x00.txt", Text: garbage(p)})
		default:
			return h.rewrite(p, func(c *history.ToolCall) {
				c.Name += garbage(p)
				c.ID += garbage(p)
				c.Arguments = `{"path":"` + garbage(p) + `"}`
			})
		}
		return h
	}},
	{"C15", func(h past, p pick) past {
		switch at := h.anywhere(p); {
		case p(2) == 0 && at < len(h):
			h = append(past(nil), h...)
			h[at].Status = history.Quarantined
			return h
		default:
			return h.insert(at, history.Message{Role: history.Role(p.of("critic", "tool", "")), Content: "{\"torn", Status: history.Quarantined})
		}
	}},
}

// rewrite changes one of the calls.
func (h past) rewrite(p pick, change func(*history.ToolCall)) past {
	h, at, k := h.call(p)
	change(&h[at].ToolCalls[k])
	return h
}
