package theme

// CursorRow is the row under the cursor of a list, w cells wide: a bar in its first cell, and the text behind it.
func (s Styles) CursorRow(text string, w int) string {
	if w <= 0 {
		return ""
	}
	return s.Seen.Inherit(s.Selected).Render("▌") + s.Selected.Render(Fit(text, w-1))
}
