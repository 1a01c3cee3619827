package theme

import (
	"slices"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// Field is a line to type in: bubbles' text input, drawn by its owner. The zero value cannot be typed in; NewField
// makes one.
type Field struct {
	input  textinput.Model
	Masked bool // a dot is shown for each character, as of a secret
}

// maxField is the longest text of a Field, in code points.
const maxField = 4000

// editing are the keys that edit a line. The input's own table has more, which have other meanings in winnow.
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

// NewField makes a Field that holds a text, with the cursor at its end.
func NewField(text string) Field {
	f := Field{input: textinput.New()}
	f.input.CharLimit, f.input.KeyMap = maxField, editing
	f.input.SetVirtualCursor(false)
	f.input.Focus()
	f.input.SetValue(markdown.OneLine(text, maxField))
	return f
}

// Text returns what the line holds.
func (f *Field) Text() string { return f.input.Value() }

// HandleKey handles a key for the line and reports whether the key was one. What arrives as text is typed, whatever it
// spells: a key's name could be taken for a binding.
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

// Insert inserts a text at the cursor, on one line and without control characters.
func (f *Field) Insert(text string) {
	f.input, _ = f.input.Update(tea.PasteMsg{Content: markdown.Visible(text)})
}

// View returns the part of the line that w cells show, 1 or more, with the cursor in its cell x.
func (f *Field) View(w int) (shown string, x int) {
	line, at := []rune(f.input.Value()), f.input.Position()
	if f.Masked {
		line = slices.Repeat([]rune("•"), len(line))
	}
	before := string(line[:at])
	before = ansi.TruncateLeft(before, max(0, Width(before)-w+1), "")
	return ansi.Truncate(before+string(line[at:]), w, ""), min(w-1, Width(before))
}
