package transcript

// picked is the text that is selected with the mouse.
type picked struct{ on bool }

func (m *itemList) markPicked(text string, i, line int) string { return text }
