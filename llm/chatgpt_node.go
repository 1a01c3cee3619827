package llm

import (
	"fmt"
	"slices"
	"strings"

	"winnow/history"
)

// chat is one message of ChatGPT while it is read.
type chat struct {
	t         *tree
	n         *node
	m         *Spoken
	kind      string // the content's type
	recipient string
	cut       bool   // it never arrived whole
	thoughts  bool   // it is what the model thought
	unused    string // what it holds beside texts and images, "" for nothing
	keep      rawObject
}

// readNode reads a node's message. What says nothing, no text, file or call, is structure.
func (t *tree) readNode(n *node) nodeKind {
	if n.message == nil {
		return structure
	}
	if n.message[0] != '{' {
		t.lost(n.key, "message", "is "+kindOf(n.message)+", not an object")
		return structure
	}
	c := chat{t: t, n: n, m: &n.spoken}
	c.m.Behind = -1
	var author, content, metadata, id []byte
	for name, value := range pairs(n.message) {
		key := unquote(name)
		if string(value) == "null" {
			continue
		}
		switch key {
		case "id":
			id = value
			continue
		case "author":
			author = value
			continue
		case "content":
			content = value
			continue
		case "create_time":
			if c.m.CreatedMS = timeIn(value); c.m.CreatedMS != 0 {
				continue
			}
		case "recipient":
			if c.recipient = textIn(value); c.recipient == "all" {
				continue
			}
		case "status":
			status := textIn(value)
			c.cut = status == "in_progress" || status == "finished_partial_completion"
			if status == "finished_successfully" {
				continue
			}
		case "weight":
			zero := strings.Trim(string(value), "0.") == ""
			if c.m.Ignored = zero; !zero {
				continue
			}
		case "metadata":
			if metadata = value; string(value) == "{}" {
				continue
			}
		}
		c.keep.add(name, value)
	}
	c.label(id)
	c.author(author)
	c.content(content)
	c.files(metadata)
	c.m.Extra = c.extra()
	return c.verdict(metadata)
}

// label takes the message's id, or the node's where that is none or another's.
func (c *chat) label(id []byte) {
	label := textIn(id)
	if label == "" || c.t.labels[label] {
		if label != "" {
			c.t.odd(c.n.key, "id", fmt.Sprintf("is that of another message, %q; the node's is taken", short(label)))
		}
		label = c.n.key
	}
	for c.t.labels[label] || label == "" {
		label += "'"
	}
	c.t.labels[label] = true
	c.m.Label = label
}

func (c *chat) author(raw []byte) {
	role := ""
	if raw != nil && raw[0] == '{' {
		role = textIn(member(raw, "role"))
		c.m.Name = textIn(member(raw, "name"))
	}
	c.m.Status = history.Imported
	c.m.Role = history.Role(role)
	if plain, ok := roleNames[role]; ok {
		c.m.Role = plain
	}
	if !sendable(c.m.Role) {
		c.m.Status = history.Quarantined
	}
}

// verdict is what the message is in the end.
func (c *chat) verdict(metadata []byte) nodeKind {
	m := c.m
	if c.unused != "" && m.Content == "" && len(m.Parts) == 0 {
		c.note(c.unused)
	}
	if m.Role == history.Assistant {
		m.Model = textIn(memberOf(metadata, "model_slug"))
		if c.cut {
			m.Status = history.Interrupted
		}
	}
	blank := strings.TrimSpace(m.Content) == "" && len(m.Parts) == 0 && len(m.ToolCalls) == 0
	switch {
	case c.thoughts && blank && m.Role == history.Assistant && m.Reasoning != "":
		return thinking
	case blank && m.Reasoning == "" && m.Role != history.Tool:
		return structure
	}
	if m.Status == history.Quarantined {
		c.t.odd(m.Label, "role", fmt.Sprintf("is %q, which no model knows; the message is kept and shown, but never sent", short(string(m.Role))))
	}
	return speaking
}

// extra is what of the message has no place elsewhere.
func (c *chat) extra() []byte {
	if len(c.keep) == 0 {
		return nil
	}
	var all rawObject
	all.keep("chatgpt", c.keep)
	return all
}

// memberOf is the value of one key where raw is an object that has it.
func memberOf(raw []byte, key string) []byte {
	if len(raw) == 0 {
		return nil
	}
	return member(raw, key)
}

// files names what hangs on the message and is not in its content. ChatGPT gives such a file to its
// tools, so the model knows no more of it than its name either.
func (c *chat) files(metadata []byte) {
	list := memberOf(metadata, "attachments")
	if list == nil || list[0] != '[' {
		return
	}
	for item := range items(list) {
		id, name := textIn(memberOf(item, "id")), textIn(memberOf(item, "name"))
		if name == "" {
			name = id
		}
		if name == "" {
			continue
		}
		shown := func(p history.Part) bool { return p.Name == name || id != "" && strings.Contains(p.Name+p.Text, id) }
		if slices.ContainsFunc(c.m.Parts, shown) {
			continue
		}
		c.note("file " + name)
	}
}
