// Package llmdb reads conversations from the SQLite database of the program llm, stored as threads or as responses. It
// contains no descriptions of tools, and only the locations of files that are not images.
package llmdb

import (
	"cmp"
	"encoding/hex"
	"strings"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// Query returns a query for the conversations of a database with these columns ("table.column"), each as one JSON
// object, or "" if it is not a database of llm. A conversation that is stored in both forms is read as a thread.
func Query(columns map[string]bool) string {
	threads, responses := columns["threads.tip_message_hash"], columns["responses.resolved_model"]
	switch {
	case threads && responses:
		return threadsSQL + ` UNION ALL ` + responsesSQL(`
			r.conversation_id IS NULL OR r.conversation_id NOT IN (SELECT id FROM threads)`)
	case threads:
		return threadsSQL
	case responses:
		return responsesSQL(`true`)
	}
	return ""
}

// attachmentsSQL returns SQL for a list of attachments. from is a FROM clause with the table attachments as a.
func attachmentsSQL(from, order string) string {
	return `(
		SELECT json_group_array(
			json_object('type', a.type, 'where', coalesce(a.path, a.url), 'data', hex(a.content))
			ORDER BY ` + order + `
		)
		FROM ` + from + `
	)`
}

// Read reads the conversations that the query returns.
var Read = conversation.PerValue("llm", read)

// loggedConversation is one conversation, as a thread or as responses.
type loggedConversation struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Tip       string            `json:"tip"`
	Time      conversation.Time `json:"time"`
	Turns     []turn            `json:"turns"`
	Messages  []entry           `json:"messages"`
	Responses []response        `json:"responses"`
}

func read(c *conversation.Conversation, x loggedConversation) error {
	c.Session.Origin, c.Session.Title = x.ID, x.Name
	if x.Tip != "" {
		addThread(c, x)
		return nil
	}
	system := ""
	for _, r := range x.Responses {
		system = r.addTo(c, system)
	}
	return nil
}

// attachment is a file. The database contains the data of some, and only the location of others.
type attachment struct {
	Type  string `json:"type"`
	Where string `json:"where"`
	Data  string `json:"data"` // hexadecimal
}

// parts returns attachments as the parts of a message.
func parts(c *conversation.Conversation, attachments []attachment) []message.Part {
	var all []message.Part
	for _, a := range attachments {
		data, _ := hex.DecodeString(a.Data) // written by SQLite's hex function
		if strings.HasPrefix(a.Type, "image/") && len(data) > 0 {
			name := a.Where[strings.LastIndexAny(a.Where, `/\`)+1:]
			all = append(all, message.Part{Kind: message.ImagePart, Name: name, MediaType: a.Type, Data: data})
			continue
		}
		where := cmp.Or(a.Where, a.Type)
		c.Warnf("", "the attachment %q is not in the logs as an image; a note replaces it", where)
		all = append(all, conversation.NotImported("file "+where))
	}
	return all
}
