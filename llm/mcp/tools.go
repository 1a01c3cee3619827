package mcp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"winnow/llm/tool"
)

// Tool is a tool of a server.
type Tool struct {
	tool.Tool // as offered to the model, under its full name

	OriginalName string // the server's own name of the tool
	Offered      bool   // whether it is offered, if a request has room for it
	Note         string // why it is not offered, or what was changed; may be ""
}

// named converts a server's list of tools, with full names and without duplicates. Tools with a configured permission
// come first, in case there is no room for all.
func named(s ServerConfig, listed []*sdk.Tool) []Tool {
	var first, others []Tool
	seen := map[string]bool{}
	for _, t := range listed {
		made := Tool{OriginalName: t.Name}
		made.Name = fullName(s.Name, t.Name)
		made.Description = cut(
			plain(cmp.Or(t.Description, t.Title)), maxDescriptionBytes,
		)
		made.Parameters, made.Note = schema(t.InputSchema)
		made.Server, made.Configured, made.Default = s.Name, s.ToolPermissions[t.Name], s.DefaultPermission
		made.Timeout = s.ToolTimeout + time.Second // ToolTimeout ends the request to the server first.
		made.Reach = "Runs as you, with your files and network."
		if s.Command == "" {
			made.Reach = "Runs at " + shownURL(s.URL) + ", which gets the arguments."
		}
		switch {
		case t.Name == "":
			made.Note = "it has no name"
		case seen[made.Name]:
			made.Note = "the server lists another tool with this name"
		case cmp.Or(made.Configured, made.Default) == tool.Off:
			made.Note = "off in the configuration"
		default:
			made.Offered = made.Parameters != nil
		}
		seen[made.Name] = true
		if made.Configured != "" {
			first = append(first, made)
		} else {
			others = append(others, made)
		}
	}
	return append(first, others...)
}

var (
	foreign   = regexp.MustCompile(`[^a-zA-Z0-9_-]`) // characters that Chat Completions does not allow in names
	manyLines = regexp.MustCompile(`__+`)
)

// fullName is the name under which a server's tool is offered: server__tool. The server part neither contains nor ends
// in two underscores, so a full name belongs to one server only.
func fullName(server, name string) string {
	key := strings.Trim(
		manyLines.ReplaceAllString(foreign.ReplaceAllString(server, "_"), "_"), "_",
	)
	key = marked(key, server, 32)
	return marked(key+"__"+foreign.ReplaceAllString(name, "_"), key+"__"+name, 64)
}

// marked shortens a name to limit bytes. If the result differs from the original, a digest of that is appended.
func marked(name, of string, limit int) string {
	if name == of && len(name) <= limit {
		return name
	}
	sum := sha256.Sum256([]byte(of))
	return strings.Trim(
		name[:min(len(name), limit-7)]+"_"+hex.EncodeToString(sum[:3]), "_",
	)
}

// anyObject is the schema of a tool whose own schema cannot be sent.
const anyObject = `{"properties":{},"type":"object"}`

// schema converts a tool's schema to one that model servers accept; a single invalid one would make them refuse every
// request. note tells what was changed if that matters to the model. The schema is nil if it is too large.
func schema(given any) (made json.RawMessage, note string) {
	object, ok := given.(map[string]any)
	text, _ := json.Marshal(given) // It is decoded JSON.
	if n := len(text); n > maxSchemaBytes {
		return nil, fmt.Sprintf("its schema has %d bytes; at most %d are sent with each request", n, maxSchemaBytes)
	}
	var parsed jsonschema.Schema
	err := json.Unmarshal(text, &parsed)
	if err == nil {
		_, err = parsed.Resolve(nil)
	}
	if err == nil && (!ok || cmp.Or(parsed.Type, "object") != "object") {
		err = errors.New("it is not that of an object")
	}
	if err != nil {
		note = "its schema is not valid (" + clean(err.Error(), 120) + "); the model may send any object"
		return json.RawMessage(anyObject), note
	}
	// Strict servers require an object without alternatives at the top level. The MCP server itself checks which
	// properties belong together.
	for _, key := range []string{"$schema", "allOf", "anyOf", "oneOf", "not", "enum", "if", "then", "else"} {
		delete(object, key)
	}
	object["type"] = "object"
	if object["properties"] == nil {
		object["properties"] = map[string]any{}
	}
	made, _ = json.Marshal(object)
	return made, ""
}

// resultText is a result as text for the model: its texts, and notes about everything else. A structured result is used
// only if there is no text, because servers repeat it there.
func resultText(r *sdk.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		if text := contentText(c); text != "" {
			parts = append(parts, text)
		}
	}
	if parts == nil && r.StructuredContent != nil {
		var object strings.Builder
		e := json.NewEncoder(&object)
		e.SetEscapeHTML(false)
		e.Encode(r.StructuredContent)
		return strings.TrimSpace(object.String())
	}
	return cmp.Or(strings.Join(parts, "\n"), "[no output]")
}

// contentText is one part of a result as text, "" if it is empty.
func contentText(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return dataNote("image", c.MIMEType, c.Data)
	case *sdk.AudioContent:
		return dataNote("audio", c.MIMEType, c.Data)
	case *sdk.ResourceLink:
		return "[link to the resource " + clean(c.URI, 500) + "]"
	case *sdk.EmbeddedResource:
		return resourceText(c.Resource)
	}
	return ""
}

// resourceText is the text of a resource, or a note about its data.
func resourceText(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Blob != nil:
		return dataNote("resource "+r.URI, r.MIMEType, r.Blob)
	}
	return r.Text
}

// dataNote stands for data that is not sent to the model.
func dataNote(what, media string, data []byte) string {
	return fmt.Sprintf(
		"[%s, %s, %d bytes, not sent to the model]", clean(what, 500), clean(media, 100), len(data),
	)
}

// clean returns a server's text as one line of at most limit bytes, without control characters.
func clean(text string, limit int) string {
	return cut(strings.Join(strings.Fields(plain(text)), " "), limit)
}

// plain removes characters that could control a terminal, or hide text from people that the model reads: control
// characters except tab and line feed, and Unicode tag characters.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		hidden := r >= 0xE0000 && r <= 0xE007F
		if hidden || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// cut truncates a text to limit bytes and appends an ellipsis.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// shownURL returns a URL without user, password, query and fragment.
func shownURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that is not a URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
