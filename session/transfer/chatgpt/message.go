package chatgpt

import (
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// messageReader is one message of ChatGPT while it is read.
type messageReader struct {
	t         *tree
	n         *node
	m         *store.ImportedMessage
	kind      string // the content's type
	recipient string
	cut       bool   // it never arrived whole
	thoughts  bool   // it is what the model thought
	unused    string // what it holds beside texts and images, "" for nothing
	keep      rawjson.Object
}

// readNode reads a node's message. What says nothing, no text, file or call, is structure.
func (t *tree) readNode(n *node) nodeKind {
	if n.raw == nil {
		return structure
	}
	if n.raw[0] != '{' {
		t.conv.Lose(n.key, "message", "is %s, not an object", rawjson.Kind(n.raw))
		return structure
	}
	c := messageReader{t: t, n: n, m: &n.message}
	c.m.After = -1
	var author, content, metadata, id []byte
	for name, value := range rawjson.Members(n.raw) {
		key := rawjson.Unquote(name)
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
			if at := timeOf(value); !at.IsZero() {
				c.m.CreatedMS = at.UnixMilli()
				continue
			}
		case "recipient":
			if c.recipient = rawjson.Text(value); c.recipient == "all" {
				continue
			}
		case "status":
			status := rawjson.Text(value)
			c.cut = status == "in_progress" || status == "finished_partial_completion"
			if status == "finished_successfully" {
				continue
			}
		case "weight":
			zero := strings.Trim(string(value), "0.") == ""
			if c.m.Excluded = zero; !zero {
				continue
			}
		case "metadata":
			if metadata = value; string(value) == "{}" {
				continue
			}
		}
		c.keep.Add(name, value)
	}
	c.label(id)
	c.author(author)
	c.content(content)
	c.files(metadata)
	if len(c.keep) > 0 {
		var extra rawjson.Object // what of the message has no place elsewhere
		extra.Set("chatgpt", c.keep)
		c.m.Extra = extra
	}
	return c.verdict(metadata)
}

// label takes the message's id, or the node's where that is none or another's.
func (c *messageReader) label(id []byte) {
	label := rawjson.Text(id)
	if label == "" || c.t.labels[label] {
		if label != "" {
			c.t.conv.Odd(c.n.key, "id", "is the id of another message, %q; the id of the node is used", conversation.Shorten(label))
		}
		label = c.n.key
	}
	for c.t.labels[label] || label == "" {
		label += "'"
	}
	c.t.labels[label] = true
	c.m.Label = label
}

func (c *messageReader) author(raw []byte) {
	role := ""
	if raw != nil && raw[0] == '{' {
		role = rawjson.Text(rawjson.Member(raw, "role"))
		c.m.Name = rawjson.Text(rawjson.Member(raw, "name"))
	}
	c.m.Status = message.Imported
	c.m.Role = conversation.Role(role)
	if !conversation.KnownRole(c.m.Role) {
		c.m.Status = message.Quarantined
	}
}

// verdict is what the message is in the end.
func (c *messageReader) verdict(metadata []byte) nodeKind {
	m := c.m
	if c.unused != "" && m.Content == "" && len(m.Parts) == 0 {
		c.note(c.unused)
	}
	if m.Role == message.Assistant {
		m.Model = rawjson.Text(rawjson.Member(metadata, "model_slug"))
		if c.cut {
			m.Status = message.Interrupted
		}
	}
	blank := conversation.Blank(m.Message.Message)
	switch {
	case c.thoughts && blank && m.Role == message.Assistant && m.Reasoning != "":
		return thinking
	case blank && m.Reasoning == "" && m.Role != message.Tool:
		return structure
	}
	if m.Status == message.Quarantined {
		c.t.conv.Odd(m.Label, "role", "%s", conversation.UnknownRole(m.Role))
	}
	return messageNode
}

// files names what hangs on the message and is not in its content. ChatGPT gives such a file to its
// tools, so the model knows no more of it than its name either.
func (c *messageReader) files(metadata []byte) {
	list := rawjson.Member(metadata, "attachments")
	if list == nil || list[0] != '[' {
		return
	}
	for item := range rawjson.Items(list) {
		id, name := rawjson.Text(rawjson.Member(item, "id")), rawjson.Text(rawjson.Member(item, "name"))
		if name == "" {
			name = id
		}
		if name == "" {
			continue
		}
		shown := func(p message.Part) bool { return p.Name == name || id != "" && strings.Contains(p.Name+p.Text, id) }
		if slices.ContainsFunc(c.m.Parts, shown) {
			continue
		}
		c.note("file " + name)
	}
}
