// Package shells makes completion scripts that work in a shell as it is: without the package bash-completion in
// bash, and without compinit in zsh's own configuration.
package shells

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed bash.sh
var bashFunctions string

// zshInit starts zsh's completion where that has not happened.
const zshInit = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }\n"

// Write writes the completion script of one of the shells that Install knows. Descriptions stand beside what is
// completed, where they are wanted.
func Write(out io.Writer, root *cobra.Command, shell string, descriptions bool) error {
	var script strings.Builder
	var err error
	switch shell {
	case "bash":
		script.WriteString(bashFunctions)
		err = root.GenBashCompletionV2(&script, descriptions)
	case "zsh":
		var generated strings.Builder
		if descriptions {
			err = root.GenZshCompletion(&generated)
		} else {
			err = root.GenZshCompletionNoDesc(&generated)
		}
		// The first line says what the file completes, where it lies in a folder of $fpath.
		head, rest, _ := strings.Cut(generated.String(), "\n")
		script.WriteString(head + "\n" + zshInit + rest)
	case "fish":
		err = root.GenFishCompletion(&script, descriptions)
	default:
		err = fmt.Errorf("there is no completion for %s", shell)
	}
	if err == nil {
		_, err = io.WriteString(out, script.String())
	}
	if err != nil {
		return fmt.Errorf("write the completion script: %w", err)
	}
	return nil
}

// Install is the command that switches completion on for good, "" for a shell that has none here.
func Install(shell string) string {
	switch shell {
	case "bash":
		return `echo 'eval "$(winnow completion bash)"' >> ~/.bashrc`
	case "zsh":
		return `echo 'eval "$(winnow completion zsh)"' >> ~/.zshrc`
	case "fish":
		return `echo 'winnow completion fish | source' >> ~/.config/fish/config.fish`
	}
	return ""
}

// Help is the text of the command that prints the script of a shell, "" where Install has no command.
func Help(shell string) string {
	command := Install(shell)
	if command == "" {
		return ""
	}
	return fmt.Sprintf("Print the completion script for %s. It completes commands, flags, models, personas, sessions\n"+
		"and presets. To have it in every new shell, run once:\n\n\t%s", shell, command)
}
