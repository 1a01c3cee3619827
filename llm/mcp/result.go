package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// resultText is what the model reads of a result: its texts, and a note for everything that is none. A structured
// result counts where there is no text: servers repeat it there. More than limit bytes are cut, with a mark.
func resultText(r *sdk.CallToolResult, limit int) string {
	var parts []string
	for _, c := range r.Content {
		if text := contentText(c); text != "" {
			parts = append(parts, text)
		}
	}
	text := strings.Join(parts, "\n")
	if text == "" && r.StructuredContent != nil {
		text = compact(r.StructuredContent)
	}
	if text == "" {
		return "[no output]"
	}
	return bounded(text, limit)
}

// bounded is a text of at most limit bytes, with a mark where it was cut.
func bounded(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	kept := strings.ToValidUTF8(text[:limit], "")
	return fmt.Sprintf("%s\n[winnow kept the first %d of %d bytes of this result]", kept, len(kept), len(text))
}

// contentText is one part of a result, "" for an empty one.
func contentText(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return dataNote("image", c.MIMEType, c.Data)
	case *sdk.AudioContent:
		return dataNote("audio", c.MIMEType, c.Data)
	case *sdk.ResourceLink:
		return note("link to the resource "+c.URI, c.Name, c.MIMEType)
	case *sdk.EmbeddedResource:
		switch {
		case c.Resource == nil:
			return ""
		case c.Resource.Blob != nil:
			return dataNote("resource "+c.Resource.URI, c.Resource.MIMEType, c.Resource.Blob)
		}
		return note("resource "+c.Resource.URI) + "\n" + c.Resource.Text
	}
	return note("a part that is not sent to the model")
}

// dataNote stands for data that the model is not sent.
func dataNote(what, media string, data []byte) string {
	return note(what, media, fmt.Sprintf("%d bytes", len(data)), "not sent to the model")
}

// note is a remark of winnow's in a result, with those details that are known.
func note(what string, details ...string) string {
	text := clean(what, 500)
	for _, d := range details {
		if d = clean(d, 200); d != "" {
			text += ", " + d
		}
	}
	return "[" + text + "]"
}

// compact is a value as JSON on one line.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
