// Package html writes a conversation as one HTML file for reading, with the verdicts on its messages. The file needs no
// other files and contains no scripts; whatever a model wrote is text.
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
	"unicode"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/conversation"
)

//go:embed page.html
var page string

// Annotations are what the page shows about the requests of a conversation.
type Annotations struct {
	Verdicts map[int64]Verdict // what the request for the newest answer held, by message id
	Receipts map[int64]string  // summaries of what an answer saw and cost, by request id
}

// Verdict is the verdict on one message.
type Verdict struct {
	Glyph  string
	Class  string // CSS class: "whole", "cut", "dropped"
	Text   string // such as "cut to 150 of 2,310"
	Reason string // a sentence, may be ""
}

// Write writes a branch of a session.
func Write(out io.Writer, row store.Session, branch []store.Message, annotations Annotations) error {
	r := newRenderer()
	colours, err := r.colours()
	if err != nil {
		return fmt.Errorf("write the colours of code: %w", err)
	}
	made, err := template.New("page").Funcs(template.FuncMap{
		"clean":    clean,
		"line":     title.OneLine,
		"trim":     strings.TrimSpace,
		"speaker":  conversation.Speaker,
		"when":     conversation.TimeText,
		"note":     statusNote,
		"name":     partName,
		"image":    imageURL,
		"file":     fileText,
		"markdown": func(text string) template.HTML { return r.markdown(clean(text)) },
		"json":     func(text string) template.HTML { return r.code(clean(text), "json") },
		"next":     func(i int) int { return i + 1 },
	}).Parse(page)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	err = made.Execute(out, map[string]any{
		"Title": cmp.Or(title.OneLine(row.Title), "A conversation"), "About": conversation.Subtitle(row, len(branch)),
		"System": row.System, "Colours": template.CSS(colours), "Branch": branch, "Annotations": annotations,
	})
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// statusNote returns the status of a message if it is not an ordinary one, or "".
func statusNote(m store.Message) string {
	if m.Status == message.Interrupted {
		return "stopped here"
	}
	return conversation.StatusText(m)
}

// partName returns the name of a part, or else its kind.
func partName(p message.Part) string { return cmp.Or(title.OneLine(p.Name), string(p.Kind)) }

// imageTypes are the types of images that browsers show and that cannot contain scripts.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// imageURL returns an image as a data URL, or "" for other parts.
func imageURL(p message.Part) template.URL {
	if p.Kind == message.TextPart || len(p.Data) == 0 || !slices.Contains(imageTypes, p.MediaType) {
		return ""
	}
	return template.URL("data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data))
}

// fileText returns the text of a part, or a sentence about a part that the page cannot show.
func fileText(p message.Part) string {
	if p.Kind == message.TextPart {
		return clean(p.Text)
	}
	return fmt.Sprintf("An image (%s) of %d bytes.", title.OneLine(p.MediaType), len(p.Data))
}

// clean removes carriage returns and replaces characters that HTML does not allow or that change the direction of text.
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
