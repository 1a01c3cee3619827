package repair

import (
	"slices"

	"winnow/history/message"
)

// ToolGroups are the messages that a remedy for some of them holds for, in their order: all of the tool
// group of each, with the results that a repair sends as text or not again, or the message alone. Those
// that past does not hold are left out.
func ToolGroups(past []message.Message, ids ...int64) []int64 {
	m := Run(past, Options{Begins: true})
	heads := make([]int, len(past))
	for i := range heads {
		heads[i] = i
	}
	for _, d := range m.Drafts {
		heads[d.From] = d.group().From
	}
	for from, head := range m.Duplicates {
		heads[from] = head.From
	}
	asked := map[int]bool{}
	for i, one := range past {
		asked[heads[i]] = asked[heads[i]] || slices.Contains(ids, one.ID)
	}
	var list []int64
	for i, one := range past {
		if asked[heads[i]] {
			list = append(list, one.ID)
		}
	}
	return list
}
