package llmdb

import (
	"encoding/json"
	"slices"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// threadsSQL is SQL for the threads, each with all messages that lead to its end or to the end of one of its turns. A
// text may be composed of literals and fragments.
var threadsSQL = `
	SELECT json_object(
		'id', t.id,
		'name', t.name,
		'tip', t.tip_message_hash,
		'time', t.datetime_utc,
		'turns', (
			SELECT json_group_array(
				json_object('tip', tip_message_hash, 'model', coalesce(resolved_model, model), 'time', datetime_utc)
				ORDER BY rowid
			)
			FROM turns
			WHERE thread_id = t.id
		),
		'messages', (
			WITH RECURSIVE above (hash) AS (
				SELECT t.tip_message_hash
				UNION
				SELECT tip_message_hash
				FROM turns
				WHERE thread_id = t.id
				UNION
				SELECT m.parent_hash
				FROM messages m
				JOIN above USING (hash)
			)
			SELECT json_group_array(json_object(
				'hash', m.hash,
				'parent', m.parent_hash,
				'role', m.role,
				'parts', (
					SELECT json_group_array(
						json_object(
							'type', p.type,
							'tool', p.tool_name,
							'payload', p.payload,
							'text', concat(p.text, CASE WHEN json_valid(p.payload) THEN (
								SELECT group_concat(coalesce(e.value ->> 'literal', f.content), '' ORDER BY e.key)
								FROM json_each(p.payload, '$.text_ref') e
								LEFT JOIN fragments f ON f.id = e.value ->> 'fragment'
							) END),
							'attachments', ` + attachmentsSQL(`attachments a
								LEFT JOIN part_attachments q ON q.attachment_id = a.id AND q.part_id = p.id
								WHERE q.part_id IS NOT NULL
									OR json_valid(p.payload) AND a.id = p.payload ->> 'attachment_id'`, "q.[order]") + `
						)
						ORDER BY p.position
					)
					FROM parts p
					WHERE p.message_hash = m.hash
				)
			))
			FROM above
			JOIN messages m USING (hash)
		)
	)
	FROM threads t`

// turn is a step of a thread. The messages that it added have its time and model.
type turn struct {
	Tip   string            `json:"tip"`
	Model string            `json:"model"`
	Time  conversation.Time `json:"time"`
}

// entry is a message.
type entry struct {
	Hash   string `json:"hash"`
	Parent string `json:"parent"`
	Role   string `json:"role"`
	Parts  []struct {
		Type        string       `json:"type"`
		Tool        string       `json:"tool"`
		Text        string       `json:"text"`
		Payload     string       `json:"payload"` // JSON
		Attachments []attachment `json:"attachments"`
	} `json:"parts"`
}

// addThread adds the messages of a tree in which each message names its parent. Turns that do not lead to the thread's
// end are other branches.
func addThread(c *conversation.Conversation, x loggedConversation) {
	entries := map[string]entry{}
	for _, e := range x.Messages {
		entries[e.Hash] = e
	}
	var nodes []conversation.Node
	for _, turn := range append(x.Turns, turn{Tip: x.Tip, Time: x.Time}) {
		first := len(nodes)
		for e, ok := entries[turn.Tip]; ok; e, ok = entries[e.Parent] {
			delete(entries, e.Hash)
			m := conversation.NewMessage(e.Hash, e.Role, "", turn.Time.MS())
			if m.Role == message.Assistant {
				m.Model = turn.Model
			}
			messages := c.SplitContent(e.content(c), e.Hash, m)
			nodes = append(nodes, conversation.Node{ID: e.Hash, Parent: e.Parent, Messages: messages})
		}
		slices.Reverse(nodes[first:])
	}
	c.AddTree(nodes, x.Tip)
}

// content reads the parts of a message.
func (e entry) content(c *conversation.Conversation) conversation.Content {
	var out conversation.Content
	for _, p := range e.Parts {
		var payload map[string]conversation.Text
		_ = json.Unmarshal([]byte(p.Payload), &payload) // text parts have none
		call, text := string(payload["tool_call_id"]), p.Text
		switch p.Type {
		case "text":
			out.Text = conversation.JoinParagraphs(out.Text, text)
		case "reasoning":
			out.Reasoning += text
		case "tool_call":
			arguments := string(payload["arguments"])
			out.Calls = append(out.Calls, message.ToolCall{ID: call, Name: p.Tool, Arguments: arguments})
		case "tool_result":
			text = string(payload["output"]) + text
			out.Results = append(out.Results, conversation.ToolResult{CallID: call, Name: p.Tool, Text: text})
		case "attachment":
			out.Parts = append(out.Parts, parts(c, p.Attachments)...)
		default:
			out.Unsupported = append(out.Unsupported, p.Type)
		}
	}
	return out
}
