package history

import (
	"cmp"
	"slices"
)

// merged are the long conversations of each language as one: their days stand in the order of their dates, so that
// what a question needs stands among ten times as much about something else. Those held out stand once more among all
// the others, and the questions are theirs alone.
func merged(list []recorded) []recorded {
	var all []recorded
	for _, lang := range valuesOf(list, func(t recorded) string { return t.lang }) {
		var some, heldOut []recorded
		for _, t := range list {
			switch {
			case t.lang != lang || t.kind == "talk":
			case t.heldOut:
				heldOut = append(heldOut, t)
			default:
				some = append(some, t)
			}
		}
		if len(some) > 1 {
			all = append(all, mergedAs("all-"+lang, some))
		}
		if len(heldOut) == 0 {
			continue
		}
		for i := range some {
			some[i].questions = nil
		}
		one := mergedAs("all-heldout-"+lang, append(some, heldOut...))
		one.heldOut = true
		all = append(all, one)
	}
	return all
}

// day is a day's messages of one of several conversations.
type day struct {
	conversation, from, to int
	ms                     int64
}

func mergedAs(name string, list []recorded) recorded {
	one := recorded{name: name, lang: list[0].lang, kind: "merged", labels: map[string]int{}}
	var days []day
	for c, t := range list {
		for i := 0; i < len(t.past); {
			d := day{c, i, i + 1, t.past[i].CreatedMS}
			for d.to < len(t.past) && t.past[d.to].CreatedMS == t.past[d.to-1].CreatedMS+60_000 {
				d.to++
			}
			days, i = append(days, d), d.to
		}
	}
	slices.SortStableFunc(days, func(a, b day) int { return cmp.Compare(a.ms, b.ms) })
	at := map[[2]int]int{} // where a message of a conversation is now
	for _, d := range days {
		t := list[d.conversation]
		for i, m := range t.past[d.from:d.to] {
			at[[2]int{d.conversation, d.from + i}] = len(one.past)
			m.ID = int64(len(one.past) + 1)
			m.ToolCalls = slices.Clone(m.ToolCalls)
			for k := range m.ToolCalls {
				m.ToolCalls[k].ID += t.name
			}
			if m.ToolCallID != "" {
				m.ToolCallID += t.name
			}
			one.past = append(one.past, m)
		}
	}
	for c, t := range list {
		for label, i := range t.labels {
			one.labels[t.name+" "+label] = at[[2]int{c, i}]
		}
		for _, q := range t.questions {
			q.needs = slices.Clone(q.needs)
			for k := range q.needs {
				q.needs[k] = t.name + " " + q.needs[k]
			}
			one.questions = append(one.questions, q)
		}
	}
	return one
}
