package report

import (
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// ToolList is what winnow tools lists.
type ToolList struct {
	Servers []ToolServer
	Offered int // tools that each request offers
	Tokens  int // of their descriptions and schemas, with each request; an estimate
}

// ToolServer is one MCP server.
type ToolServer struct {
	Name    string
	State   string // off, ready or failed; "built in" of winnow itself
	Address string // its command or url
	Title   string // what it calls itself
	Error   string // why it is not in use
	Tools   []ToolRow
}

// ToolRow is one tool.
type ToolRow struct {
	Name        string // as the model calls it
	Own         string `json:"own_name"` // as the server calls it
	Permission  string // off, ask or allow
	Offered     bool
	Tokens      int // 0 where it is not offered
	Description string
	Note        string // why it is not offered, or what of it was changed
}

// descriptionWidth is how much of a description the table shows, in cells.
const descriptionWidth = 60

// Table writes one row a tool, and under them what went wrong with a server.
func (t ToolList) Table(p *Page) {
	p.Row("server", "state", "tool", "permission", "tokens", "description")
	for _, s := range t.Servers {
		if len(s.Tools) == 0 {
			p.Row(ShortLine(s.Name), s.State, "–", "–", "–", ShortLine(s.Title))
		}
		for _, tool := range s.Tools {
			tokens, text := "–", tool.Description
			if tool.Offered {
				tokens = "~" + theme.Thousands(tool.Tokens)
			}
			if tool.Note != "" {
				text = "(" + tool.Note + ") " + text
			}
			p.Row(ShortLine(s.Name), s.State, ShortLine(tool.Name), tool.Permission, tokens,
				markdown.OneLine(text, descriptionWidth))
		}
	}
	for _, s := range t.Servers {
		if s.Error != "" {
			p.Line("")
			p.Text(ShortLine(s.Name) + ": " + markdown.Visible(s.Error))
			p.Line("  %s", ShortLine(s.Address))
		}
	}
	p.Line("")
	p.Line("%s offered with each request: ~%s", theme.PluralOf(t.Offered, "tool is", "tools are"),
		theme.Plural(t.Tokens, "token"))
}
