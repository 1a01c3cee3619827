package history

import (
	"fmt"
	"slices"
	"strings"
)

func kindsOf(list []talk) []string { return valuesOf(list, func(t talk) string { return t.kind }) }

func valuesOf(list []talk, of func(talk) string) []string {
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
func recallTables(list []talk, cells []cell) string {
	var b strings.Builder
	for _, kind := range kindsOf(list) {
		rows := [][]string{}
		for _, m := range methods() {
			rows = append(rows, budgetRow(m.name, cells, func(c cell) bool { return c.kind == kind && c.method == m.name }))
		}
		writeTable(&b, kindNames[kind]+" ("+amount(list, kind)+")", rows)
	}
	for _, preset := range []string{Presets()[0]} {
		var rows [][]string
		for _, talk := range list {
			name := fmt.Sprintf("%s (%s)", talk.name, talk.lang)
			rows = append(rows, budgetRow(name, cells, func(c cell) bool { return c.talk == talk.name && c.method == preset }))
		}
		writeTable(&b, "`"+preset+"` by conversation", rows)
		rows = nil
		for _, lang := range valuesOf(list, func(t talk) string { return t.lang }) {
			rows = append(rows, budgetRow(lang, cells, func(c cell) bool { return c.lang == lang && c.method == preset }))
		}
		writeTable(&b, "`"+preset+"` by language", rows)
		rows = nil
		for _, s := range sorts {
			rows = append(rows, budgetRow(s.name, cells, func(c cell) bool { return c.sort == s.sort && c.method == preset }))
		}
		writeTable(&b, "`"+preset+"` by what is asked for", rows)
	}
	return b.String()
}

// amount says how much a kind of talk measures.
func amount(list []talk, kind string) string {
	talks, questions, needed, tokens := 0, 0, 0, 0
	for _, t := range list {
		if t.kind != kind {
			continue
		}
		talks++
		for _, m := range t.past {
			tokens += o200k()(m.Content)
		}
		for _, q := range t.questions {
			questions++
			needed += len(q.needs)
		}
	}
	return fmt.Sprintf("%d of %s tokens on average, %d questions, %d needed messages", talks, grouped(tokens/max(1, talks)), questions, needed)
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
		fmt.Fprintf(b, " %s |", grouped(budget))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(recallBudgets)) + "\n")
	for _, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
}
