package guide

import (
	"encoding/json"
	"strings"
)

// checkMessages refuses what the strictest of the real servers would refuse, in their words. A
// client that satisfies the guide satisfies them.
func checkMessages(messages []message) *refusal {
	if len(messages) == 0 {
		return badRequest("messages", "[] is too short - 'messages'")
	}
	var open []string // ids of calls without a result so far
	seen := map[string]bool{}
	spoken := false
	for i, m := range messages {
		if m.Role != "tool" && len(open) > 0 {
			return unanswered(i, open)
		}
		var problem *refusal
		switch m.Role {
		case "system", "developer":
			problem = checkSystem(i, m, spoken)
		case "user":
			problem = checkSpoken(i, m)
		case "assistant":
			problem = checkAssistant(i, m, spoken, seen)
			open = ids(m.ToolCalls)
		case "tool":
			open, problem = checkResult(i, m, open)
		default:
			problem = badRequest(field(i, "role"), "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.", m.Role)
		}
		if problem != nil {
			return problem
		}
		spoken = spoken || m.Role != "system" && m.Role != "developer"
	}
	if len(open) > 0 {
		return unanswered(len(messages), open)
	}
	if role := messages[len(messages)-1].Role; role != "user" && role != "tool" {
		return badRequest("messages", "Expected last role User or Tool (or Assistant with prefix True) for serving but got %s", role)
	}
	return nil
}

func checkSystem(i int, m message, spoken bool) *refusal {
	if spoken {
		return badRequest(field(i, "role"), "System message must be at the beginning.")
	}
	return checkSpoken(i, m)
}

func checkSpoken(i int, m message) *refusal {
	if m.Content == nil {
		return badRequest(field(i, "content"), "All non-assistant messages must contain 'content'")
	}
	if strings.TrimSpace(m.text()) == "" {
		return badRequest(field(i, "content"), "messages.%d: all messages must have non-empty content", i)
	}
	return nil
}

func checkAssistant(i int, m message, spoken bool, seen map[string]bool) *refusal {
	if !spoken {
		return badRequest(field(i, "role"), "Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
	}
	if len(m.ToolCalls) == 0 && strings.TrimSpace(m.text()) == "" {
		return badRequest(field(i, "content"), "Assistant message must have either content or tool_calls, but not none.")
	}
	for _, c := range m.ToolCalls {
		switch {
		case c.Function.Name == "":
			return badRequest(field(i, "tool_calls"), "Missing tool call name")
		case !goodID(c.ID):
			return badRequest(field(i, "tool_calls"), "messages.%d: tool_calls.id %q must match the pattern '^[a-zA-Z0-9_-]+$'", i, c.ID)
		case seen[c.ID]:
			return badRequest(field(i, "tool_calls"), "messages.%d: `tool_use` ids must be unique", i)
		case !isObject(c.Function.Arguments):
			return badRequest(field(i, "tool_calls"), "invalid tool call arguments")
		}
		seen[c.ID] = true
	}
	return nil
}

// checkResult takes the call that m answers out of the open ones.
func checkResult(i int, m message, open []string) ([]string, *refusal) {
	for at, id := range open {
		if id == m.ToolCallID {
			return append(open[:at:at], open[at+1:]...), checkSpoken(i, m)
		}
	}
	return open, badRequest(field(i, "role"), "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
}

func unanswered(i int, open []string) *refusal {
	return badRequest(field(i, "role"), "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", "))
}

func ids(calls []toolCall) []string {
	var all []string
	for _, c := range calls {
		all = append(all, c.ID)
	}
	return all
}

func goodID(id string) bool {
	for _, c := range id {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return id != ""
}

func isObject(arguments string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(arguments), &object) == nil && object != nil
}
