package target

import (
	"winnow/history"
	"winnow/llm"
)

// textTrial is what is known about sending tool calls as text to a model that refused them as they are.
type textTrial int

const (
	notTried textTrial = iota
	trying             // requests hold tool calls as text until the model answers or refuses again
	useless            // the model refused them as text too
)

// Profile is what the model's chat format requires, with tool calls as text while that is tried.
func (m *Model) Profile() history.EndpointProfile { return m.profile(m.now()) }

func (m *Model) profile(k known) history.EndpointProfile {
	p := m.Client.Profile(m.Name)
	p.ToolsAsText = p.ToolsAsText || k.asText == trying
	return p
}

// TryToolsAsText has tool calls sent as text until EndToolsAsText. It is false where that was tried before.
func (m *Model) TryToolsAsText() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asText != notTried {
		return false
	}
	m.asText = trying
	return true
}

// EndToolsAsText takes how a request went that held tool calls as text. A model that answered gets them so
// from now on, and learned is true; one that refused gets them as they are again.
func (m *Model) EndToolsAsText(answered, refused bool) (learned bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.asText != trying:
	case answered:
		m.asText = notTried
		m.Client.Learn(m.Name, llm.Learned{Profile: history.EndpointProfile{ToolsAsText: true}})
		return true
	case refused:
		m.asText = useless
	}
	return false
}
