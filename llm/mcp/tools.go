package mcp

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"winnow/llm/tool"
)

// Tool is a tool that a server lists.
type Tool struct {
	tool.Tool // as it is offered to the model, under its full name

	Own     string // the server's own name of it
	Offered bool   // requests offer it
	Note    string // why it is not offered, or what of it was changed; "" for nothing

	fit     bool   // it can be offered where there is room
	changed string // what of it was changed
}

// The longest full name that the Chat Completions format allows, and what of it may be the server's name.
const (
	longestName = 64
	longestKey  = 32
)

// named turns a server's list into tools with full names, each once. Their order is the server's.
func named(s Server, key string, listed []*sdk.Tool) []Tool {
	var out []Tool
	seen, full := map[string]bool{}, map[string]bool{}
	for _, t := range listed {
		made := Tool{Own: t.Name}
		made.Reach = reach(s)
		made.Server, made.Configured, made.Default = s.Name, s.Tools[t.Name], s.Approve
		made.Timeout = cmp.Or(s.ToolTimeout, DefaultTool) + time.Second // The server is told when its own time is over.
		made.Name = fullName(key, t.Name, false)
		if full[made.Name] {
			made.Name = fullName(key, t.Name, true)
		}
		made.Description = described(t)
		if len(made.Description) > mostDescription {
			made.changed = fmt.Sprintf("only the first %d of %d bytes of its description are sent",
				mostDescription, len(made.Description))
			made.Description = cut(made.Description, mostDescription)
		}
		parameters, replaced, err := schema(t.InputSchema)
		made.Parameters = parameters
		if replaced != "" {
			made.changed = replaced
		}
		switch {
		case t.Name == "":
			made.Note = "it has no name"
		case seen[t.Name]:
			made.Note = "the server lists another tool with this name"
		case err != nil:
			made.Note = err.Error()
		case cmp.Or(made.Configured, made.Default) == tool.Off:
			made.Note = "off in the configuration"
		default:
			made.fit = true
		}
		seen[t.Name], full[made.Name] = true, true
		out = append(out, made)
	}
	return out
}

// reach says what a call of a server's tools can reach.
func reach(s Server) string {
	if s.Command != "" {
		return "Runs as you, with your files and network."
	}
	return "Runs at " + shownURL(s.URL) + ", which gets the arguments."
}

// described is what the model is told about a tool.
func described(t *sdk.Tool) string {
	title := t.Title
	if title == "" && t.Annotations != nil {
		title = t.Annotations.Title
	}
	if t.Description == "" {
		return plain(title)
	}
	return plain(t.Description)
}

// keyOf is the part of full names that stands for a server. It holds no two low lines in a row, so that a full
// name can be of one server alone.
func keyOf(name string) string {
	key := strings.Trim(safeName(name), "_")
	for strings.Contains(key, "__") {
		key = strings.ReplaceAll(key, "__", "_")
	}
	if key != name || key == "" || len(key) > longestKey {
		key = strings.Trim(key[:min(len(key), longestKey-7)], "_") + "_" + digest(name)
		key = strings.TrimPrefix(key, "_")
	}
	return key
}

// fullName is the name under which a server's tool is offered: the server's, two low lines, the tool's. A tool's name
// with other characters, one that is too long, and one that would be another tool's gets a digest of it.
func fullName(key, name string, taken bool) string {
	full := key + "__" + safeName(name)
	if taken || safeName(name) != name || len(full) > longestName {
		full = full[:min(len(full), longestName-7)] + "_" + digest(name)
	}
	return full
}

func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:3])
}

// anyObject is the schema of a tool whose own one cannot be sent.
const anyObject = `{"properties":{},"type":"object"}`

// schema makes a tool's schema one that model servers accept: one bad schema would have them refuse every request.
// The note says what was changed, where that matters to the model.
func schema(given any) (made json.RawMessage, note string, err error) {
	text, err := json.Marshal(given)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("its schema cannot be written: %w", err)
	case len(text) > mostSchema:
		return nil, "", fmt.Errorf("its schema has %d bytes; at most %d are sent with each request",
			len(text), mostSchema)
	}
	object, ok := given.(map[string]any)
	if !ok || object["type"] != nil && object["type"] != "object" {
		return json.RawMessage(anyObject), "its schema is not that of an object; the model may send any object", nil
	}
	var parsed jsonschema.Schema
	err = json.Unmarshal(text, &parsed)
	if err == nil {
		_, err = parsed.Resolve(nil)
	}
	if err != nil {
		note = "its schema is not valid (" + clean(err.Error(), 120) + "); the model may send any object"
		return json.RawMessage(anyObject), note, nil
	}
	made, err = json.Marshal(flattened(object))
	return made, "", err
}

// flattened is a schema as strict servers want it: an object with properties and without alternatives on its
// first level, whose properties are all listed instead. The server itself checks which of them belong together.
func flattened(object map[string]any) map[string]any {
	out := maps.Clone(object)
	properties := map[string]any{}
	merge := func(from any) {
		more, _ := from.(map[string]any)
		for name, value := range more {
			if _, there := properties[name]; !there {
				properties[name] = value
			}
		}
	}
	merge(object["properties"])
	for _, kind := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := object[kind].([]any)
		for _, branch := range branches {
			if b, ok := branch.(map[string]any); ok {
				merge(b["properties"])
			}
		}
		delete(out, kind)
	}
	for _, key := range []string{"$schema", "not", "enum", "if", "then", "else"} {
		delete(out, key)
	}
	out["type"], out["properties"] = "object", properties
	return out
}

// difference says in words what changed between two lists of tools, "" for nothing.
func difference(before, after []Tool) string {
	was, is := fitting(before), fitting(after)
	var added, removed, changed []string
	for _, t := range after {
		old, there := was[t.Name]
		switch {
		case !t.fit:
		case !there:
			added = append(added, t.Name)
		case old.Description != t.Description || !bytes.Equal(old.Parameters, t.Parameters):
			changed = append(changed, t.Name)
		}
	}
	for _, t := range before {
		if _, there := is[t.Name]; t.fit && !there {
			removed = append(removed, t.Name)
		}
	}
	var parts []string
	for i, names := range [][]string{added, removed, changed} {
		if n := len(names); n > 5 {
			names = append(names[:5], fmt.Sprintf("and %d more", n-5))
		}
		if names != nil {
			parts = append(parts, []string{"added ", "removed ", "changed "}[i]+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// fitting are the tools that can be offered, by name.
func fitting(tools []Tool) map[string]Tool {
	all := make(map[string]Tool, len(tools))
	for _, t := range tools {
		if t.fit {
			all[t.Name] = t
		}
	}
	return all
}

// choose marks the tools that are offered where there is room for so many. Those that the configuration names
// go first, then the server's order counts. It returns how many are offered and how many are left out.
func choose(s Server, tools []Tool, room int) (offered, left int) {
	for _, named := range []bool{true, false} {
		for i := range tools {
			t := &tools[i]
			if _, is := s.Tools[t.Own]; !t.fit || is != named {
				continue
			}
			if t.Offered = offered < room; t.Offered {
				t.Note = t.changed
				offered++
			} else {
				t.Note = fmt.Sprintf("not offered: requests hold at most %d tools", MostTools)
				left++
			}
		}
	}
	return offered, left
}
