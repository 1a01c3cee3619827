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
	json, wire, prompt bool
	noRedact           bool
	draft, template    string
	budget, preset     string
	turn, diff         string
	changed            func(name string) bool // whether a flag was given, be it empty
}

func (f *contextFlags) add(c *cobra.Command) {
	all := c.Flags()
	f.changed = all.Changed
	all.StringVar(&f.draft, "draft", "", "preview with this text as the next message")
	all.StringVar(&f.budget, "budget", "", "preview with this budget in tokens, or auto")
	all.StringVar(&f.preset, "preset", "", "preview with this preset, ignoring the session's own settings")
	all.StringVar(&f.turn, "turn", "",
		"show the request of turn N as it was sent: N is its last request, N.2 its second")
	all.StringVar(&f.diff, "diff", "", "show what changed since the request of turn M")
	all.BoolVar(&f.wire, "wire", false, "print the body of the request, with possible secrets redacted")
	all.BoolVar(&f.prompt, "prompt", false,
		"print the request as one text, for a model without a chat format or another program")
	all.StringVar(&f.template, "template", "", "use the template in this file for --prompt")
	all.BoolVar(&f.noRedact, "no-redact", false, "do not redact possible secrets in --wire and --prompt")
	all.BoolVar(&f.json, "json", false, "print the totals and the verdict of every message as one JSON object")
	c.RegisterFlagCompletionFunc("preset", cobra.FixedCompletions(history.Presets(),
		cobra.ShellCompDirectiveNoFileComp))
}

// contextAsked is what winnow context was asked for.
type contextAsked struct {
	json, wire, prompt bool
	noRedact           bool
	draft              string
	template           string // the text of it
	templateName       string // its file
	trial              session.Settings
	turn               pastRef // the zero moment is the next request
	diff               bool
	since              pastRef // what is compared with, where diff is set
}

// pastRef names a request of the past: the nth of a turn, 0 the last.
type pastRef struct{ turn, nth int }

// read makes sense of the flags, or says what they take.
func (f contextFlags) read(all flags) (contextAsked, error) {
	a := contextAsked{
		json: f.json, wire: f.wire, prompt: f.prompt, noRedact: f.noRedact, draft: f.draft,
		template: history.PromptTemplate,
	}
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
		return a, fail(Usage, "--preset is %q; must be %s%s", f.preset, theme.Choices(history.Presets()),
			llm.DidYouMean(f.preset, history.Presets()))
	}
	if f.changed("template") {
		text, err := os.ReadFile(f.template)
		if err != nil {
			return a, fail(Usage, "cannot read the template %s: %w", f.template, fileCause(err))
		}
		a.template, a.templateName = string(text), f.template
	}
	a.trial = session.Settings{Preset: f.preset}
	if f.changed("budget") {
		a.trial.Budget, err = budgetOf(f.budget)
	}
	return a, err
}

// together says which flags do not go together.
func (f contextFlags) together(all flags) error {
	formats := f.those("json", "wire", "prompt")
	trial := f.those("draft", "budget", "preset")
	if all.model != "" {
		trial = append(trial, "--model")
	}
	switch {
	case len(formats) > 1:
		return fail(Usage, "%s cannot be used together", theme.InWords(formats))
	case f.changed("turn") && len(trial) > 0:
		return fail(Usage, "--turn shows a past request, so it cannot be used with %s", trial[0])
	case f.changed("diff") && (f.wire || f.prompt):
		return fail(Usage, "--diff compares verdicts, so it cannot be used with %s", formats[0])
	case f.noRedact && !f.wire && !f.prompt:
		return fail(Usage, "--no-redact needs --wire or --prompt")
	case f.changed("template") && !f.prompt:
		return fail(Usage, "--template needs --prompt")
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
		return m, fail(Usage, "%s is %q; must be the number of a turn such as 3, or 3.2 for its second request", flag,
			text)
	}
	return m, nil
}

// budgetOf reads a budget as /budget does.
func budgetOf(text string) (*int, error) {
	n, ok := settings.ReadBudget(text)
	if !ok {
		return nil, fail(Usage, "--budget is %q; must be a number of tokens, or auto", text)
	}
	return &n, nil
}
