package strict

import (
	"slices"
	"strings"
)

// eachMessage: what is asked of a message holds for all of them.
func eachMessage(sound func(i int, m message) bool) finder {
	return func(c *chat, _ Profile) *fault {
		for i, m := range c.messages {
			if !sound(i, m) {
				return wrong(i, "role", m.role)
			}
		}
		return nil
	}
}

// modelNamed: a request says which model is to answer.
func modelNamed(c *chat, _ Profile) *fault {
	if raw, ok := c.get("model"); !ok || string(raw) == `""` || string(raw) == "null" {
		return wrong(-1)
	}
	return nil
}

// messagesThere: a request holds a message, apart from those of some roles.
func messagesThere(apart ...string) finder {
	return func(c *chat, _ Profile) *fault {
		if slices.ContainsFunc(c.messages, func(m message) bool { return !slices.Contains(apart, m.role) }) {
			return nil
		}
		return wrong(-1)
	}
}

// roleKnown: nobody else speaks.
func roleKnown(roles ...string) finder {
	return eachMessage(func(_ int, m message) bool { return slices.Contains(roles, m.role) })
}

// systemFirst: what the system says stands in one message in front of all others.
var systemFirst = eachMessage(func(i int, m message) bool { return i == 0 || m.role != "system" })

// systemTogether: what the system says stands in front of all others, in as many messages as it likes.
func systemTogether(c *chat, _ Profile) *fault {
	others := false
	for i, m := range c.messages {
		of := m.role == "system" || m.role == "developer"
		if of && others {
			return wrong(i)
		}
		others = others || !of
	}
	return nil
}

// userFirst: the conversation begins with the user.
func userFirst(c *chat, _ Profile) *fault {
	first := slices.IndexFunc(c.messages, func(m message) bool { return m.role != "system" && m.role != "developer" })
	if first >= 0 && c.messages[first].role == "assistant" {
		return wrong(first)
	}
	return nil
}

// endsAnswerable: the last message is one that can be answered. An answer at the end is taken for the
// beginning of the next one. What a server says of one at the end may differ from what it says of
// several.
func endsAnswerable(alone, several string) finder {
	return func(c *chat, _ Profile) *fault {
		last := len(c.messages) - 1
		if last < 0 || c.messages[last].role != "assistant" {
			return nil
		}
		if last > 0 && c.messages[last-1].role == "assistant" {
			return wrong(last, "reason", several)
		}
		return wrong(last, "reason", alone)
	}
}

// follows: each role is one of those that may stand behind the role in front of it; "" is in front
// of the first. Roles that nobody knows are another rule's.
func follows(allowed map[string]string) finder {
	return func(c *chat, _ Profile) *fault {
		before := ""
		for i, m := range c.messages {
			_, known := allowed[m.role]
			if next, ruled := allowed[before]; known && ruled && !slices.Contains(strings.Fields(next), m.role) {
				return wrong(i, "role", m.role, "before", before)
			}
			before = m.role
		}
		return nil
	}
}

// alternating: behind the system's message user and assistant speak in turn. Calls and their results
// do not count, but for a template that knows no tools.
func alternating(c *chat, p Profile) *fault {
	if !p.Alternate && !p.Toolless {
		return nil
	}
	turn := 0
	for i, m := range c.messages {
		counts := m.role == "user" || m.role == "assistant" && len(m.calls) == 0
		if counts || p.Toolless && m.role != "system" {
			if (m.role == "user") != (turn%2 == 0) {
				return wrong(i)
			}
			turn++
		}
	}
	return nil
}

// callsFollow: a message with calls stands right behind one of the user or a result.
func callsFollow(c *chat, _ Profile) *fault {
	for i, m := range c.messages {
		if i > 0 && len(m.calls) > 0 && c.messages[i-1].role == "assistant" {
			return wrong(i)
		}
	}
	return nil
}
