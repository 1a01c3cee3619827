package target

import (
	"winnow/history"
	"winnow/llm"
)

// textTrial is the state of sending tool calls as text to a model that refused them in their own form.
type textTrial int

const (
	notTried textTrial = iota
	trying             // requests hold tool calls as text until the model answers or refuses again
	useless            // the model also refused them as text
)

// Profile returns what the model requires of the messages, with tool calls as text while that is tried.
func (m *Model) Profile() history.Profile { return m.profile(m.now()) }

func (m *Model) profile(k known) history.Profile {
	p := m.Client.Profile(m.Name)
	p.ToolsAsText = p.ToolsAsText || k.asText == trying
	return p
}

// TryToolsAsText sends tool calls as text until EndToolsAsText. It returns false if that was tried before.
func (m *Model) TryToolsAsText() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asText != notTried {
		return false
	}
	m.asText = trying
	return true
}

// EndToolsAsText takes the outcome of a request with tool calls as text. If the model answered, tool calls are sent as
// text from now on, and learned is true. If it refused, they are sent in their own form again.
func (m *Model) EndToolsAsText(answered, refused bool) (learned bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.asText != trying:
	case answered:
		m.asText = notTried
		m.Client.Learn(m.Name, llm.Learned{Profile: history.Profile{ToolsAsText: true}})
		return true
	case refused:
		m.asText = useless
	}
	return false
}
