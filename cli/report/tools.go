package report

import (
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// ToolList is the result of winnow tools.
type ToolList struct {
	Servers []ToolServer
	Offered int // number of tools offered with each request
	Tokens  int // estimated tokens of their descriptions and schemas
}

// ToolServer is an MCP server, or winnow itself.
type ToolServer struct {
	Name    string
	State   string // off, ready or failed; "built in" for winnow itself
	Address string // command or URL
	Title   string // the server's own name for itself
	Error   string // why it failed, "" for none
	Tools   []ToolRow
}

// ToolRow is one tool of a server.
type ToolRow struct {
	Name        string // as offered to the model
	Own         string `json:"own_name"` // as the server names it
	Permission  string // off, ask or allow
	Offered     bool
	Tokens      int // estimated tokens, 0 if it is not offered
	Description string
	Note        string // why it is not offered, or how its definition was changed
}

// descriptionWidth is the width in cells of a description in the table.
const descriptionWidth = 60

// Table writes a row for each tool, followed by the errors of servers.
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
