package repair

import (
	"slices"

	"winnow/history/message"
)

// images replaces the images that servers refuse by a note: those that anybody but the user shows, and
// those that are not all there.
func (m *run) images() {
	for _, d := range m.list {
		for k, p := range d.Parts {
			if p.Kind != message.ImagePart || d.Role == message.User && p.Sendable() {
				continue
			}
			what := "Servers take images from the user alone; a note stands for this one."
			if !p.Sendable() {
				what = "This image is not all there, or of a kind that servers do not take; a note stands for it."
			}
			m.log(d, "C13", what, p.Name, p.Note())
			d.Parts = slices.Clone(d.Parts)
			d.Parts[k] = message.Part{Kind: message.NotePart, Name: p.Name, Text: p.Note()}
		}
	}
}

// UnseenImage is the repair of an image for a model that takes none, or of one that the user had left out
// for it with its message.
func UnseenImage(p message.Part, left bool) message.Repair {
	r := message.Repair{Kind: "C13", What: "This model takes no images; a note stands for this one.", Before: p.Name, After: p.Note()}
	if left {
		r.Remedy, r.What, r.After = message.LeaveOut, r.What+remarkLeft, ""
	}
	return r
}
