package history

import (
	"fmt"
	"slices"
	"strings"

	"winnow/history/message"
)

func kindsOf(list []recorded) []string {
	return valuesOf(list, func(t recorded) string { return t.kind })
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
}

// recallTables are the tables of the page, in Markdown.
func recallTables(list []recorded, cells []cell) string {
	var b strings.Builder
	for _, kind := range kindsOf(list) {
		rows := [][]string{}
		for _, m := range methods() {
			rows = append(rows, budgetRow(m.name, cells, func(c cell) bool { return c.kind == kind && c.method == m.name }))
		}
		writeTable(&b, kindTitle(list, kind), rows)
	}
	writeDetails(&b, list, cells, Presets()[0])
	return b.String()
}

// writeDetails shows where a preset is weak.
func writeDetails(b *strings.Builder, list []recorded, cells []cell, preset string) {
	row := func(name string, fits func(cell) bool) []string {
		return budgetRow(name, cells, func(c cell) bool { return c.method == preset && fits(c) })
	}
	var rows [][]string
	for _, conv := range list {
		rows = append(rows, row(rowName(conv), func(c cell) bool { return c.conversation == conv.name }))
	}
	writeTable(b, "`"+preset+"` by conversation", rows)
	rows = nil
	for _, lang := range valuesOf(list, func(t recorded) string { return t.lang }) {
		rows = append(rows, row(lang, func(c cell) bool { return c.lang == lang }))
	}
	writeTable(b, "`"+preset+"` by language", rows)
	rows = nil
	for _, s := range sorts {
		rows = append(rows, row(s.name, func(c cell) bool { return c.sort == s.sort }))
	}
	writeTable(b, "`"+preset+"` by what is asked for", rows)
}

func rowName(t recorded) string { return fmt.Sprintf("%s (%s)", t.name, t.lang) }

// kindTitle says what a kind of conversation measures, and how much of it there is.
func kindTitle(list []recorded, kind string) string {
	conversations, questions, needed, tokens := 0, 0, 0, 0
	for _, t := range list {
		if t.kind != kind {
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
	return fmt.Sprintf("%s (%d of %s tokens on average, %d questions, %d needed messages)", kindNames[kind], conversations, message.Grouped(tokens/max(1, conversations)), questions, needed)
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
