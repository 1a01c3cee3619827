package llmdb

import (
	"cmp"
	"encoding/json"
	"fmt"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// conversation reads a conversation of the table responses.
func (l *logs) conversation(id string) {
	for _, row := range l.texts(`SELECT name FROM conversations WHERE id = ?`, id) {
		l.conv.Session.Title = row[0]
	}
	l.responses("conversation_id = ?", id)
}

// alone reads a response that belongs to no conversation.
func (l *logs) alone(id string) { l.responses("conversation_id IS NULL AND id = ?", id) }

// responses reads the responses of one conversation, the oldest first.
func (l *logs) responses(which, id string) {
	system := ""
	for _, r := range l.texts(`
		SELECT
			id,
			model,
			resolved_model,
			prompt,
			system,
			response,
			reasoning,
			options_json,
			datetime_utc
		FROM responses
		WHERE `+which+`
		ORDER BY
			datetime_utc,
			rowid`, id) {
		at := timeOf(r[8])
		if said := l.fragments(r[0], "system_fragments", r[4]); said != "" && said != system {
			system = said
			l.conv.Append(conversation.NewMessage(r[0]+"/system", message.System, said, at))
		}
		l.results(r[0], at)
		asked := conversation.NewMessage(r[0]+"/prompt", message.User, l.fragments(r[0], "prompt_fragments", r[3]), at)
		asked.Parts = l.attachments(`
			FROM prompt_attachments p
			JOIN attachments a ON a.id = p.attachment_id
			WHERE p.response_id = ?
			ORDER BY p.[order]`, r[0])
		if !conversation.Blank(asked.Message.Message) {
			l.conv.Append(asked)
		}
		answer := conversation.NewMessage(r[0], message.Assistant, r[5], at)
		answer.Model, answer.Reasoning = cmp.Or(r[2], r[1]), r[6]
		for _, call := range l.texts(`
			SELECT
				tool_call_id,
				name,
				arguments
			FROM tool_calls
			WHERE response_id = ?
			ORDER BY id`, r[0]) {
			asked := message.ToolCall{ID: call[0], Name: call[1], Arguments: call[2]}
			answer.ToolCalls = append(answer.ToolCalls, asked)
		}
		if options := json.RawMessage(r[7]); len(options) > 2 && json.Valid(options) {
			options = conversation.Object(map[string]json.RawMessage{"options": options})
			answer.Extra = conversation.Object(map[string]json.RawMessage{"llm": options})
		}
		l.conv.Append(answer)
	}
}

// results adds what tools answered to the calls of the response before.
func (l *logs) results(response string, at int64) {
	for i, row := range l.texts(`
		SELECT
			id,
			tool_call_id,
			name,
			output,
			exception
		FROM tool_results
		WHERE response_id = ?
		ORDER BY id`, response) {
		label := fmt.Sprintf("%s/result %d", response, i+1)
		m := conversation.NewMessage(label, message.Tool, cmp.Or(row[3], row[4]), at)
		m.ToolCallID, m.Name = row[1], row[2]
		m.Parts = l.attachments(`
			FROM tool_results_attachments p
			JOIN attachments a ON a.id = p.attachment_id
			WHERE p.tool_result_id = ?
			ORDER BY p.[order]`, row[0])
		l.conv.Append(m)
	}
}

// fragments is a text behind the fragments that were sent with it.
func (l *logs) fragments(response, table, text string) string {
	return l.joined(text, `
		SELECT f.content
		FROM [`+table+`] p
		JOIN fragments f ON f.id = p.fragment_id
		WHERE p.response_id = ?
		ORDER BY p.[order]`, response)
}
