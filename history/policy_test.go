package history

import (
	"fmt"
	"strings"
	"testing"
)

// presetTable is what each preset sets; – is no limit. Under "whole" stand the tokens and the
// share of the budget up to which the newest turn stays whole, under "recall" its cap, under "budget"
// that of the history in tokens, or in characters with the number of messages that it has at least.
const presetTable = `
preset           user  answer  recalled  tool  whole         elastic  recall  messages  drops   budget
balanced         8000  150     600       2000  2000 / 0.125  true     8192    –         middle  auto
recall           8000  150     600       2000  2000 / 0.05   true     –       –         middle  auto
classic          8000  150     150       2000  0             false    0       50        middle  6000 tokens
assistant-first  150   8192    8192      2000  0             false    0       50        oldest  15360 chars, 5 messages
recent           –     –       –         –     0             false    0       50        oldest  auto
summary          8000  150     600       2000  2000 / 0.125  true     4096    –         middle  auto
full             –     –       –         –     –             true     0       –         none    auto
`

func TestPresetsSetWhatTheirTableSays(t *testing.T) {
	table := map[string]string{}
	for row := range strings.Lines(presetTable) {
		name, _, _ := strings.Cut(row, " ")
		table[name] = strings.Join(strings.Fields(row), " ")
	}
	for _, name := range Presets() {
		p, err := Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Errorf("preset %s: %v", name, err)
		}
		if got := strings.Join(strings.Fields(presetRow(p)), " "); got != table[name] {
			t.Errorf("preset %s sets\n%s\nand the table says\n%s", name, got, table[name])
		}
	}
}

func presetRow(p Policy) string {
	limit := func(n int) string {
		if n == NoLimit {
			return "–"
		}
		return fmt.Sprint(n)
	}
	budget := "auto"
	switch {
	case p.HistoryBudget > 0:
		budget = fmt.Sprintf("%d tokens", p.HistoryBudget)
	case p.BudgetChars > 0:
		budget = fmt.Sprintf("%d chars, %d messages", p.BudgetChars, p.MinMessages)
	}
	whole := limit(p.LastWholeMaxTokens)
	if p.LastWholeMaxTokens > 0 && p.LastWholeMaxTokens != NoLimit {
		whole += fmt.Sprintf(" / %g", p.LastWholeShare)
	}
	return strings.Join([]string{
		p.Preset, limit(p.UserMaxChars), limit(p.AssistantMaxChars), limit(p.AssistantRecallChars),
		limit(p.ToolMaxChars),
		whole, fmt.Sprint(p.Elastic), limit(p.RecallMaxTokens),
		limit(p.MaxMessages), string(p.Strategy), budget,
	}, " ")
}

// A configuration that makes no sense is refused in its own words.
func TestCheckRefusesWhatMakesNoSense(t *testing.T) {
	for _, tt := range []struct {
		change func(*Policy)
		want   string
	}{
		{func(p *Policy) { p.MaxMessages = -1 }, "context.max_messages is -1; must be 0 or more"},
		{func(p *Policy) { p.UserMaxChars = -8000 }, "context.user_max_chars is -8000; must be 0 or more"},
		{func(p *Policy) { p.SummarizeRatio = 1.5 }, "context.summarize_ratio is 1.5; must be 0 to 1"},
		{
			func(p *Policy) { p.MaxContextTokens = 0 },
			"context.max_context_tokens is 0; with an automatic budget it takes 1 or more",
		},
		{
			func(p *Policy) { p.Strategy = "newest" },
			`context.strategy is "newest"; must be middle, oldest, turns, none`,
		},
		{func(p *Policy) { p.Recovery = "ignore" }, `context.recovery is "ignore"; must be repair, strip, strict`},
		{func(p *Policy) { p.Marker = " " }, "context.marker is blank; it must contain text"},
		{func(p *Policy) { p.MaxMessages = 0 }, ""},
		{func(p *Policy) { p.MaxMessages = NoLimit }, ""},
	} {
		p := balanced()
		tt.change(&p)
		got := ""
		if err := p.Check(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	if _, err := Preset("short"); err == nil || !strings.Contains(err.Error(), `no preset "short"`) {
		t.Errorf("an unknown preset: got %v", err)
	}
}
