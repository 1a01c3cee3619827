package ui

import (
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/sessions"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// someSessions are the sessions of the goldens.
func someSessions() []store.Session {
	day := 24 * time.Hour
	of := func(id, title, model string, turns int, used time.Duration, tags ...string) store.Session {
		return store.Session{
			ID: "0193a1b2-c3d4-7000-8000-00000000000" + id, Title: title, Model: model, Turns: turns, Messages: 2 * turns,
			Created: begun.Add(-used - 3*day), Updated: begun.Add(-used), Tags: tags, Dir: "/home/kim/parser",
		}
	}
	list := []store.Session{
		of("1", "Parser rewrite", "gpt-5.2", 61, time.Minute, "go", "work"),
		of("2", "Bread with rye", "llama3.2", 4, 26*time.Hour, "kitchen"),
		of("3", "Parser rewrite, without the lexer", "gpt-5.2", 9, 3*day, "go"),
		of("4", "Übersetzung für die Partnerschaft", "mistral-large-latest", 1, 12*day),
		of("5", "日本語の構文解析", "gpt-5.2", 1204, 40*day, "go", "cjk"),
		of("6", "", "guide", 1, 90*day),
	}
	list[0].Pinned = true
	list[2].Parent = list[0].ID
	return list
}

// list answers what the list of sessions asked last.
func list(m *Model, stored ...store.Session) {
	m.Update(sessions.ListedMsg{Asked: m.sessions.Asked, Lines: sessions.SessionLines(theme.Secrets{}, stored), At: begun, Whole: true})
}

// choosing is the list of sessions over a conversation.
func choosing(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(ctrl('s'))
	stored := someSessions()
	m.current.Info.ID = stored[0].ID
	list(m, stored...)
	m.sessions.Lines[3].Leased = true
	return m
}

// binned is the trash with two sessions.
func binned(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(ctrl('s'))
	m.Update(uitest.Key("shift+tab"))
	m.Update(uitest.Key("shift+tab"))
	stored := someSessions()[1:3]
	for i := range stored {
		stored[i].Deleted = begun.Add(-time.Hour)
	}
	list(m, stored...)
	return m
}

// sessionStates are the screens of the list of sessions.
func sessionStates() []state {
	return []state{
		{"sessions", choosing},
		{"sessions-filter", func(t testing.TB, w, h int) *Model {
			m := choosing(t, w, h)
			typing(m, "par go")
			m.Update(uitest.Key("down"))
			return m
		}},
		{"sessions-tags", func(t testing.TB, w, h int) *Model {
			m := choosing(t, w, h)
			m.Update(uitest.Key("down"))
			m.Update(ctrl('t'))
			typing(m, "rye")
			return m
		}},
		{"sessions-rename", func(t testing.TB, w, h int) *Model {
			m := choosing(t, w, h)
			m.Update(ctrl('e'))
			m.Update(uitest.Key("home"))
			return m
		}},
		{"sessions-trash", binned},
		{"sessions-purge", func(t testing.TB, w, h int) *Model {
			m := binned(t, w, h)
			m.Update(ctrl('d'))
			return m
		}},
		{"sessions-none", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.Update(ctrl('s'))
			list(m)
			return m
		}},
		{"sessions-no-match", func(t testing.TB, w, h int) *Model {
			m := choosing(t, w, h)
			typing(m, "zebra")
			return m
		}},
		{"texts", foundTexts},
		{"texts-behind", func(t testing.TB, w, h int) *Model {
			m := foundTexts(t, w, h)
			m.upkeep.Unindexed = 12_345
			return m
		}},
		{"texts-empty", func(t testing.TB, w, h int) *Model {
			m := choosing(t, w, h)
			m.Update(tab)
			return m
		}},
		{"texts-none", func(t testing.TB, w, h int) *Model {
			m := choosing(t, w, h)
			m.Update(tab)
			typing(m, "zebra")
			m.Update(sessions.SearchDueMsg{Search: m.sessions.Texts.Searches})
			m.Update(sessions.FoundMsg{Search: m.sessions.Texts.Searches, Text: "zebra", At: begun})
			return m
		}},
		{"sessions-reading", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.Update(ctrl('s'))
			return m
		}},
	}
}

// foundTexts is the text of all messages with what a search found.
func foundTexts(t testing.TB, w, h int) *Model {
	m := choosing(t, w, h)
	m.Update(tab)
	typing(m, "gramm left")
	stored := someSessions()
	m.Update(sessions.SearchDueMsg{Search: m.sessions.Texts.Searches})
	m.Update(sessions.FoundMsg{Search: m.sessions.Texts.Searches, Text: "gramm left", At: begun, Hits: []store.Hit{
		{Session: stored[0], Message: 1, Role: history.User, At: begun.Add(-time.Hour), Snippet: "Our grammar is left-recursive. How do I parse it with recursive descent?", Marks: [][2]int{{4, 11}, {15, 19}}},
		{Session: stored[2], Message: 42, Role: history.Assistant, At: begun.Add(-70 * time.Hour), Snippet: "… what is left of the grammar after that: three rules, one of them for expressions, and the two that call it. None of …", Marks: [][2]int{{12, 16}, {24, 31}}},
		{Session: stored[4], Message: 77, Role: history.Tool, At: begun.Add(-40 * 24 * time.Hour), Snippet: "構文 grammar.go 左 left.go", Marks: [][2]int{{7, 14}, {22, 26}}},
	}})
	m.Update(uitest.Key("down"))
	return m
}
