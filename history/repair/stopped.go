package repair

import (
	"slices"
	"strings"

	"winnow/history/cause"
	"winnow/history/message"
)

// unmade takes the calls out of an answer that broke off before any of them ran. Their arguments may
// be half of what the model meant, and no tool is run for such an answer: what is true of it is its
// text. An answer that arrived whole keeps its calls, with a stand-in where a result is missing, because
// there nobody knows whether the tool ran.
func (m *run) unmade() {
	for _, d := range m.list {
		if !d.Message.BrokeOff() || len(d.ToolCalls) == 0 || slices.ContainsFunc(d.results, func(r *Draft) bool { return r != nil }) {
			continue
		}
		m.log(d, "C5", cause.CallsUnrun, message.Message{ToolCalls: d.ToolCalls}.TextWithCalls(), "")
		d.ToolCalls, d.results = nil, nil
	}
}

// brokenOff says behind the text of each answer that was not finished that it was not. It is no repair: nothing of
// what was said is missing.
func (m *run) brokenOff() {
	for _, d := range m.list {
		if !d.Joins {
			d.brokenOff()
		}
	}
}

func (d *Draft) brokenOff() {
	if d.Message.BrokeOff() && !message.IsBlank(d.Content) && !strings.HasSuffix(d.Content, message.InterruptedSuffix) {
		d.Reword(d.Content, "", message.InterruptedSuffix)
		d.Content += message.InterruptedSuffix
	}
}
