//go:build cgo

package cli

import (
	"strings"
	"time"

	"winnow/session"
	"winnow/session/store"
)

// sessionJSON is a session in sessions list --json. It is a contract: fields are added, never
// renamed or removed.
type sessionJSON struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Created  string   `json:"created"` // RFC 3339, UTC
	Updated  string   `json:"updated"`
	Model    string   `json:"model"` // endpoint/model
	Turns    int      `json:"turns"`
	Messages int      `json:"messages"`
	Pinned   bool     `json:"pinned"`
	Archived bool     `json:"archived"`
	Deleted  string   `json:"deleted"` // "" where it is not in the trash
	Dir      string   `json:"dir"`
	Tags     []string `json:"tags"`
	Match    string   `json:"match"`     // in a search, the matching line
	Parent   string   `json:"parent"`    // the session it was forked from, "" for none
	ForkedAt int64    `json:"forked_at"` // the message there that it was forked at, 0 for none
}

func sessionsJSON(list []store.Session) []sessionJSON {
	out := make([]sessionJSON, 0, len(list))
	for _, s := range list {
		out = append(out, oneSession(s))
	}
	return out
}

func oneSession(s store.Session) sessionJSON {
	return sessionJSON{
		ID: s.ID, Title: s.Title, Created: stamp(s.Created), Updated: stamp(s.Updated), Model: shownRef(s),
		Turns: s.Turns, Messages: s.Messages, Pinned: s.Pinned, Archived: s.Archived, Deleted: stamp(s.Deleted),
		Dir: s.Dir, Tags: append([]string{}, s.Tags...), Match: s.Match, Parent: s.Parent, ForkedAt: s.ForkedAt,
	}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// showObject is what sessions show --json writes: the session and the messages of its active branch.
type showObject struct {
	Session  sessionJSON   `json:"session"`
	Cost     spentJSON     `json:"cost"` // of its requests, on every branch
	Messages []messageJSON `json:"messages"`
}

type messageJSON struct {
	ID         int64      `json:"id"`
	Parent     int64      `json:"parent"` // 0 for the first
	Label      string     `json:"label"`  // the id it had in the file it was imported from
	Role       string     `json:"role"`
	Name       string     `json:"name"`
	Content    string     `json:"content"`
	Reasoning  string     `json:"reasoning"`
	ToolCalls  []callJSON `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
	Status     string     `json:"status"`
	Model      string     `json:"model"`
	Finish     string     `json:"finish_reason"`
	Created    string     `json:"created"`
}

type callJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func showJSON(info store.Session, spent session.Spent, messages []store.Message) showObject {
	o := showObject{Session: oneSession(info), Cost: spentObject(spent), Messages: []messageJSON{}}
	for _, m := range messages {
		o.Messages = append(o.Messages, oneMessage(m))
	}
	return o
}

func oneMessage(m store.Message) messageJSON {
	calls := []callJSON{}
	for _, c := range m.ToolCalls {
		calls = append(calls, callJSON{c.ID, c.Name, c.Arguments})
	}
	model := ""
	if m.Model != "" {
		model = strings.TrimPrefix(m.Endpoint+"/"+m.Model, "/") // a file names no endpoint
	}
	return messageJSON{
		ID: m.ID, Parent: m.Parent, Label: m.Label, Role: string(m.Role), Name: m.Name, Content: m.Content,
		Reasoning: m.Reasoning, ToolCalls: calls, ToolCallID: m.ToolCallID, Status: string(m.Status),
		Model: model, Finish: m.FinishReason, Created: stamp(time.UnixMilli(m.CreatedMS)),
	}
}
