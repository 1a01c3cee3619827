package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"winnow/history/message"
)

func kindsOf(list []recorded) []string { return valuesOf(list, recorded.group) }

// heldOut stands in front of the kind of the conversations held out: they have tables of their own.
const heldOut = "held out "

// group is what a conversation counts to in the tables.
func (t recorded) group() string {
	if t.heldOut {
		return heldOut + t.kind
	}
	return t.kind
}

func valuesOf(list []recorded, of func(recorded) string) []string {
	var values []string
	for _, t := range list {
		values = append(values, of(t))
	}
	slices.Sort(values)
	return slices.Compact(values)
}

var kindNames = map[string]string{
	"chat":  "Chats of a user and an assistant",
	"talk":  "Talks of two people",
	"tools": "Chats with an agent that calls tools",

	"merged": "All chats of a language as one",

	heldOut + "chat":   "Held out: chats of a user and an assistant",
	heldOut + "talk":   "Held out: talks of two people",
	heldOut + "merged": "Held out: each of these chats among all others of its language",
}

// recallTables are the tables of the page, in Markdown.
func recallTables(list []recorded, cells []cell) string {
	var b strings.Builder
	for _, kind := range kindsOf(list) {
		var rows [][]string
		for _, m := range methods() {
			rows = append(rows, budgetRow(m.name, cells, func(c cell) bool { return c.kind == kind && c.method == m.name }))
		}
		writeTable(&b, kindTitle(list, kind), rows)
	}
	writeSorts(&b, cells, Presets()[0])
	return b.String()
}

// writeSorts shows where a preset is weak.
func writeSorts(b *strings.Builder, cells []cell, preset string) {
	for _, out := range []bool{false, true} {
		var rows [][]string
		for _, s := range sorts {
			of := func(c cell) bool { return c.method == preset && c.sort == s.sort && c.heldOut() == out }
			if sum(cells, of).needed > 0 {
				rows = append(rows, budgetRow(s.name, cells, of))
			}
		}
		title := "`" + preset + "` by what is asked for"
		if out {
			title += ", held out"
		}
		writeTable(b, title, rows)
	}
}

// capRows are the caps of recall that are compared, beside that of the default preset.
var capRows = []int{0, 2048, 4096, 8192, 12288, NoLimit}

var capBudgets = []int{4000, 8000, 16000, 32000}

// capTable shows what a cap of recall keeps, and what it costs of the prompt cache: in the conversations of more than
// 250 messages the needed messages that stand whole in the request, and in a chat of 500 turns the share of a request
// that it has in common with the one before. Everything else is as the default preset sets it.
func capTable(tb testing.TB, list []recorded) string {
	var long []recorded
	for _, t := range list {
		if len(t.past) > 250 && !t.heldOut {
			long = append(long, t)
		}
	}
	var b strings.Builder
	b.WriteString("\n| cap of recall |")
	for _, budget := range capBudgets {
		fmt.Fprintf(&b, " %s |", message.Grouped(budget))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(capBudgets)) + "\n")
	for _, limit := range capRows {
		o := benchOptions(tb, Presets()[0], 0)
		o.Policy.RecallMaxTokens = limit
		name := message.Grouped(limit)
		switch limit {
		case 0:
			name = "no recall"
		case NoLimit:
			name = "no cap"
		}
		b.WriteString("| " + name + " |")
		by := method{"", func(t *asked, question string, budget int) func(int) bool {
			return t.plannedBy(o.Policy, question, budget)
		}}
		cells := measureConversations(long, []method{by}, capBudgets)
		for _, budget := range capBudgets {
			kept := sum(cells, func(c cell) bool { return c.budget == budget })
			o.Policy.Budget = budget
			fmt.Fprintf(&b, " %s / %.2f |", kept, reuse(tb, o, 500))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// kindTitle says what a kind of conversation measures, and how much of it there is.
func kindTitle(list []recorded, kind string) string {
	conversations, questions, needed, tokens := 0, 0, 0, 0
	for _, t := range list {
		if t.group() != kind {
			continue
		}
		conversations++
		for _, m := range t.past {
			tokens += o200k()(m.Content)
		}
		for _, q := range t.questions {
			questions++
			needed += len(q.needs)
		}
	}
	return fmt.Sprintf("%s (%d of %s tokens on average, %d questions, %d needed messages)", kindNames[kind],
		conversations, message.Grouped(tokens/max(1, conversations)), questions, needed)
}

func budgetRow(name string, cells []cell, fits func(cell) bool) []string {
	row := []string{name}
	for _, budget := range recallBudgets {
		row = append(row, sum(cells, func(c cell) bool { return c.budget == budget && fits(c) }).String())
	}
	return row
}

func writeTable(b *strings.Builder, title string, rows [][]string) {
	fmt.Fprintf(b, "\n| %s |", title)
	for _, budget := range recallBudgets {
		fmt.Fprintf(b, " %s |", message.Grouped(budget))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(recallBudgets)) + "\n")
	for _, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
}
