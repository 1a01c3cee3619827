package llmdb

import (
	"fmt"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// fragmentsSQL returns SQL for the fragments of a prompt or system prompt.
func fragmentsSQL(table string) string {
	return `(
		SELECT json_group_array(f.content ORDER BY p.[order])
		FROM ` + table + ` p
		JOIN fragments f ON f.id = p.fragment_id
		WHERE p.response_id = r.id
	)`
}

// responsesSQL returns SQL for the conversations that are stored as responses, each in the order of their times. A
// response without a conversation is a conversation of its own.
func responsesSQL(condition string) string {
	return `
		SELECT json_object(
			'id', coalesce(r.conversation_id, r.id),
			'name', (SELECT name FROM conversations WHERE id = r.conversation_id),
			'responses', json_group_array(
				json_object(
					'id', r.id,
					'model', coalesce(r.resolved_model, r.model),
					'prompt', r.prompt,
					'system', r.system,
					'response', r.response,
					'reasoning', r.reasoning,
					'time', r.datetime_utc,
					'prompt_fragments', ` + fragmentsSQL("prompt_fragments") + `,
					'system_fragments', ` + fragmentsSQL("system_fragments") + `,
					'attachments', ` + attachmentsSQL(`prompt_attachments p
						JOIN attachments a ON a.id = p.attachment_id
						WHERE p.response_id = r.id`, "p.[order]") + `,
					'calls', (
						SELECT json_group_array(
							json_object('id', tool_call_id, 'name', name, 'arguments', arguments) ORDER BY id
						)
						FROM tool_calls
						WHERE response_id = r.id
					),
					'results', (
						SELECT json_group_array(
							json_object(
								'call', t.tool_call_id,
								'name', t.name,
								'output', coalesce(nullif(t.output, ''), t.exception)
							)
							ORDER BY t.id
						)
						FROM tool_results t
						WHERE t.response_id = r.id
					)
				)
				ORDER BY r.datetime_utc, r.rowid
			)
		)
		FROM responses r
		WHERE ` + condition + `
		GROUP BY coalesce(r.conversation_id, r.id)`
}

// response is a prompt and its answer.
type response struct {
	ID              string             `json:"id"`
	Model           string             `json:"model"`
	Prompt          string             `json:"prompt"`
	System          string             `json:"system"`
	Response        string             `json:"response"`
	Reasoning       string             `json:"reasoning"`
	Time            conversation.Time  `json:"time"`
	PromptFragments []string           `json:"prompt_fragments"`
	SystemFragments []string           `json:"system_fragments"`
	Attachments     []attachment       `json:"attachments"`
	Calls           []message.ToolCall `json:"calls"`
	Results         []struct {
		Call   string `json:"call"`
		Name   string `json:"name"`
		Output string `json:"output"`
	} `json:"results"` // for the calls of the response before
}

// addTo adds a response to its conversation. system is the system prompt so far; the returned one is that of the
// response.
func (r response) addTo(c *conversation.Conversation, system string) string {
	at := r.Time.MS()
	if said := conversation.JoinParagraphs(append(r.SystemFragments, r.System)...); said != "" && said != system {
		system = said
		c.Append(conversation.NewMessage(r.ID+"/system", "system", said, at))
	}
	for i, result := range r.Results {
		m := conversation.NewMessage(fmt.Sprintf("%s/result %d", r.ID, i+1), "tool", result.Output, at)
		m.ToolCallID, m.Name = result.Call, result.Name
		c.Append(m)
	}
	prompt := conversation.JoinParagraphs(append(r.PromptFragments, r.Prompt)...)
	asked := conversation.NewMessage(r.ID+"/prompt", "user", prompt, at)
	if asked.Parts = parts(c, r.Attachments); !conversation.IsBlank(asked) {
		c.Append(asked)
	}
	answer := conversation.NewMessage(r.ID, "assistant", r.Response, at)
	answer.Model, answer.Reasoning, answer.ToolCalls = r.Model, r.Reasoning, r.Calls
	c.Append(answer)
	return system
}
