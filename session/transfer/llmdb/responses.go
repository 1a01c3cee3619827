package llmdb

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/store/sqlite"
	"winnow/session/transfer/conversation"
)

// replied is one response of llm with what was asked for it.
type replied struct {
	id, model, prompt, system, response, reasoning, options, input, output, schema, resolved string
	at                                                                                       int64
}

// conversation reads a conversation from the table of responses.
func (l *Reader) conversation(ctx context.Context, id string) (conversation.Conversation, error) {
	conv, err := l.responses(ctx, "conversation_id = ?", id)
	if err == nil && l.columns["threads"] != nil {
		threads, err := firstColumn(ctx, l.db, `SELECT id FROM threads WHERE id = ?`, id)
		if err != nil {
			return conversation.Conversation{}, err
		}
		if len(threads) > 0 {
			conv.Session.Origin += " responses" // the thread has the name
		}
	}
	if err != nil || l.columns["conversations"] == nil {
		return conv, err
	}
	names, err := firstColumn(ctx, l.db, `SELECT `+l.column("conversations", "", "name")+` FROM conversations WHERE id = ?`, id)
	if len(names) > 0 {
		conv.Session.Title = names[0]
	}
	return conv, err
}

// alone reads a response that belongs to no conversation.
func (l *Reader) alone(ctx context.Context, id string) (conversation.Conversation, error) {
	return l.responses(ctx, "conversation_id IS NULL AND id = ?", id)
}

// responses reads the responses of one conversation, the oldest first.
func (l *Reader) responses(ctx context.Context, which, id string) (conversation.Conversation, error) {
	order := "rowid"
	if l.columns["responses"]["datetime_utc"] {
		order = "datetime_utc, rowid"
	}
	rows, err := rowsOf(ctx, l.db, `
		SELECT
			`+l.columnsOf("responses", "", "id", "model", "prompt", "system", "response", "reasoning", "options_json",
		"input_tokens", "output_tokens", "schema_id", "resolved_model", "datetime_utc")+`
		FROM responses
		WHERE `+which+`
		ORDER BY `+order, id)
	if err != nil {
		return conversation.Conversation{}, err
	}
	chain := chain{logs: l, conv: begin(store.Session{Source: "llm", Origin: id})}
	for _, r := range rows {
		err := chain.response(ctx, replied{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], timeOf(r[11])})
		if err != nil {
			return conversation.Conversation{}, err
		}
	}
	return chain.conv, nil
}

// chain is a conversation that grows by one message after the other.
type chain struct {
	logs   *Reader
	conv   conversation.Conversation
	system string
}

// add adds a message after the last one.
func (c *chain) add(u store.ImportedMessage) {
	u.After = len(c.conv.Messages) - 1
	c.conv.Messages = append(c.conv.Messages, u)
}

// response adds what a response was given and what it answered. A system prompt is a message where it is
// another than before; the results of tools come before the prompt, as they were sent.
func (c *chain) response(ctx context.Context, r replied) error {
	system, err := c.withFragments(ctx, r.id, "system_fragments", r.system)
	if err != nil {
		return err
	}
	if system != "" && system != c.system {
		c.system = system
		c.add(newMessage(r.id+"/system", message.System, system, r.at))
	}
	if err := c.results(ctx, r); err != nil {
		return err
	}
	prompt, err := c.withFragments(ctx, r.id, "prompt_fragments", r.prompt)
	if err != nil {
		return err
	}
	asked := newMessage(r.id+"/prompt", message.User, prompt, r.at)
	asked.Parts, err = c.attachments(ctx, `
		FROM prompt_attachments p
		JOIN attachments a ON a.id = p.attachment_id
		WHERE p.response_id = ?
		ORDER BY p.[order]`, "prompt_attachments", r.id)
	if err != nil {
		return err
	}
	if prompt != "" || len(asked.Parts) > 0 {
		c.add(asked)
	}
	return c.answer(ctx, r)
}

// answer adds what the model answered and called.
func (c *chain) answer(ctx context.Context, r replied) error {
	m := newMessage(r.id, message.Assistant, r.response, r.at)
	m.Reasoning, m.Model = r.reasoning, cmp.Or(r.resolved, r.model)
	if c.logs.columns["tool_calls"] != nil {
		calls, err := rowsOf(ctx, c.logs.db, `
			SELECT
				`+c.logs.columnsOf("tool_calls", "", "tool_call_id", "name", "arguments")+`
			FROM tool_calls
			WHERE response_id = ?
			ORDER BY id`, r.id)
		if err != nil {
			return err
		}
		for _, call := range calls {
			m.ToolCalls = append(m.ToolCalls, message.ToolCall{ID: call[0], Name: call[1], Arguments: call[2]})
		}
	}
	m.Extra = r.extra()
	c.add(m)
	return nil
}

// extra is what else the logs say of a response.
func (r replied) extra() []byte {
	kept := map[string]any{}
	for key, text := range map[string]string{"options": r.options, "input_tokens": r.input, "output_tokens": r.output} {
		if text != "" && text != "{}" && json.Valid([]byte(text)) {
			kept[key] = json.RawMessage(text)
		}
	}
	if r.schema != "" {
		kept["schema"] = r.schema
	}
	if r.resolved != "" {
		kept["model"] = r.model
	}
	if len(kept) == 0 {
		return nil
	}
	text, err := json.Marshal(map[string]any{"llm": kept})
	if err != nil {
		return nil // Only invalid JSON fails, and it is left out.
	}
	return text
}

// results adds what tools answered to the calls of the response before.
func (c *chain) results(ctx context.Context, r replied) error {
	if c.logs.columns["tool_results"] == nil {
		return nil
	}
	rows, err := rowsOf(ctx, c.logs.db, `
		SELECT
			CAST(id AS TEXT),
			`+c.logs.columnsOf("tool_results", "", "tool_call_id", "name", "output", "exception")+`
		FROM tool_results
		WHERE response_id = ?
		ORDER BY id`, r.id)
	if err != nil {
		return err
	}
	for i, row := range rows {
		m := newMessage(fmt.Sprintf("%s/result %d", r.id, i+1), message.Tool, row[3], r.at)
		m.ToolCallID, m.Name = row[1], row[2]
		if m.Content == "" {
			m.Content = row[4]
		}
		m.Parts, err = c.attachments(ctx, `
			FROM tool_results_attachments p
			JOIN attachments a ON a.id = p.attachment_id
			WHERE p.tool_result_id = ?
			ORDER BY p.[order]`, "tool_results_attachments", row[0])
		if err != nil {
			return err
		}
		c.add(m)
	}
	return nil
}

// withFragments is a text after the fragments that were sent with it.
func (c *chain) withFragments(ctx context.Context, id, table, text string) (string, error) {
	if c.logs.columns[table] == nil || c.logs.columns["fragments"] == nil {
		return text, nil
	}
	all, err := firstColumn(ctx, c.logs.db, `
		SELECT f.content
		FROM [`+table+`] p
		JOIN fragments f ON f.id = p.fragment_id
		WHERE p.response_id = ?
		ORDER BY p.[order]`, id)
	if err != nil {
		return "", err
	}
	if text != "" {
		all = append(all, text)
	}
	return strings.Join(all, "\n\n"), nil
}

// attachments are the parts that hang on a message. The logs hold the bytes of some, and of others only
// where they were.
func (c *chain) attachments(ctx context.Context, from, table string, id any) ([]message.Part, error) {
	if c.logs.columns[table] == nil || c.logs.columns["attachments"] == nil {
		return nil, nil
	}
	return sqlite.Collect(ctx, c.logs.db, func(scan func(...any) error) (message.Part, error) {
		var kind, path, url string
		var data []byte
		if err := scan(&kind, &path, &url, &data); err != nil {
			return message.Part{}, err
		}
		return c.attachment(kind, path+url, data), nil
	}, `
		SELECT
			`+c.logs.columnsOf("attachments", "a.", "type", "path", "url")+`,
			a.content
		`+from, id)
}

func (c *chain) attachment(kind, where string, data []byte) message.Part {
	name := where[strings.LastIndexAny(where, `/\`)+1:]
	if strings.HasPrefix(kind, "image/") && len(data) > 0 {
		return message.Part{Kind: message.ImagePart, Name: name, MediaType: kind, Data: data}
	}
	if where == "" {
		where = kind
	}
	c.conv.Odd("", "", "the attachment %q is not in the logs as an image; a note replaces it", where)
	return conversation.Note("file " + where)
}
