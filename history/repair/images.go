package repair

import (
	"slices"

	"winnow/history/cause"
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
			code := cause.ImageNotOfUser
			if !p.Sendable() {
				code = cause.ImageDamaged
			}
			m.log(d, "C13", code, p.Name, p.Note())
			d.Parts = slices.Clone(d.Parts)
			d.Parts[k] = message.Part{Kind: message.NotePart, Name: p.Name, Text: p.Note()}
		}
	}
}

// UnseenImage is the repair of an image for a model that takes none, or of one that the user had left out
// for it with its message.
func UnseenImage(p message.Part, left bool) message.Repair {
	r := message.Repair{Kind: "C13", Cause: cause.Cause{Code: cause.ImageUnseen, Alone: left}, Before: p.Name, After: p.Note()}
	if left {
		r.Remedy, r.After = message.LeaveOut, ""
	}
	return r
}
