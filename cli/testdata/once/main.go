// Command once renders the Markdown on its standard input a single time and prints it: the least
// that showing an answer can cost. Its one argument is the width in cells.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

func main() {
	if err := once(); err != nil {
		fmt.Fprintf(os.Stderr, "once: %v\n", err)
		os.Exit(1)
	}
}

func once() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("it takes one argument, the width in cells")
	}
	width, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return fmt.Errorf("read the width: %w", err)
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return fmt.Errorf("read the text: %w", err)
	}
	lines := markdown.New(theme.New(theme.Dark, theme.BuiltIn()[theme.Dark], 0).Markdown, width, width).Render(string(text))
	_, err = io.WriteString(os.Stdout, strings.Join(lines, "\n")+"\n")
	return err
}
