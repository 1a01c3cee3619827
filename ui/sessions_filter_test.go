package ui

import (
	"strings"
	"testing"
)

func TestEveryWordOfAFilterIsInTitleOrTags(t *testing.T) {
	m := fresh(t, 120, 40)
	m.Update(ctrl('s'))
	listed(m, someSessions()...)
	for _, c := range []struct{ filter, want string }{
		{"", "Parser rewrite, Bread with rye, Parser rewrite, without the lexer, Übersetzung für die Partnerschaft, " +
			"日本語の構文解析, untitled"},
		{"PARSER", "Parser rewrite, Parser rewrite, without the lexer"},
		{"go lexer", "Parser rewrite, without the lexer"},
		{"#kitch", "Bread with rye"},
		{"rye bread", "Bread with rye"},
		{"brd", "Bread with rye, Übersetzung für die Partnerschaft"},
		{"für", "Übersetzung für die Partnerschaft"},
		{"構文", "日本語の構文解析"},
		{"zebra", ""},
	} {
		m.Update(ctrl('u'))
		typing(m, c.filter)
		if got := strings.Join(titles(m), ", "); got != c.want {
			t.Errorf("%q leaves %s, want %s", c.filter, got, c.want)
		}
	}
}
