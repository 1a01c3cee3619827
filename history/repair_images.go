package history

import (
	"slices"
	"strings"
)

// images replaces the images that servers refuse by a note: those that anybody but the user shows, and
// those that are not all there.
func (m *mender) images() {
	for _, d := range m.list {
		for k, p := range d.Parts {
			if p.Kind != ImagePart || d.Role == User && p.shows() {
				continue
			}
			what := "Servers take images from the user alone; a note stands for this one."
			if !p.shows() {
				what = "This image is not all there, or of a kind that servers do not take; a note stands for it."
			}
			m.log(d, "C13", what, p.Name, p.note())
			d.Parts = slices.Clone(d.Parts)
			d.Parts[k] = Part{Kind: NotePart, Name: p.Name, Text: p.note()}
		}
	}
}

// shows reports whether an image has bytes and is of a kind that every server with eyes takes.
func (p Part) shows() bool {
	kinds := []string{"image/png", "image/jpeg", "image/gif", "image/webp"}
	return slices.Contains(kinds, p.MediaType) && len(p.Data) > 0
}

// note stands for an image that is not sent.
func (p Part) note() string {
	if name := strings.TrimSpace(cleanText(p.Name)); name != "" {
		return "[image " + name + ", not sent]"
	}
	return "[image, not sent]"
}
