// Package opencode reads what opencode export writes: a session with its messages. It holds neither the system prompt
// nor the descriptions of the tools. The package does not open files and does not store.
package opencode

import (
	"encoding/json"
	"errors"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// Read reads exported sessions.
var Read = conversation.Each("opencode", read)

type export struct {
	Info struct {
		ID        string `json:"id"`
		Title     string `json:"title"`
		Directory string `json:"directory"`
		Time      times  `json:"time"`
	} `json:"info"`
	Messages []struct {
		Info struct {
			ID    string `json:"id"`
			Role  string `json:"role"`
			Model string `json:"modelID"`
			Time  times  `json:"time"`
			Error *struct {
				Name string `json:"name"`
			} `json:"error"`
		} `json:"info"`
		Parts []part `json:"parts"`
	} `json:"messages"`
}

type times struct {
	Created conversation.Time `json:"created"`
	Updated conversation.Time `json:"updated"`
}

type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Ignored bool   `json:"ignored"` // shown and not sent
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

func read(c *conversation.Conversation, raw json.RawMessage) error {
	var x export
	if err := json.Unmarshal(raw, &x); err != nil {
		return errors.New("is not an export of opencode: " + err.Error())
	}
	c.Session = store.Session{
		Source: c.Session.Source, Origin: x.Info.ID, Title: x.Info.Title, Dir: x.Info.Directory,
		Created: x.Info.Time.Created.Time, Updated: x.Info.Time.Updated.Time,
	}
	for _, said := range x.Messages {
		m := conversation.NewMessage(said.Info.ID, conversation.Role(said.Info.Role), "", said.Info.Time.Created.MS())
		if m.Role == message.Assistant {
			m.Model = said.Info.Model
		}
		if said.Info.Error != nil {
			m.Status = message.Interrupted
		}
		var content conversation.Content
		for _, p := range said.Parts {
			take(&content, p)
		}
		results := content.Results
		content.Results = nil
		c.Append(content.Messages(m)...)
		answers := conversation.Content{Results: results}
		if len(results) > 0 { // behind the calls, which are in the same message here
			c.Append(answers.Messages(conversation.NewMessage(m.Label+"/results", message.Tool, "", m.CreatedMS))...)
		}
	}
	return nil
}

// take takes a part. Those that are no part of a request, such as the state of the files, are left out.
func take(c *conversation.Content, p part) {
	switch p.Type {
	case "text":
		if !p.Ignored {
			c.Text = conversation.Join(c.Text, p.Text)
		}
	case "reasoning":
		c.Reasoning = conversation.Join(c.Reasoning, p.Text)
	case "file":
		c.Parts = append(c.Parts, file(p))
	case "tool":
		call := message.ToolCall{ID: p.CallID, Name: p.Tool, Arguments: conversation.Text(p.State.Input)}
		c.Calls = append(c.Calls, call)
		if p.State.Output+p.State.Error == "" && len(p.State.Attachments) == 0 {
			return // not answered
		}
		r := conversation.Result{CallID: p.CallID, Text: p.State.Output + p.State.Error}
		for _, a := range p.State.Attachments {
			r.Parts = append(r.Parts, file(a))
		}
		c.Results = append(c.Results, r)
	}
}

// file is an image whose bytes are in the export, or a note.
func file(p part) message.Part {
	if image, ok := conversation.DataURL(p.URL); ok {
		image.Name = p.Filename
		return image
	}
	return conversation.Note("file " + p.Filename)
}
