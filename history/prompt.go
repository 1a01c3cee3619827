package history

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"
)

// Prompt is a plan in the form of text, for models that take one text and for handing a conversation
// over. It is all that a template gets, and a contract: fields are added, never renamed or removed.
type TextPrompt struct {
	Messages  []PromptMessage // what is sent, in order, the system prompt first where there is one
	Stored    int             // messages of the conversation
	Sent      int             // those of them that are sent, whole or in part
	Truncated int             // those sent that are shortened
	Left      int             // those that are not sent
	Recalled  int             // those sent because the current message is about them
	Repaired  int             // those that were repaired on the way
	Tokens    int             // tokens of the request, as the server counts them
	Oldest    string          // when the oldest message that is sent was said, RFC 3339; "" unknown
	Newest    string          // and the newest
}

// PromptMessage is one message of a Prompt.
type PromptMessage struct {
	Number    int    // its place in the conversation, from 1; 0 for what is not stored
	Position  int    // its place in this text, from 1
	Role      string // system, user, assistant or tool
	Speaker   string // the role as a title: User
	Sign      string // the role's sign
	Time      string // when it was said, HH:MM:SS; "" unknown
	Date      string // the day of it, YYYY-MM-DD; "" unknown
	Truncated bool   // a part of its text is left out
	Text      string // its text as it is sent, with tool calls written out

	OriginalLength int // characters of the stored messages whose text it is; 0 for what is not stored
}

// NewPrompt is the text form of a plan. Times are UTC.
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
	// What stands in its place and in the block of recalled texts is cut in its place: the block shows more.
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

// utc is a time in Unix milliseconds as text.
func utc(ms int64, layout string) string { return time.UnixMilli(ms).UTC().Format(layout) }

// signs are the signs of the roles.
var signs = map[Role]string{System: "💬", User: "👤", Assistant: "🤖", Tool: "💬"}

// promptText is all that a message says.
func promptText(m Message) string {
	var texts []string
	for _, part := range m.Parts {
		if part.Kind == ImagePart {
			texts = append(texts, strings.TrimSpace("[image "+part.Name)+"]")
			continue
		}
		texts = append(texts, part.SentText())
	}
	if own := m.TextWithCalls(); own != "" {
		texts = append(texts, own)
	}
	return strings.Join(texts, separator)
}

// PromptTemplate is winnow's own template of the text form, in the language of
// text/template. Beside that language's own functions a template has indent, which puts four blanks
// in front of every line.
//
//go:embed prompt.tmpl
var TextPromptTemplate string

// RenderPrompt writes a prompt by a template, which gets the fields of Prompt and PromptMessage and nothing else. An
// error is text/template's own: it has the name of the template, the line, and what is wrong there.
func RenderTextPrompt(p TextPrompt, name, text string) (string, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"indent": indent}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, p)
	return b.String(), err
}

// indent puts four blanks in front of every line that is not blank.
func indent(text string) string { return notBlank.ReplaceAllString(text, "    $0") }

var notBlank = regexp.MustCompile(`(?m)^.*\S.*$`)
