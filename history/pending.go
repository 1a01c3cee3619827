package history

import "slices"

// forgivePending takes the stand-ins for the results of pending calls off the repairs of their answer. They
// are in the plan all the same: they are what a new message would be sent with.
func (p *Plan) forgivePending(answer int64) {
	if answer == 0 {
		return
	}
	for i := range p.Entries {
		if e := &p.Entries[i]; e.ID == answer {
			e.Repairs = slices.DeleteFunc(slices.Clone(e.Repairs), func(r Repair) bool { return r.Kind == "C5" })
		}
	}
}
