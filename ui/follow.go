package ui

// The transcript and the panel are two views of one list of messages, with one cursor: where the
// user moves it in one of them, it goes along in the other.

// follow brings the message under the panel's cursor into the transcript's view.
func (m *Model) follow() {
	if e := m.panel.Chosen().Entry; e != nil {
		m.chat.GoTo(e.ID)
	}
}

// lead puts the panel's cursor on the message under the transcript's.
func (m *Model) lead() {
	if message, ok := m.chat.Selected(); ok {
		m.panel.GoTo(m.chat.Place[message.ID], message.ID)
	}
}
