package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"winnow/llm/llmtest"
)

// documented reports whether the documentation shows a cell: each fault where it happens first, and some at every
// stage.
func (c cell) documented() bool {
	if c.passes {
		return false
	}
	if c.fault.Lead {
		return true
	}
	stages := c.fault.Stages()
	home := stages[0]
	for _, first := range []llmtest.Stage{llmtest.Connect, llmtest.Headers, llmtest.FirstByte, llmtest.Text, llmtest.Calls, llmtest.End, llmtest.AfterTool} {
		if slices.Contains(stages, first) {
			home = first
			break
		}
	}
	return c.stage == home
}

// faultPart is what the page says of one stage before its table.
var faultParts = []struct {
	stage       llmtest.Stage
	title, text string
	skip        string // the beginning of a sentence that each of its rows would repeat
}{
	{llmtest.Window, "Asking for the window", "winnow asks the server how large the model's window is. Your message is stored before that. A server that does not say gets requests for an assumed window; the context panel marks it as assumed.", ""},
	{llmtest.Prices, "Asking for the prices", "Where nothing else says what a model costs, winnow asks the server once. The price stays unknown when it does not say.", ""},
	{llmtest.Plan, "Counting while planning", "With `exact = true` the server counts the next request for the context panel. A message is sent whether it can count or not.", ""},
	{llmtest.Connect, "Connecting", "", ""},
	{llmtest.Headers, "The server refuses or fails", "", ""},
	{llmtest.FirstByte, "Before the first word", "The server accepted the request.", ""},
	{llmtest.Text, "In the text", "A part of the answer has arrived. It is not asked for again by itself.", ""},
	{llmtest.Reasoning, "In the reasoning", "A part of the reasoning has arrived.", ""},
	{llmtest.Calls, "In a tool call", "The model calls a tool. The tools of this table run without a question (`tools.approve = \"always\"`); `winnow run` offers none here.", "asking example/m again with the result of "},
	{llmtest.End, "At the end", "The whole text and the finish reason have arrived.", ""},
	{llmtest.AfterTool, "After a tool call", "The request that carries the result of a tool fails.", "asking example/m again with the result of "},
	{llmtest.Title, "Asking for a title", "Only a chat asks for titles. The title of the first message stays.", "asking example/m for a title"},
	{llmtest.Summary, "Asking for a summary", "The preset `summary` asks for a summary of the older messages before your message is sent. Without it the older messages are shortened.", "asking example/m to summarise "},
}

// faultRow is a row of a table: faults with the same outcome.
type faultRow struct {
	faults           []llmtest.Fault
	seen, kept, next string
	run              string
}

// faultTables writes the tables of docs/faults.md.
func faultTables(outcomes map[string]outcome, cells []cell) string {
	var b strings.Builder
	for _, part := range faultParts {
		rows := faultRows(part.stage, part.skip, outcomes, cells)
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		if part.text != "" {
			b.WriteString(part.text + "\n\n")
		}
		b.WriteString("| what goes wrong | what you see | what is kept | what the next request holds | `winnow run` |\n|---|---|---|---|---|\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.what(), r.seen, r.kept, r.next, r.run)
		}
	}
	return b.String() + "\n"
}

func faultRows(stage llmtest.Stage, skip string, outcomes map[string]outcome, cells []cell) []faultRow {
	var rows []faultRow
	at := map[string]int{}
	for _, c := range cells {
		if c.run || c.stage != stage || !c.documented() {
			continue
		}
		chat := outcomes[c.String()]
		inRun := c
		inRun.run = true
		run, ran := outcomes[inRun.String()]
		row := faultRow{seen: seenInDocs(chat.seen, skip), kept: chat.kept, next: chat.next, run: "–"}
		if ran {
			row.run = fmt.Sprintf("exit %d", run.exit)
		}
		key := regexp.MustCompile(`\d+`).ReplaceAllString(strings.Join([]string{row.seen, row.kept, row.next, row.run}, "|"), "0")
		i, there := at[key]
		if !there {
			i = len(rows)
			at[key] = i
			rows = append(rows, row)
		}
		rows[i].faults = append(rows[i].faults, c.fault)
	}
	return rows
}

// what names the faults of a row: those of a group by the group and how many they are.
func (r faultRow) what() string {
	var names []string
	count := map[string]int{}
	for _, f := range r.faults {
		if f.Group == "" {
			names = append(names, f.What)
			continue
		}
		if count[f.Group]++; count[f.Group] == 1 {
			names = append(names, f.Group)
		}
	}
	for i, name := range names {
		if n := count[name]; n > 1 {
			names[i] = fmt.Sprintf("%s (%d forms)", name, n)
		}
	}
	return strings.Join(names, "; ")
}

var (
	cellPattern  = regexp.MustCompile(`/cell\d+`)
	wordsPattern = regexp.MustCompile(`((?:example|m) (?:failed|refused the request|reports a rate limit|requires payment|denied access|timed out|rejected the API key from the config file|does not have the model m|sent a response that is not a chat completion)(?: \(\d+\))?(?: and asks to wait [^:]*)?): .*?(\.? Try \d+ of \d+ in [^ ]+$|; asking .*|$)`)
	tryPattern   = regexp.MustCompile(`^(.*?)\.? Try (\d+) of \d+ in (\S+)$`)
)

// seenInDocs joins the sentences of a cell. The server's own words are left out, and the tries of one request are
// one sentence.
func seenInDocs(seen []string, skip string) string {
	var parts []string
	tries := 0
	for _, text := range seen {
		if skip != "" && strings.HasPrefix(text, skip) {
			continue
		}
		text = wordsPattern.ReplaceAllString(cellPattern.ReplaceAllString(text, ""), "$1: …$2")
		if m := tryPattern.FindStringSubmatch(text); m != nil {
			if m[2] == "2" {
				parts, tries = append(parts, strings.TrimSuffix(m[1], ".")), 0
			}
			tries++
			continue
		}
		text = strings.TrimSuffix(text, ".")
		if n := len(parts); n > 0 && tries > 0 && strings.HasSuffix(text, parts[n-1]) {
			parts[n-1] = fmt.Sprintf("%s (after %d tries)", text, tries+1)
			tries = 0
			continue
		}
		parts = append(parts, text)
	}
	if n := len(parts); n > 0 && tries > 0 {
		parts[n-1] += fmt.Sprintf(" (try %d brings the answer)", tries+1)
	}
	if len(parts) == 0 {
		return "nothing"
	}
	for i, p := range parts {
		parts[i] = "“" + strings.ReplaceAll(p, "|", "\\|") + "”"
	}
	return strings.Join(parts, ", then ")
}
