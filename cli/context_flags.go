//go:build cgo

package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/session/settings"
	"winnow/ui/theme"
)

// contextFlags is what the command line of winnow context said.
type contextFlags struct {
	json, wire, prompt        bool
	noRedact                  bool
	draft, template           string
	budget, preset, placement string
	turn, diff                string
	changed                   func(name string) bool // whether a flag was given, be it empty
}

func (f *contextFlags) add(c *cobra.Command) {
	all := c.Flags()
	f.changed = all.Changed
	all.StringVar(&f.draft, "draft", "", "as if this text were sent next")
	all.StringVar(&f.budget, "budget", "", "as if the budget were so many tokens, or auto")
	all.StringVar(&f.preset, "preset", "", "as if this preset were chosen, without the session's own settings")
	all.StringVar(&f.placement, "placement", "", "as if recalled text stood there: steady or in-order")
	all.StringVar(&f.turn, "turn", "", "the request of turn N as it was sent; N.2 is its second one, N the last")
	all.StringVar(&f.diff, "diff", "", "what changed since the request of turn M")
	all.BoolVar(&f.wire, "wire", false, "exactly the bytes that would be sent, without what looks like a secret")
	all.BoolVar(&f.prompt, "prompt", false, "as one text, for a model without a chat format or to hand over")
	all.StringVar(&f.template, "template", "", "write --prompt by the template in this file")
	all.BoolVar(&f.noRedact, "no-redact", false, "leave what looks like a secret in --wire and --prompt")
	all.BoolVar(&f.json, "json", false, "the sum and every message's verdict as one JSON object")
	c.RegisterFlagCompletionFunc("preset", cobra.FixedCompletions(history.Presets(), cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("placement", cobra.FixedCompletions(placements, cobra.ShellCompDirectiveNoFileComp))
}

// placements are the words that --placement takes.
var placements = []string{string(history.Steady), string(history.InOrder)}

// contextAsked is what winnow context was asked for.
type contextAsked struct {
	json, wire, prompt bool
	noRedact           bool
	draft              string
	template           string // the text of it
	templateName       string // its file
	trial              session.Trial
	turn               pastRef // the zero moment is the next request
	diff               bool
	since              pastRef // what is compared with, where diff is set
}

// pastRef names a request of the past: the nth of a turn, 0 the last.
type pastRef struct{ turn, nth int }

// read makes sense of the flags, or says what they take.
func (f contextFlags) read(all flags) (contextAsked, error) {
	a := contextAsked{json: f.json, wire: f.wire, prompt: f.prompt, noRedact: f.noRedact, draft: f.draft, template: history.PromptTemplate}
	err := f.together(all)
	if err != nil {
		return a, err
	}
	if f.changed("turn") {
		if a.turn, err = requestRef("--turn", f.turn); err != nil {
			return a, err
		}
	}
	if a.diff = f.changed("diff"); a.diff {
		if a.since, err = requestRef("--diff", f.diff); err != nil {
			return a, err
		}
	}
	if f.changed("preset") && !slices.Contains(history.Presets(), f.preset) {
		return a, fail(Usage, "--preset is %q; it takes %s%s", f.preset, theme.Choices(history.Presets()), llm.DidYouMean(f.preset, history.Presets()))
	}
	if f.changed("placement") && !slices.Contains(placements, f.placement) {
		return a, fail(Usage, "--placement is %q; it takes %s%s", f.placement, theme.Choices(placements), llm.DidYouMean(f.placement, placements))
	}
	if f.changed("template") {
		text, err := os.ReadFile(f.template)
		if err != nil {
			return a, fail(Usage, "cannot read the template %s: %w", f.template, fileCause(err))
		}
		a.template, a.templateName = string(text), f.template
	}
	a.trial = session.Trial{Preset: f.preset, Placement: history.Placement(f.placement)}
	if f.changed("budget") {
		a.trial.Budget, err = budgetOf(f.budget)
	}
	return a, err
}

// together says which flags do not go together.
func (f contextFlags) together(all flags) error {
	formats := f.those("json", "wire", "prompt")
	trial := f.those("draft", "budget", "preset", "placement")
	if all.model != "" {
		trial = append(trial, "--model")
	}
	switch {
	case len(formats) > 1:
		return fail(Usage, "%s are different forms of the answer: take one of them", theme.InWords(formats))
	case f.changed("turn") && len(trial) > 0:
		return fail(Usage, "--turn shows a request as it was sent, and %s asks what would be: take one of them", trial[0])
	case f.changed("diff") && (f.wire || f.prompt):
		return fail(Usage, "--diff compares what became of the messages; it goes with --json, not with %s", formats[0])
	case f.noRedact && !f.wire && !f.prompt:
		return fail(Usage, "--no-redact belongs to --wire and --prompt")
	case f.changed("template") && !f.prompt:
		return fail(Usage, "--template belongs to --prompt")
	}
	return nil
}

// those are the flags of a list that were given.
func (f contextFlags) those(names ...string) []string {
	var chosen []string
	for _, name := range names {
		if f.changed(name) {
			chosen = append(chosen, "--"+name)
		}
	}
	return chosen
}

// requestRef reads N or N.K.
func requestRef(flag, text string) (pastRef, error) {
	turn, nth, several := strings.Cut(text, ".")
	var m pastRef
	var err, second error
	m.turn, err = strconv.Atoi(turn)
	if several {
		m.nth, second = strconv.Atoi(nth)
	}
	if err != nil || second != nil || m.turn < 1 || several && m.nth < 1 {
		return m, fail(Usage, "%s is %q; it takes the number of a turn, such as 3, or 3.2 for its second request", flag, text)
	}
	return m, nil
}

// budgetOf reads a budget as /budget does.
func budgetOf(text string) (*int, error) {
	n, ok := settings.ReadBudget(text)
	if !ok {
		return nil, fail(Usage, "--budget is %q; it takes a number of tokens, or auto", text)
	}
	return &n, nil
}
