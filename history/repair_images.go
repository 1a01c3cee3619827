package history

import (
	"slices"
)

// images replaces the images that servers refuse by a note: those that anybody but the user shows, and
// those that are not all there.
func (m *mender) images() {
	for _, d := range m.list {
		for k, p := range d.Parts {
			if p.Kind != ImagePart || d.Role == User && p.Sendable() {
				continue
			}
			what := "Servers take images from the user alone; a note stands for this one."
			if !p.Sendable() {
				what = "This image is not all there, or of a kind that servers do not take; a note stands for it."
			}
			m.log(d, "C13", what, p.Name, p.Note())
			d.Parts = slices.Clone(d.Parts)
			d.Parts[k] = Part{Kind: NotePart, Name: p.Name, Text: p.Note()}
		}
	}
}
