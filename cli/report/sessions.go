package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/markdown"
	"winnow/ui/theme"
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

// SessionsJSON is what sessions list --json writes.
func SessionsJSON(list []store.Session) any {
	out := make([]sessionJSON, 0, len(list))
	for _, s := range list {
		out = append(out, oneSession(s))
	}
	return out
}

// SessionJSON is a session in JSON.
func SessionJSON(s store.Session) any { return oneSession(s) }

func oneSession(s store.Session) sessionJSON {
	return sessionJSON{
		ID: s.ID, Title: s.Title, Created: stamp(s.Created), Updated: stamp(s.Updated), Model: Ref(s),
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
	ID          int64            `json:"id"`
	Parent      int64            `json:"parent"` // 0 for the first
	Label       string           `json:"label"`  // the id it had in the file it was imported from
	Role        string           `json:"role"`
	Name        string           `json:"name"`
	Content     string           `json:"content"`
	Attachments []attachmentJSON `json:"attachments"`
	Reasoning   string           `json:"reasoning"`
	ToolCalls   []callJSON       `json:"tool_calls"`
	ToolCallID  string           `json:"tool_call_id"`
	Status      string           `json:"status"`
	Model       string           `json:"model"`
	Finish      string           `json:"finish_reason"`
	Created     string           `json:"created"`
}

type attachmentJSON struct {
	Kind      history.PartKind `json:"kind"`
	Name      string           `json:"name"`
	MediaType string           `json:"media_type"`
	Bytes     int              `json:"bytes"`
}

type callJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ConversationJSON is what sessions show --json writes.
func ConversationJSON(info store.Session, spent record.Spent, messages []store.Message) any {
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
	attachments := []attachmentJSON{}
	for _, part := range m.Parts {
		attachments = append(attachments, attachmentJSON{part.Kind, part.Name, part.MediaType, partSize(part)})
	}
	model := ""
	if m.Model != "" {
		model = strings.TrimPrefix(m.Endpoint+"/"+m.Model, "/") // a file names no endpoint
	}
	return messageJSON{
		ID: m.ID, Parent: m.Parent, Label: m.Label, Role: string(m.Role), Name: m.Name, Content: m.Content,
		Attachments: attachments, Reasoning: m.Reasoning, ToolCalls: calls, ToolCallID: m.ToolCallID,
		Status: string(m.Status), Model: model, Finish: m.FinishReason, Created: stamp(time.UnixMilli(m.CreatedMS)),
	}
}

// partSize is how many bytes an attachment has.
func partSize(part history.Part) int { return len(part.Text) + len(part.Data) }

// Sessions writes a line for each session.
func Sessions(out io.Writer, list []store.Session) error {
	ids := ShortIDs(list)
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for i, s := range list {
		mark := ""
		if s.Pinned {
			mark = "pinned "
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s\n", ids[i], s.Updated.Local().Format("2006-01-02 15:04"),
			theme.Plural(s.Turns, "turn"), Ref(s), mark, Line(Title(s)))
	}
	return w.Flush()
}

// Conversation writes a session as text, its bytes as they are stored.
func Conversation(out io.Writer, info store.Session, spent record.Spent, messages []store.Message) {
	fmt.Fprintf(out, "%s\n%s · %s · %s%s\n", Title(info), info.ID, Ref(info), theme.Plural(info.Turns, "turn"),
		spentText(spent))
	for _, m := range messages {
		who := string(m.Role)
		if m.Label != "" {
			who += " [" + m.Label + "]"
		}
		if m.Model != "" {
			who += " " + m.Model
		}
		if m.Status != "complete" && m.Status != "imported" {
			who += ", " + string(m.Status)
		}
		fmt.Fprintf(out, "\n── %s\n", who)
		for _, call := range m.ToolCalls {
			fmt.Fprintf(out, "calls %s(%s)\n", call.Name, call.Arguments)
		}
		for _, part := range m.Parts {
			name := Line(cmp.Or(part.Name, string(part.Kind)))
			fmt.Fprintf(out, "attached %s, %s\n", name, theme.Size(partSize(part)))
		}
		if m.Damaged {
			fmt.Fprintln(out, "[damaged: this differs from what was stored; the readable part follows]")
			writeLine(out, markdown.Visible(m.Remains))
			continue
		}
		writeLine(out, m.Content)
	}
}

// spentText is what a session cost, as far as anybody knows, for the end of a line.
func spentText(s record.Spent) string {
	switch {
	case s.Priced == 0:
		return ""
	case s.Priced < s.Requests:
		return fmt.Sprintf(" · %s for %d of %d requests", s, s.Priced, s.Requests)
	}
	return " · " + s.String()
}

func writeLine(out io.Writer, text string) {
	io.WriteString(out, text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		io.WriteString(out, "\n")
	}
}
