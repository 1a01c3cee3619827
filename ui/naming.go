package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	if e, ok := entryOf(m.panel.Next.Plan, id); ok {
		return theme.Thousands(e.Index + 1)
	}
	return theme.Thousands(m.chat.Place[id] + 1)
}

// messagesNamed are the messages that numbers name, such as 3 5-8, or a sentence that says what is
// wrong with them.
func (m *Model) messagesNamed(numbers string) (ids []int64, fault string) {
	entries := m.panel.Next.Plan.Entries
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
