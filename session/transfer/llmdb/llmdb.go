// Package llmdb reads the conversations that the program llm keeps in its SQLite database, as rows of threads or of
// responses. The database holds no descriptions of tools, and of files that are no images only where they were. The
// package does not open the database and does not store the conversations.
package llmdb

import (
	"cmp"
	"encoding/hex"
	"strings"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// Query is SQL for the conversations of a database with these columns, each as one JSON object, "" where it is not
// llm's. A conversation that went on as a thread is read as that alone.
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

// attachmentsSQL is SQL for a list of attachments. from begins with the columns of the table attachments, as a.
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

// logged is a conversation: a thread, or responses.
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

// attachment is a file. The logs hold the bytes of some, and of others only where they were.
type attachment struct {
	Type  string `json:"type"`
	Where string `json:"where"`
	Data  string `json:"data"` // in hex
}

// parts are the parts of a message that attachments are.
func parts(c *conversation.Conversation, attachments []attachment) []message.Part {
	var all []message.Part
	for _, a := range attachments {
		data, _ := hex.DecodeString(a.Data) // SQLite wrote it
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
