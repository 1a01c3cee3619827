package history

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"winnow/history/message"
)

// workedExample is a conversation that every preset treats in its own way. Tokens are words.
const workedExample = `
user: My name is Ada and my garden is at 900 metres. Please always answer in metric units.
assistant: {A garden at that height has a short summer. x 8}
user: Which tomatoes ripen in my cold garden?
assistant: Stupice does. {It ripens early and stands cool nights well. x 14}
user: Here is what the pump wrote last night. {error x 1400}
assistant: The pump runs dry: its filter is full.
user: I have cleaned it, and it runs. Now the greenhouse door sticks, since the rain.
assistant: {Wood swells when it is wet; plane the edge. x 6}
user: How cold will it be tonight?
assistant: | a=forecast({"place":"garden"})
tool a: {cloud wind dew x 190}
assistant: Two degrees at four in the morning.
`

const workedQuestion = "Shall I cover the tomatoes?"

// workedBudget is what a request may hold, with nothing kept free for a reply.
const workedBudget = 1000

func workedPlan(t *testing.T, preset string) (Plan, error) {
	t.Helper()
	p, err := Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	p.Budget = workedBudget
	o := Options{Policy: p, Ratio: 1 / (1 + marginKnown), Count: words}
	if preset == "summary" {
		o.Summaries = []Summary{{Messages: IDRanges{{1, 8}}, Text: "Ada, 900 metres, metric. Tomato: Stupice. Pump: filter cleaned. Door: plane it.", By: "the model"}}
	}
	o.Turn = []Message{{ID: 1000, Role: User, Content: workedQuestion, Status: Complete}}
	return Build(parseMessages(t, workedExample), o)
}

// workedCell says what a request holds of a message.
func workedCell(e Entry) string {
	text := "–"
	switch {
	case e.Level == LevelOut:
		return text
	case e.Whole:
		text = "whole"
	default:
		text = "cut to " + message.WithCommas(e.CharsAfter)
	}
	if e.Recalled {
		text = "↺ " + text
	}
	return text
}

// workedTable is one row a message, one column a preset, and the sums.
func workedTable(t *testing.T) string {
	past := parseMessages(t, workedExample)
	rows := make([]string, len(past)+1)
	for i, m := range past {
		rows[i] = fmt.Sprintf("| %d | %s | %s | %s |", i+1, m.Role, message.WithCommas(runes(m.Content)), message.WithCommas(repairedBy(past, nil).candidates[i].tokens))
	}
	rows[len(past)] = fmt.Sprintf("| 13 | user | %s | %s |", message.WithCommas(runes(workedQuestion)), message.WithCommas(words(workedQuestion)))
	head, line, sum := "| | | characters | tokens |", "|--:|---|--:|--:|", "| | the request | | |"
	for _, preset := range Presets() {
		plan, err := workedPlan(t, preset)
		var over *OverBudgetError
		if err != nil && !errors.As(err, &over) {
			t.Fatal(err)
		}
		head, line = head+" `"+preset+"` |", line+"---|"
		for i, e := range plan.Entries {
			cell := workedCell(e)
			if over != nil {
				cell = ""
			}
			rows[i] += " " + cell + " |"
		}
		if over != nil {
			sum += " not sent: " + over.Error() + " |"
			continue
		}
		sum += " " + message.WithCommas(plan.Sum.Total) + " |"
	}
	return head + "\n" + line + "\n" + strings.Join(rows, "\n") + "\n" + sum + "\n"
}

const contextPage = "../docs/context.md"

// The page's example is what the program decides: run it with -update after a change of the rules, and
// check the difference by hand.
func TestWorkedExample(t *testing.T) {
	page, err := os.ReadFile(contextPage)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "<!-- example table -->\n", "<!-- /example table -->"
	before, rest, found := strings.Cut(string(page), from)
	old, after, closed := strings.Cut(rest, to)
	if !found || !closed {
		t.Fatalf("%s has no place for the example", contextPage)
	}
	table := workedTable(t)
	if old != table && !*update {
		t.Errorf("%s: the example is out of date; go test ./history -run TestWorkedExample -update writes it:\n%s",
			contextPage, table)
	}
	text := before + from + table + to + after
	if *update {
		if err := os.WriteFile(contextPage, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
