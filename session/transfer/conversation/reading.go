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

// timeLayout is the layout of times in exports for reading. Such exports share the functions of this file.
const timeLayout = "2006-01-02 15:04 UTC"

// Subtitle returns the line under the title of an exported conversation: date, model and number of messages.
func Subtitle(row store.Session, messages int) string {
	parts := []string{row.Created.UTC().Format(timeLayout)}
	if row.Model != "" {
		parts = append(parts, title.OneLine(strings.TrimPrefix(row.Endpoint+"/"+row.Model, "/")))
	}
	return strings.Join(append(parts, english.Plural(messages, "message", "")), " · ")
}

// TimeText returns the time of a message for reading, "" if it has none.
func TimeText(m store.Message) string {
	if m.CreatedMS == 0 {
		return ""
	}
	return time.UnixMilli(m.CreatedMS).UTC().Format(timeLayout)
}

// StatusText returns the status of a message that is not an ordinary one, or "".
func StatusText(m store.Message) string {
	if m.Status == message.Complete || m.Status == message.Imported {
		return ""
	}
	return title.OneLine(string(m.Status))
}

// Speaker returns the name of the author of a message.
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
