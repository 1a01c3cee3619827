// Package manual writes the manual page, the one that man shows, from the command tree.
package manual

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Section is a part of the page behind the commands.
type Section struct {
	Name  string
	Text  string // a paragraph, "" for none
	Items []Item
}

// Item is a term with what it means. An item without a meaning is a heading between others.
type Item struct{ Term, Meaning string }

// Page is the manual page of a program in the macros of man(7). It is the same at every run.
func Page(root *cobra.Command, sections ...Section) string {
	p := new(page)
	p.macro("TH", strings.ToUpper(root.Name()), "1", "", root.Name(), "User Commands")
	p.macro("SH", "NAME")
	p.text(root.Name() + " - " + strings.ToLower(root.Short[:1]) + root.Short[1:])
	p.macro("SH", "SYNOPSIS")
	p.line(`.B ` + escaped(root.Name()))
	p.text("[options]")
	for _, c := range root.Commands() {
		if shown(c) {
			p.line(".br")
			p.line(`.B ` + escaped(c.CommandPath()))
			p.text(arguments(c) + " [options]")
		}
	}
	p.macro("SH", "DESCRIPTION")
	p.text(root.Long)
	p.example(root)
	p.macro("SH", "OPTIONS")
	p.flags(root.NonInheritedFlags())
	p.macro("SH", "COMMANDS")
	p.text("All of them accept the options --config, --db, --debug, --model and --help.")
	for _, c := range root.Commands() {
		p.command(c)
	}
	for _, s := range sections {
		p.macro("SH", strings.ToUpper(s.Name))
		if s.Text != "" {
			p.text(s.Text)
		}
		for _, item := range s.Items {
			if item.Meaning == "" {
				p.macro("SS", item.Term)
				continue
			}
			p.item(item.Term, item.Meaning)
		}
	}
	return p.String()
}

// shown says whether a command is for people.
func shown(c *cobra.Command) bool { return !c.Hidden && c.Name() != "help" }

// arguments is what stands behind the name of a command.
func arguments(c *cobra.Command) string {
	if c.HasSubCommands() {
		return "[command]"
	}
	return strings.TrimSpace(strings.TrimPrefix(c.Use, c.Name()))
}

// page collects the source of a manual page.
type page struct{ strings.Builder }

func (p *page) line(text string) { p.WriteString(text + "\n") }

// macro writes a request with its arguments.
func (p *page) macro(name string, arguments ...string) {
	line := "." + name
	for _, a := range arguments {
		line += ` "` + strings.ReplaceAll(escaped(a), `"`, `\(dq`) + `"`
	}
	p.line(line)
}

// text writes a paragraph that is filled, one sentence a line.
func (p *page) text(text string) {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			p.line(".PP")
		} else {
			p.line(strings.ReplaceAll(escaped(line), ". ", ".\n"))
		}
	}
}

func (p *page) item(term, meaning string) {
	p.line(".TP")
	p.line(`.B ` + escaped(term))
	p.text(meaning)
}

// command writes a command and those below it.
func (p *page) command(c *cobra.Command) {
	if !shown(c) {
		return
	}
	p.macro("SS", strings.TrimSpace(c.CommandPath()+strings.TrimPrefix(c.Use, c.Name())))
	about := c.Long
	if about == "" {
		about = strings.TrimSuffix(c.Short, ".") + "."
	}
	p.text(about)
	p.example(c)
	p.flags(c.NonInheritedFlags())
	for _, sub := range c.Commands() {
		p.command(sub)
	}
}

// example writes the examples of a command as they are.
func (p *page) example(c *cobra.Command) {
	if !c.HasExample() {
		return
	}
	p.line(".PP")
	p.line(".EX")
	for line := range strings.SplitSeq(c.Example, "\n") {
		p.line(escaped(strings.TrimPrefix(line, "  ")))
	}
	p.line(".EE")
}

func (p *page) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		switch kind := f.Value.Type(); {
		case kind == "bool":
		case strings.HasPrefix(kind, "int"):
			term += " N"
		default:
			term += " VALUE"
		}
		p.item(term, strings.ToUpper(f.Usage[:1])+f.Usage[1:]+".")
	})
}

// escaped is a text that the formatter shows as it is. A leading full stop or apostrophe would be a request, and
// a bare minus may become a hyphen, which cannot be pasted into a shell.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// Install is the command that puts the page where man finds it, in the home of one person.
func Install(program string) string {
	return fmt.Sprintf("mkdir -p ~/.local/share/man/man1 && %[1]s man > ~/.local/share/man/man1/%[1]s.1", program)
}
