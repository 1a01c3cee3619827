package history

import "strings"

// margin is what a request tells beside the texts of its messages, while it is written: the system
// prompt, and what waits for the next message of the user.
type margin struct {
	system  string
	inline  string    // system messages on their way to the next user's message
	markers []pending // gaps whose marker has no place yet
	gap     pending   // the gap that is open
	told    bool      // the summary has its gap
	begun   bool      // a message of the history stands behind the system prompt
}

// pending is a gap.
type pending struct {
	missing int  // messages
	summary bool // the summary stands in it
}

// miss counts a view that is not sent to the open gap.
func (b *builder) miss(m *margin, i int) {
	m.gap.missing++
	if b.summarized && !m.told && b.why[i] == whyCondensed {
		m.gap.summary, m.told = true, true
	}
}

// endGap closes the open gap.
func (m *margin) endGap() {
	if m.gap.missing > 0 {
		m.markers = append(m.markers, m.gap)
		m.gap = pending{}
	}
}

// instruct takes a system message of the history to where the policy wants it.
func (b *builder) instruct(m *margin, text string) {
	if b.o.Policy.MidSystem == Inline && m.begun {
		m.inline += text + joint
		return
	}
	m.hoist(text)
}

// hoist puts a text at the end of the system prompt.
func (m *margin) hoist(text string) {
	if m.system != "" {
		m.system += joint
	}
	m.system += text
}

// pass has a message of a role take what it takes of the margin. The first message takes a marker
// whoever speaks.
func (m *margin) pass(role Role) {
	m.endGap()
	switch {
	case role == User:
		m.markers, m.inline = nil, ""
	case !m.begun && len(m.markers) > 0:
		m.markers = m.markers[1:]
	}
	m.begun = true
}

// close puts what found no later message of the history at the end of the system prompt, and says what
// of it nobody said.
func (b *builder) close(m *margin) []Added {
	m.endGap()
	if m.inline != "" {
		m.hoist(strings.TrimSuffix(m.inline, joint))
	}
	var list []Added
	for _, gap := range m.markers {
		text := b.gapText(gap)
		if m.system != "" {
			text = joint + text
		}
		list = append(list, b.added(gap, text, -1))
		m.system += text
	}
	return list
}
