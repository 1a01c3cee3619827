package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"winnow/history"
	"winnow/ui/theme"
)

// numbersOf names messages: a single one by its number, others by how many they are.
func (m *Model) numbersOf(ids []int64) string {
	if len(ids) == 1 {
		return "message " + m.numberOf(ids[0])
	}
	return theme.Thousands(len(ids)) + " messages"
}

// numberOf is a message's number in the conversation, as the panel has it.
func (m *Model) numberOf(id int64) string {
	if e, ok := entryOf(m.panel.next.plan, id); ok {
		return theme.Thousands(e.Index + 1)
	}
	return theme.Thousands(m.chat.place[id] + 1)
}

// messagesNamed are the messages that numbers name, such as 3 5-8, or a sentence that says what is
// wrong with them.
func (m *Model) messagesNamed(numbers string) (ids []int64, fault string) {
	entries := m.panel.next.plan.Entries
	for _, word := range strings.FieldsFunc(numbers, func(r rune) bool { return r == ' ' || r == ',' }) {
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil {
			return nil, fmt.Sprintf("Messages are named by their numbers in the panel, as in 3 5-8; %s is none.", word)
		}
		if from < 1 || to < from || to > len(entries) {
			return nil, fmt.Sprintf("There is no message %s: the conversation has %s.", word, theme.Plural(len(entries), "message"))
		}
		for _, e := range entries[from-1 : to] {
			if !slices.Contains(ids, e.ID) {
				ids = append(ids, e.ID)
			}
		}
	}
	return ids, ""
}

// mostNamed is how many messages are named in one list.
const mostNamed = 3

// named names messages: "5 you, 6 model and 4 more".
func named(list []history.Entry) string {
	var r roll
	for i := range list {
		r.add(&list[i])
	}
	return r.String()
}

// roll names the first few of many messages.
type roll struct {
	names []string
	of    int
}

func (r *roll) add(e *history.Entry) {
	if r.of++; r.of <= mostNamed {
		r.names = append(r.names, theme.Thousands(e.Index+1)+" "+theme.Speaker(e.Role))
	}
}

func (r *roll) String() string {
	text := strings.Join(r.names, ", ")
	if more := r.of - len(r.names); more > 0 {
		text += " and " + theme.Thousands(more) + " more"
	}
	return text
}
