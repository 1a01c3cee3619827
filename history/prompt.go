package history

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"
)

// TextPrompt is a plan in the form of text, for models that take a single text and for handing a conversation to
// someone else. Templates see nothing else. Its fields are a public contract: new ones may be added, but none is
// renamed or removed.
type TextPrompt struct {
	Messages  []PromptMessage // what is sent in order, the system prompt first if there is one
	Stored    int             // messages of the conversation
	Sent      int             // messages of the conversation that are sent, whole or in part
	Truncated int             // messages that are sent shortened
	Left      int             // messages that are not sent
	Recalled  int             // messages that are sent because the current message is related to them
	Repaired  int             // messages that are sent repaired
	Tokens    int             // tokens of the request in the server's count
	Oldest    string          // time of the oldest message that is sent, RFC 3339; "" if unknown
	Newest    string          // time of the newest one
}

// PromptMessage is one message of a TextPrompt.
type PromptMessage struct {
	Number    int    // position in the conversation, from 1; 0 if not stored
	Position  int    // position in this text, from 1
	Role      string // system, user, assistant or tool
	Speaker   string // the role as a title, such as User
	Sign      string // an emoji for the role
	Time      string // HH:MM:SS; "" if unknown
	Date      string // YYYY-MM-DD; "" if unknown
	Truncated bool   // a part of its text is left out
	Text      string // its text as sent, with the tool calls written out

	OriginalLength int // characters of the stored messages that make up the text; 0 if not stored
}

// NewTextPrompt returns the text form of a plan. Times are in UTC.
func NewTextPrompt(p Plan) TextPrompt {
	count := func(holds func(e Entry) bool) (n int) {
		for _, e := range p.Entries {
			if e.Sent() && holds(e) {
				n++
			}
		}
		return n
	}
	out := TextPrompt{
		Stored: len(p.Entries), Sent: count(Entry.Sent), Tokens: p.Sum.Used(), Recalled: count(Entry.wasRecalled),
		Truncated: count(func(e Entry) bool { return len(e.Cuts) > 0 }),
		Repaired:  count(func(e Entry) bool { return len(e.Repairs) > 0 }),
	}
	out.Left = out.Stored - out.Sent
	// A message that is sent both in its place and in the block of recalled texts is cut in its place.
	block := slices.ContainsFunc(p.Added, func(a AddedText) bool { return a.Kind == AddedRecalled })
	shown := p.EntriesByMessage()
	var times []int64
	for i, m := range p.Messages {
		one := PromptMessage{
			Position: i + 1, Role: string(m.Role), Speaker: strings.ToUpper(string(m.Role[:1])) + string(m.Role[1:]),
			Sign: signs[m.Role], Text: promptText(m),
		}
		for k, at := range shown[i] {
			e := &p.Entries[at]
			if k == 0 {
				one.Number = e.Index + 1
			}
			one.OriginalLength += e.CharsBefore
			one.Truncated = one.Truncated || len(e.Cuts) > 0 || e.Recalled && block
		}
		if m.CreatedMS != 0 {
			times = append(times, m.CreatedMS)
			one.Time, one.Date = utc(m.CreatedMS, time.TimeOnly), utc(m.CreatedMS, time.DateOnly)
		}
		out.Messages = append(out.Messages, one)
	}
	if len(times) > 0 {
		out.Oldest, out.Newest = utc(slices.Min(times), time.RFC3339), utc(slices.Max(times), time.RFC3339)
	}
	return out
}

// utc formats a time in Unix milliseconds.
func utc(ms int64, layout string) string { return time.UnixMilli(ms).UTC().Format(layout) }

// signs maps each role to its emoji.
var signs = map[Role]string{System: "💬", User: "👤", Assistant: "🤖", Tool: "💬"}

// promptText returns the whole text of a message, with its parts and tool calls.
func promptText(m Message) string {
	var texts []string
	for _, part := range m.Parts {
		if part.Kind == ImagePart {
			texts = append(texts, strings.TrimSpace("[image "+part.Name)+"]")
			continue
		}
		texts = append(texts, part.AsText())
	}
	if own := m.TextWithCalls(); own != "" {
		texts = append(texts, own)
	}
	return strings.Join(texts, separator)
}

// TextPromptTemplate is the built-in template of the text form. Templates are executed by text/template and have one
// function of their own: indent puts four spaces in front of every line.
//
//go:embed prompt.tmpl
var TextPromptTemplate string

// RenderTextPrompt executes a template with p. Errors are those of text/template: they contain name, the line and the
// fault.
func RenderTextPrompt(p TextPrompt, name, text string) (string, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"indent": indent}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, p)
	return b.String(), err
}

// indent puts four spaces in front of every line that is not blank.
func indent(text string) string { return notBlank.ReplaceAllString(text, "    $0") }

var notBlank = regexp.MustCompile(`(?m)^.*\S.*$`)
