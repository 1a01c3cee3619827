package session

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"winnow/session/store"
)

// mark is a comment in a Markdown file that no reader sees, and that says what stands behind it: so the
// file can be imported again. Marks of one file have a name of their own, which occurs in none of its
// texts, so that nothing that was said is taken for one.
type mark struct {
	Is kind `json:"is"`

	// Of the conversation.
	Session string `json:"session,omitempty"`
	Title   string `json:"title,omitempty"`

	// Of a message.
	Role    string `json:"role,omitempty"`
	Time    string `json:"time,omitempty"` // RFC 3339
	Answers string `json:"answers,omitempty"`
	Label   string `json:"label,omitempty"`
	Damaged bool   `json:"damaged,omitempty"`

	// Of several of them.
	ID    string `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Model string `json:"model,omitempty"`
	Type  string `json:"type,omitempty"`

	// Of a text: what was done to it to make it Markdown.
	Before int    `json:"before,omitempty"` // line ends taken from its beginning
	After  int    `json:"after,omitempty"`  // and from its end
	Open   bool   `json:"open,omitempty"`   // a fence was put behind it
	Exact  string `json:"exact,omitempty"`  // the text itself, where it is blank
}

// kind says what stands behind a mark.
type kind string

// The kinds of marks.
const (
	markConversation kind = "conversation"
	markSystem       kind = "system"
	markMessage      kind = "message"
	markText         kind = "text"
	markReasoning    kind = "reasoning"
	markFile         kind = "file"
	markImage        kind = "image"
	markCall         kind = "call"
)

// The ends of a mark, around its name and a JSON object.
const (
	markBegins = "<!-- winnow:"
	markEnds   = " -->"
)

// line is the mark as a line of a file whose marks have this name. JSON writes > as an escape, so that
// nothing in it ends the comment.
func (m mark) line(name string) string {
	doc, err := json.Marshal(m)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return markBegins + name + " " + string(doc) + markEnds
}

// readMark reads a line that may be a mark. A name that is not "" must be the mark's.
func readMark(line, name string) (m mark, named string, ok bool) {
	rest, begins := strings.CutPrefix(strings.TrimRight(line, "\r\n"), markBegins)
	rest, ends := strings.CutSuffix(rest, markEnds)
	named, doc, _ := strings.Cut(rest, " ")
	if !begins || !ends || named == "" || name != "" && named != name {
		return mark{}, "", false
	}
	return m, named, json.Unmarshal([]byte(doc), &m) == nil
}

// markName is a name for the marks of a conversation that none of its texts holds.
func markName(row store.Session, branch []store.Message) string {
	sum := sha256.Sum256([]byte(row.ID))
	for {
		name := hex.EncodeToString(sum[:4])
		if !mentions(row, branch, name) {
			return name
		}
		sum = sha256.Sum256(sum[:])
	}
}

// mentions says that a text of a conversation holds a word.
func mentions(row store.Session, branch []store.Message, word string) bool {
	if strings.Contains(row.System, word) {
		return true
	}
	for _, m := range branch {
		if strings.Contains(m.Content, word) || strings.Contains(m.Reasoning, word) {
			return true
		}
		for _, c := range m.ToolCalls {
			if strings.Contains(c.Arguments, word) {
				return true
			}
		}
		for _, p := range m.Parts {
			if strings.Contains(p.Text, word) {
				return true
			}
		}
	}
	return false
}
