// Package openwebui reads the chats that Open WebUI exports as JSON. The export contains tool results only as text, and
// only the names of files.
package openwebui

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// Read reads the chats of an export.
var Read = conversation.PerValue("open-webui", read)

type export struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Created  conversation.Time `json:"created_at"`
	Updated  conversation.Time `json:"updated_at"`
	Archived bool              `json:"archived"`
	Pinned   bool              `json:"pinned"`
	Chat     struct {
		Title   string `json:"title"`
		System  string `json:"system"`
		History struct {
			Current  string              `json:"currentId"`
			Messages map[string]exported `json:"messages"`
		} `json:"history"`
	} `json:"chat"`
}

type exported struct {
	Parent  string            `json:"parentId"`
	Role    string            `json:"role"`
	Content json.RawMessage   `json:"content"`
	Model   string            `json:"model"`
	Time    conversation.Time `json:"timestamp"`
	Files   []struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"files"`
}

func read(c *conversation.Conversation, x export) error {
	said := x.Chat.History.Messages
	if said == nil {
		return errors.New("has no messages, so it is not a chat")
	}
	c.Session = store.Session{
		Source: c.Session.Source, Origin: x.ID, Title: cmp.Or(x.Title, x.Chat.Title), System: x.Chat.System,
		Created: x.Created.Time, Updated: x.Updated.Time, Archived: x.Archived, Pinned: x.Pinned,
	}
	var nodes []conversation.Node
	for _, id := range slices.Sorted(maps.Keys(said)) {
		nodes = append(nodes, conversation.Node{ID: id, Parent: said[id].Parent, Messages: messages(c, id, said[id])})
	}
	slices.SortFunc(nodes, conversation.CompareTime)
	c.AddTree(nodes, x.Chat.History.Current)
	c.SetDefaultOrigin()
	return nil
}

// reasoning matches the reasoning before an answer, which Open WebUI stores as HTML.
var reasoning = regexp.MustCompile(
	`(?s)^\s*<details type="reasoning"[^>]*>\s*(?:<summary>.*?</summary>)?(.*?)</details>\s*`)

func messages(c *conversation.Conversation, id string, x exported) []conversation.Message {
	m := conversation.NewMessage(id, x.Role, "", x.Time.MS())
	content := conversation.ReadContent(x.Content)
	if m.Role == message.Assistant {
		m.Model = x.Model
		if found := reasoning.FindStringSubmatch(content.Text); found != nil {
			var lines []string
			for line := range strings.Lines(strings.TrimSpace(found[1])) {
				lines = append(lines, strings.TrimPrefix(strings.TrimPrefix(line, ">"), " "))
			}
			content.Reasoning, content.Text = strings.Join(lines, ""), content.Text[len(found[0]):]
		}
	}
	for _, f := range x.Files {
		content.Parts = append(content.Parts, conversation.FilePart(f.Name, f.URL))
	}
	return c.SplitContent(content, id, m)
}
