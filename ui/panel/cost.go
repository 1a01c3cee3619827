package panel

import "winnow/session/record"

// Cost is what a past request cost, or what the input of the next one would: "$0.0041", "~$0.002 in".
// It is empty where there is nothing to say.
func (r *Request) Cost() string {
	if r.Past != nil {
		return record.CostOf(r.Past.Request).String()
	}
	if !r.Ready || !r.Input.Known() {
		return ""
	}
	return r.Input.String() + " in"
}
