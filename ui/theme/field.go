package theme

import (
	"slices"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// Field is a text field of one line: the text input of Bubbles, drawn by its owner. The zero value is not usable; call
// NewField.
type Field struct {
	input  textinput.Model
	Masked bool // show dots in place of the text, for a secret
}

// maxField is the maximum length of a Field in code points.
const maxField = 4000

// editing are the keys that edit a field. The default keys of Bubbles include some that have other meanings in winnow.
var editing = textinput.KeyMap{
	CharacterForward:        key.NewBinding(key.WithKeys("right")),
	CharacterBackward:       key.NewBinding(key.WithKeys("left")),
	WordForward:             key.NewBinding(key.WithKeys("alt+right", "ctrl+right")),
	WordBackward:            key.NewBinding(key.WithKeys("alt+left", "ctrl+left")),
	DeleteWordBackward:      key.NewBinding(key.WithKeys("alt+backspace", "ctrl+backspace", "ctrl+w")),
	DeleteBeforeCursor:      key.NewBinding(key.WithKeys("ctrl+u")),
	DeleteCharacterBackward: key.NewBinding(key.WithKeys("backspace", "shift+backspace")),
	DeleteCharacterForward:  key.NewBinding(key.WithKeys("delete")),
	LineStart:               key.NewBinding(key.WithKeys("home")),
	LineEnd:                 key.NewBinding(key.WithKeys("end")),
}

// NewField returns a field with a text and the cursor at its end.
func NewField(text string) Field {
	f := Field{input: textinput.New()}
	f.input.CharLimit, f.input.KeyMap = maxField, editing
	f.input.SetVirtualCursor(false)
	f.input.Focus()
	f.input.SetValue(markdown.OneLine(text, maxField))
	return f
}

// Text returns the text of the field.
func (f *Field) Text() string { return f.input.Value() }

// HandleKey handles a key and reports whether it was one for the field. A key with text is always inserted, because the
// text could be taken for the name of a key.
func (f *Field) HandleKey(msg tea.KeyPressMsg) bool {
	if msg.Text != "" {
		f.Insert(msg.Text)
		return true
	}
	k := f.input.KeyMap
	if !key.Matches(msg, k.CharacterForward, k.CharacterBackward, k.WordForward, k.WordBackward, k.DeleteWordBackward,
		k.DeleteBeforeCursor, k.DeleteCharacterBackward, k.DeleteCharacterForward, k.LineStart, k.LineEnd) {
		return false
	}
	f.input, _ = f.input.Update(msg)
	return true
}

// Insert inserts a text at the cursor, as one line and with control characters made visible.
func (f *Field) Insert(text string) {
	f.input, _ = f.input.Update(tea.PasteMsg{Content: markdown.Visible(text)})
}

// View returns the visible part of the text in w cells, at least 1, and the cell x of the cursor.
func (f *Field) View(w int) (shown string, x int) {
	line, at := []rune(f.input.Value()), f.input.Position()
	if f.Masked {
		line = slices.Repeat([]rune("•"), len(line))
	}
	before := string(line[:at])
	before = ansi.TruncateLeft(before, max(0, Width(before)-w+1), "")
	return ansi.Truncate(before+string(line[at:]), w, ""), min(w-1, Width(before))
}
