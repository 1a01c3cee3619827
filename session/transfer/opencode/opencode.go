// Package opencode reads sessions as opencode export writes them. They contain neither the system prompt nor the
// descriptions of tools.
package opencode

import (
	"encoding/json"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// Read reads exported sessions.
var Read = conversation.PerValue("opencode", read)

type export struct {
	Info struct {
		ID        string `json:"id"`
		Title     string `json:"title"`
		Directory string `json:"directory"`
		Time      times  `json:"time"`
	} `json:"info"`
	Messages []exported `json:"messages"`
}

type exported struct {
	Info struct {
		ID    string          `json:"id"`
		Role  string          `json:"role"`
		Model string          `json:"modelID"`
		Time  times           `json:"time"`
		Error json.RawMessage `json:"error"`
	} `json:"info"`
	Parts []part `json:"parts"`
}

type times struct {
	Created conversation.Time `json:"created"`
	Updated conversation.Time `json:"updated"`
}

type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Ignored bool   `json:"ignored"` // shown but not sent
	Tool    string `json:"tool"`
	CallID  string `json:"callID"`
	State   struct {
		Input       json.RawMessage `json:"input"`
		Output      string          `json:"output"`
		Error       string          `json:"error"`
		Attachments []part          `json:"attachments"`
	} `json:"state"`
	Filename string `json:"filename"`
	URL      string `json:"url"`
}

func read(c *conversation.Conversation, x export) error {
	c.Session = store.Session{
		Source: c.Session.Source, Origin: x.Info.ID, Title: x.Info.Title, Dir: x.Info.Directory,
		Created: x.Info.Time.Created.Time, Updated: x.Info.Time.Updated.Time,
	}
	for _, said := range x.Messages {
		at := said.Info.Time.Created.MS()
		m := conversation.NewMessage(said.Info.ID, said.Info.Role, "", at)
		if m.Role == message.Assistant {
			m.Model = said.Info.Model
		}
		if said.Info.Error != nil {
			m.Status = message.Interrupted
		}
		var content, answers conversation.Content
		for _, p := range said.Parts {
			p.addTo(&content, &answers)
		}
		c.Append(c.SplitContent(content, m.Label, m)...)
		if len(answers.Results) > 0 { // after the calls, which are in the same message here
			results := conversation.NewMessage(m.Label+"/results", "tool", "", at)
			c.Append(c.SplitContent(answers, m.Label, results)...)
		}
	}
	return nil
}

// addTo adds the part to the content of its message, and a tool result to answers. Parts that are not sent to models,
// such as file snapshots, are left out.
func (p part) addTo(c, answers *conversation.Content) {
	switch p.Type {
	case "text":
		if !p.Ignored {
			c.Text = conversation.JoinParagraphs(c.Text, p.Text)
		}
	case "reasoning":
		c.Reasoning = conversation.JoinParagraphs(c.Reasoning, p.Text)
	case "file":
		c.Parts = append(c.Parts, conversation.FilePart(p.Filename, p.URL))
	case "tool":
		call := message.ToolCall{ID: p.CallID, Name: p.Tool, Arguments: conversation.TextOf(p.State.Input)}
		c.Calls = append(c.Calls, call)
		r := conversation.ToolResult{CallID: p.CallID, Text: p.State.Output + p.State.Error}
		for _, a := range p.State.Attachments {
			r.Parts = append(r.Parts, conversation.FilePart(a.Filename, a.URL))
		}
		if r.Text != "" || len(r.Parts) > 0 {
			answers.Results = append(answers.Results, r)
		}
	}
}
