// Package html writes a conversation as one HTML file for reading, with marks of what the model saw. The file needs
// nothing beside itself and holds no script: what a model wrote is text in it, whatever it looks like.
package html

import (
	"cmp"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize/english"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/conversation"
)

//go:embed page.html
var page string

//go:embed style.css
var style string

// Marks are what the file says of the requests beside the messages.
type Marks struct {
	Of       map[int64]Mark   // what the request for the newest answer held of a message, by message
	Receipts map[int64]string // what an answer saw and cost, by the request that it answers
}

// Mark is the verdict on one message.
type Mark struct {
	Glyph  string
	Word   string // "whole", "cut", "dropped": its colour
	Text   string // "cut to 150 of 2,310"
	Reason string // a sentence, "" for none
}

// view is what the page is made of.
type view struct {
	Title, About, System string
	Style                template.CSS
	Marked               bool
	Messages             []item
}

// item is one message.
type item struct {
	Number    int
	Kind      string // the class of its role
	Speaker   string
	When      string
	Note      string // what is odd about it, "" for nothing
	Mark      *Mark
	Receipt   string
	Reasoning string
	Text      string        // as it is: of the user, of a tool
	Markdown  template.HTML // of an answer
	Folded    bool          // the text is a tool's result
	Images    []image
	Files     []file
	Calls     []call
}

type image struct {
	Name string
	URL  template.URL // its bytes
}

type file struct{ Name, Text string }

type call struct {
	Name, ID  string
	Arguments template.HTML
}

// Write writes the branch of a session.
func Write(out io.Writer, row store.Session, branch []store.Message, marks Marks) error {
	made, err := template.New("page").Parse(page)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	r := newRenderer()
	colours, err := r.styleSheet()
	if err != nil {
		return fmt.Errorf("write the colours of code: %w", err)
	}
	v := view{
		Title: cmp.Or(title.OneLine(row.Title), "A conversation"), About: about(row, branch), System: clean(row.System),
		Style: template.CSS(style + colours), Marked: len(marks.Of) > 0,
	}
	for i, m := range branch {
		v.Messages = append(v.Messages, r.item(i+1, row, m, marks))
	}
	if err := made.Execute(out, v); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// about is the line under the title.
func about(row store.Session, branch []store.Message) string {
	parts := []string{row.Created.UTC().Format("2006-01-02 15:04 UTC")}
	if row.Model != "" {
		parts = append(parts, title.OneLine(strings.TrimPrefix(row.Endpoint+"/"+row.Model, "/")))
	}
	return strings.Join(append(parts, english.Plural(len(branch), "message", "")), " · ")
}

// item is a message as the page shows it.
func (r *renderer) item(number int, row store.Session, m store.Message, marks Marks) item {
	it := item{Number: number, Kind: kind(m.Role), Speaker: speaker(row, m), Reasoning: clean(strings.TrimSpace(m.Reasoning)), Receipt: marks.Receipts[m.Request]}
	if m.Role != message.Assistant {
		it.Receipt = ""
	}
	if mark, ok := marks.Of[m.ID]; ok {
		it.Mark = &mark
	}
	if m.CreatedMS != 0 {
		it.When = time.UnixMilli(m.CreatedMS).UTC().Format("2006-01-02 15:04 UTC")
	}
	switch {
	case m.Damaged:
		it.Note = "damaged, and cannot be read"
		return it
	case m.Status == message.Interrupted:
		it.Note = "stopped here"
	case m.Status != message.Complete && m.Status != message.Imported:
		it.Note = title.OneLine(string(m.Status))
	}
	switch {
	case strings.TrimSpace(m.Content) == "":
	case m.Role == message.Assistant:
		it.Markdown = r.markdown(clean(m.Content))
	default:
		it.Text, it.Folded = clean(m.Content), m.Role == message.Tool
	}
	for _, p := range m.Parts {
		switch name := cmp.Or(title.OneLine(p.Name), "image"); {
		case p.Kind == message.TextPart:
			it.Files = append(it.Files, file{title.OneLine(p.Name), clean(p.Text)})
		case slices.Contains(imageTypes, p.MediaType) && len(p.Data) > 0:
			it.Images = append(it.Images, image{name, template.URL("data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data))})
		default:
			it.Files = append(it.Files, file{name, fmt.Sprintf("An image (%s) of %d bytes.", title.OneLine(p.MediaType), len(p.Data))})
		}
	}
	for _, c := range m.ToolCalls {
		it.Calls = append(it.Calls, call{title.OneLine(c.Name), title.OneLine(c.ID), r.code(clean(c.Arguments), "json")})
	}
	return it
}

// speaker is who wrote a message: an imported answer that names no model is of the session's.
func speaker(row store.Session, m store.Message) string {
	if m.Role == message.Assistant && m.Model == "" && m.Name == "" {
		m.Model = row.Model
	}
	return conversation.Speaker(m)
}

// imageTypes are the images that a browser shows and that cannot hold a script.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// kind is the class of a role.
func kind(role message.Role) string {
	switch role {
	case message.User, message.Assistant, message.Tool, message.System:
		return string(role)
	}
	return "other"
}

// clean is a text without the characters that HTML does not know, and without those that turn the direction of what
// stands behind them.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\r':
			return -1
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
