//go:build cgo

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"winnow/cli/config"
	"winnow/cli/report"
	"winnow/llm"
	"winnow/ui"
	"winnow/ui/theme"
)

// personasFolder is where the user keeps system prompts: beside the configuration file.
func (p *program) personasFolder() (string, error) {
	config, _, err := p.configPath()
	if err != nil {
		return "", err
	}
	return filepath.Join(filepath.Dir(config), "personas"), nil
}

// personas reads the user's system prompts: each file NAME.md or NAME.txt of their folder, by name.
// Without the folder there are none. The error names the files that cannot be read; the others are given all the same.
func (p *program) personas() ([]ui.Persona, error) {
	folder, err := p.personasFolder()
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fail(Failed, "cannot read the personas: %w", err)
	}
	var all []ui.Persona
	var unread []error
	for _, f := range files {
		name, ok := personaName(f.Name())
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			unread = append(unread, fail(Failed, "cannot read the persona %s: %w", name, err))
			continue
		}
		all = append(all, ui.Persona{Name: name, Text: promptText(text)})
	}
	return all, errors.Join(unread...)
}

// personaName is the name of the persona in a file, and whether it holds one. A name is one word, so
// that a command can give it.
func personaName(file string) (string, bool) {
	ext := filepath.Ext(file)
	name := strings.TrimSuffix(file, ext)
	return name, (ext == ".md" || ext == ".txt") && name != "" && name[0] != '.' && !strings.ContainsAny(name, " \t")
}

// promptText is a file's system prompt: its text without a byte order mark and the line ends at its
// end, which editors leave.
func promptText(file []byte) string {
	text := strings.TrimPrefix(string(file), "\ufeff")
	return strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// persona is the system prompt of the persona with a name.
func (p *program) persona(name string) (string, error) {
	all, err := p.personas()
	if i := slices.IndexFunc(all, func(q ui.Persona) bool { return q.Name == name }); i >= 0 {
		return all[i].Text, nil
	}
	if err != nil {
		return "", err // It may be the one that cannot be read.
	}
	folder, err := p.personasFolder()
	if err != nil {
		return "", err
	}
	var names []string
	for _, q := range all {
		names = append(names, q.Name)
	}
	if len(names) == 0 {
		return "", fail(NotFound, "there is no persona %q: a persona is a file NAME.md in %s, which has none yet", name,
			folder)
	}
	return "", fail(NotFound, "there is no persona %q; there are %s%s", name, theme.Choices(names),
		llm.DidYouMean(name, names))
}

// completePersona offers the names of the personas.
func (p *program) completePersona(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, _ := p.personas() // Those that can be read are offered.
	var out []cobra.Completion
	for _, q := range all {
		out = append(out, cobra.CompletionWithDesc(q.Name, report.Line(q.Text)))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// listPersonas prints each persona with the beginning of its text.
func (p *program) listPersonas(context.Context) error {
	all, err := p.personas()
	if err != nil && len(all) == 0 {
		return err
	}
	if err != nil {
		p.reportError(p.err, err)
	}
	folder, err := p.personasFolder()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		fmt.Fprintf(p.err, "There are no personas yet. Each is a file NAME.md in %s.\n", folder)
		return nil
	}
	w := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for _, q := range all {
		fmt.Fprintf(w, "%s\t%s\n", report.Line(q.Name), report.Line(q.Text))
	}
	return w.Flush()
}

// systemPrompt is the configured system prompt, from the configuration or the file that it names.
func (p *program) systemPrompt(c config.System) (string, error) {
	if c.PromptFile == "" {
		return c.Prompt, nil
	}
	return p.promptFile("system.prompt_file", c.PromptFile)
}

// promptFile reads the system prompt in a file that a key of the configuration names.
func (p *program) promptFile(key, name string) (string, error) {
	path, err := p.expand(name)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fail(Usage, "cannot read %s of the configuration: %w", key, err)
	}
	return promptText(text), nil
}
