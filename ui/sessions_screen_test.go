package ui

import (
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/sessions"
	"winnow/ui/uitest"
)

// someSessions are the sessions of the goldens.
func someSessions() []store.Session {
	day := 24 * time.Hour
	of := func(id, title, model string, turns int, used time.Duration, tags ...string) store.Session {
		return store.Session{
			ID: "0193a1b2-c3d4-7000-8000-00000000000" + id, Title: title, Model: model, Turns: turns,
			Messages: 2 * turns,
			Created:  begun.Add(-used - 3*day), Updated: begun.Add(-used), Tags: tags, Dir: "/home/kim/parser",
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

// listed answers what the list of sessions asked last.
func listed(m *Model, stored ...store.Session) {
	m.sessions.Listed(sessions.Listing{Sessions: stored, At: begun})
}

// previewed is a message of a preview; the model's is from gpt-5.2.
func previewed(r history.Role, text string, at time.Time, place store.Place) sessions.Previewed {
	message := said(0, r, text)
	message.CreatedMS = at.UnixMilli()
	return sessions.Previewed{Message: message, Place: place}
}

// choosing is the list of sessions over a conversation.
func choosing(t testing.TB, w, h int) *Model {
	m := chatting(t, w, h)
	m.Update(ctrl('s'))
	stored := someSessions()
	m.Info.ID = stored[0].ID
	m.sessions.Listed(sessions.Listing{Sessions: stored, Leased: []string{stored[3].ID}, At: begun})
	m.sessions.Previewed([]sessions.Previewed{
		previewed(history.User, "Now the error recovery.", begun.Add(-2*time.Minute), store.Place{Number: 121, Of: 122}),
		previewed(history.Assistant, "Skip to the next `;` and go on from there.", begun.Add(-time.Minute),
			store.Place{Number: 122, Of: 122}),
	}, nil)
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
	listed(m, stored...)
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
			listed(m)
			return m
		}},
		{"sessions-no-match", func(t testing.TB, w, h int) *Model {
			m := choosing(t, w, h)
			typing(m, "zebra")
			m.sessions.Found(sessions.Found{Text: "zebra"})
			return m
		}},
		{"texts", foundTexts},
		{"texts-behind", func(t testing.TB, w, h int) *Model {
			m := foundTexts(t, w, h)
			m.upkeep.Unindexed = 12_345
			return m
		}},
		{"sessions-reading", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.Update(ctrl('s'))
			return m
		}},
	}
}

// foundTexts is the list with what a search found in messages.
func foundTexts(t testing.TB, w, h int) *Model {
	m := choosing(t, w, h)
	typing(m, "gramm left")
	stored := someSessions()
	day := 24 * time.Hour
	dropped := &history.Entry{Disposition: history.Dropped}
	recalled := &history.Entry{Disposition: history.Recalled}
	kept := &history.Entry{Disposition: history.Kept, Whole: true}
	stored[3].Archived = true
	hit := func(s store.Session, id int64, r history.Role, snippet string, marks ...[2]int) store.Hit {
		return store.Hit{
			Session: s, Message: id, Role: r, Model: s.Model, At: begun.Add(-day), Snippet: snippet, Marks: marks,
		}
	}
	m.sessions.Found(sessions.Found{
		Text: "gramm left",
		Hits: []store.Hit{
			hit(stored[0], 1, history.User, "Our grammar is left-recursive. How do I parse it with recursive descent?",
				[2]int{4, 11}, [2]int{15, 19}),
			hit(stored[2], 42, history.Assistant, "… what is left of the grammar after that: three rules, one of "+
				"them for expressions, and the two that call it. None of …", [2]int{12, 16}, [2]int{24, 31}),
			hit(stored[4], 77, history.Tool, "構文 grammar.go 左 left.go", [2]int{7, 14}, [2]int{22, 26}),
			hit(stored[0], 2, history.Assistant, "Left recursion goes away when the grammar is written as a loop.",
				[2]int{0, 4}, [2]int{34, 41}),
			hit(stored[0], 5, history.User, "Is the grammar left as it was?", [2]int{7, 14}, [2]int{15, 19}),
			hit(stored[0], 8, history.Assistant, "Nothing of the grammar is left out.", [2]int{15, 22}, [2]int{26, 30}),
			hit(stored[0], 9, history.User, "And left of the grammar?", [2]int{4, 8}, [2]int{16, 23}),
			hit(stored[3], 3, history.User, "Die Grammatik steht left.", [2]int{4, 9}, [2]int{20, 24}),
		},
		Places: map[int64]store.Place{
			1: {Number: 1, Of: 122, Last: dropped}, 42: {Number: 12, Of: 18, Last: recalled}, 77: {
				Number: 1977, Last: kept,
			},
			2: {Number: 2, Of: 122, Last: recalled}, 5: {Number: 5, Of: 122, Last: kept}, 3: {Number: 3, Of: 4},
		},
	})
	m.Update(uitest.Key("down"))
	m.sessions.Previewed([]sessions.Previewed{
		previewed(history.User, "Our grammar is left-recursive. How do I parse it with recursive descent?",
			begun.Add(-2*day), store.Place{Number: 1, Of: 122, Last: dropped}),
		previewed(history.Assistant, "Left recursion goes away when the grammar is written as a loop.\n\n- Parse a "+
			"term.\n- While a plus follows, parse another one, and let the tree grow to the left. That keeps the order "+
			"in which the operators are read.\n", begun.Add(-time.Hour), store.Place{Number: 2, Of: 122, Last: recalled}),
	}, nil)
	return m
}
