package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Tools is what winnow tools lists. It is a contract: fields are added, never renamed or removed.
type Tools struct {
	Servers []ToolServer `json:"servers"`
	Offered int          `json:"offered"` // tools that each request offers
	Tokens  int          `json:"tokens"`  // of their descriptions and schemas, with each request; an estimate
}

// ToolServer is one MCP server.
type ToolServer struct {
	Name      string    `json:"name"`
	State     string    `json:"state"`   // off, ready or failed; "built in" of winnow itself
	Address   string    `json:"address"` // its command or url
	From      string    `json:"from"`    // the file that names it, where that is another client's
	Title     string    `json:"title"`   // what it calls itself
	Error     string    `json:"error"`   // why it is not in use
	Offered   int       `json:"offered"` // of its tools
	Tokens    int       `json:"tokens"`  // of the tools that are offered
	Tools     []ToolRow `json:"tools"`
	Prompts   int       `json:"prompts"`
	Resources int       `json:"resources"`
}

// ToolRow is one tool.
type ToolRow struct {
	Name        string `json:"name"`       // as the model calls it
	Own         string `json:"own_name"`   // as the server calls it
	Permission  string `json:"permission"` // off, ask or allow
	Offered     bool   `json:"offered"`
	Tokens      int    `json:"tokens"` // 0 where it is not offered
	Description string `json:"description"`
	Note        string `json:"note"` // why it is not offered, or what of it was changed
}

// descriptionWidth is how much of a description the table shows, in cells.
const descriptionWidth = 60

// Table writes one row a tool, and under a server what went wrong with it.
func (t Tools) Table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	row := func(cells ...any) { fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", cells...) }
	row("server", "state", "tool", "permission", "tokens", "description")
	for _, s := range t.Servers {
		name, state := Line(s.Name), s.State
		if len(s.Tools) == 0 {
			row(name, state, "–", "–", "–", Line(s.Title))
		}
		for _, tool := range s.Tools {
			tokens, text := "–", tool.Description
			if tool.Offered {
				tokens = "~" + theme.Thousands(tool.Tokens)
			}
			if tool.Note != "" {
				text = "(" + tool.Note + ") " + text
			}
			row(name, state, Line(tool.Name), tool.Permission, tokens, markdown.OneLine(text, descriptionWidth))
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, s := range t.Servers {
		if s.Error != "" {
			fmt.Fprintf(out, "\n%s: %s\n  %s\n", Line(s.Name), markdown.Visible(s.Error), Line(s.Address))
		}
	}
	_, err := fmt.Fprintf(out, "\n%s offered with each request: ~%s\n", theme.PluralOf(t.Offered, "tool is",
		"tools are"), theme.Plural(t.Tokens, "token"))
	return err
}
