package llmdb

import (
	"cmp"
	"encoding/json"
	"fmt"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// responsesJSON is SQL for the responses that a condition picks, the oldest first.
func responsesJSON(which string) string {
	fragments := func(table string) string {
		return `(
			SELECT json_group_array(f.content ORDER BY p.[order])
			FROM ` + table + ` p
			JOIN fragments f ON f.id = p.fragment_id
			WHERE p.response_id = r.id
		)`
	}
	return `
		SELECT json_object(
			'id', ?1,
			'name', (SELECT name FROM conversations WHERE id = ?1),
			'responses', json_group_array(
				json_object(
					'id', r.id,
					'model', coalesce(r.resolved_model, r.model),
					'prompt', r.prompt,
					'system', r.system,
					'response', r.response,
					'reasoning', r.reasoning,
					'options', r.options_json,
					'time', r.datetime_utc,
					'prompt_fragments', ` + fragments("prompt_fragments") + `,
					'system_fragments', ` + fragments("system_fragments") + `,
					'attachments', ` + attachmentsJSON(`prompt_attachments p
						JOIN attachments a ON a.id = p.attachment_id
						WHERE p.response_id = r.id`, "p.[order]") + `,
					'calls', (
						SELECT json_group_array(
							json_object('id', tool_call_id, 'name', name, 'arguments', arguments)
							ORDER BY id
						)
						FROM tool_calls
						WHERE response_id = r.id
					),
					'results', (
						SELECT json_group_array(
							json_object(
								'call', t.tool_call_id,
								'name', t.name,
								'output', t.output,
								'exception', t.exception,
								'attachments', ` + attachmentsJSON(`tool_results_attachments p
									JOIN attachments a ON a.id = p.attachment_id
									WHERE p.tool_result_id = t.id`, "p.[order]") + `
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
		WHERE ` + which
}

// response is a prompt and its answer.
type response struct {
	ID              string             `json:"id"`
	Model           string             `json:"model"`
	Prompt          string             `json:"prompt"`
	System          string             `json:"system"`
	Response        string             `json:"response"`
	Reasoning       string             `json:"reasoning"`
	Options         string             `json:"options"` // JSON
	Time            conversation.Time  `json:"time"`
	PromptFragments []string           `json:"prompt_fragments"`
	SystemFragments []string           `json:"system_fragments"`
	Attachments     []attachment       `json:"attachments"`
	Calls           []message.ToolCall `json:"calls"`
	Results         []struct {
		Call        string       `json:"call"`
		Name        string       `json:"name"`
		Output      string       `json:"output"`
		Exception   string       `json:"exception"`
		Attachments []attachment `json:"attachments"`
	} `json:"results"` // of the calls of the response before
}

// add adds a response to its conversation, whose system prompt so far is system, and returns that of the response.
func (r response) add(c *conversation.Conversation, system string) string {
	at := r.Time.MS()
	if said := conversation.Join(append(r.SystemFragments, r.System)...); said != "" && said != system {
		system = said
		c.Append(conversation.NewMessage(r.ID+"/system", message.System, said, at))
	}
	for i, result := range r.Results {
		label := fmt.Sprintf("%s/result %d", r.ID, i+1)
		m := conversation.NewMessage(label, message.Tool, cmp.Or(result.Output, result.Exception), at)
		m.ToolCallID, m.Name, m.Parts = result.Call, result.Name, parts(c, result.Attachments)
		c.Append(m)
	}
	prompt := conversation.Join(append(r.PromptFragments, r.Prompt)...)
	asked := conversation.NewMessage(r.ID+"/prompt", message.User, prompt, at)
	if asked.Parts = parts(c, r.Attachments); !conversation.Blank(asked.Message.Message) {
		c.Append(asked)
	}
	answer := conversation.NewMessage(r.ID, message.Assistant, r.Response, at)
	answer.Model, answer.Reasoning, answer.ToolCalls = r.Model, r.Reasoning, r.Calls
	if options := json.RawMessage(r.Options); len(options) > 2 && json.Valid(options) {
		options = conversation.Object(map[string]json.RawMessage{"options": options})
		answer.Extra = conversation.Object(map[string]json.RawMessage{"llm": options})
	}
	c.Append(answer)
	return system
}
