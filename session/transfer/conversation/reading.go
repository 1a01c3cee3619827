package conversation

import (
	"cmp"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/title"
)

// What the formats for reading say alike of a conversation and its messages.

// minute is a time as people read it.
const minute = "2006-01-02 15:04 UTC"

// About is the line under the title of a conversation of so many messages.
func Subtitle(row store.Session, messages int) string {
	parts := []string{row.Created.UTC().Format(minute)}
	if row.Model != "" {
		parts = append(parts, title.OneLine(strings.TrimPrefix(row.Endpoint+"/"+row.Model, "/")))
	}
	return strings.Join(append(parts, english.Plural(messages, "message", "")), " · ")
}

// When is the time of a message, "" for none.
func TimeText(m store.Message) string {
	if m.CreatedMS == 0 {
		return ""
	}
	return time.UnixMilli(m.CreatedMS).UTC().Format(minute)
}

// Status is what is odd about a message, "" for nothing.
func StatusText(m store.Message) string {
	if m.Status == message.Complete || m.Status == message.Imported {
		return ""
	}
	return title.OneLine(string(m.Status))
}

// Speaker is who wrote a message.
func Speaker(m store.Message) string {
	switch m.Role {
	case message.User:
		return cmp.Or(title.OneLine(m.Name), "You")
	case message.Assistant:
		return cmp.Or(title.OneLine(m.Model), title.OneLine(m.Name), "Assistant")
	case message.Tool:
		return strings.TrimSpace("Tool " + title.OneLine(m.Name))
	case message.System:
		return "System"
	}
	return cmp.Or(title.OneLine(string(m.Role)), "Unknown")
}
