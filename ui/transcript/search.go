package transcript

import (
	"cmp"
	"context"
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Search is a search in the transcript: its text, the matching messages, and the current match.
type Search struct {
	theme.Field      // the text that is searched for, as it is typed
	Active      bool // matches are highlighted
	Typing      bool // the search line has the focus

	pattern *regexp.Regexp // nil where there is nothing to search for; another one for each search
	done    bool           // hits are those of the current text
	hits    []hit
	current int // index of the current hit
}

// hit is a message that matches in its text or in its tool calls.
type hit struct {
	message int64 // its id
	at      int   // the code point of its text at which the first match begins, -1 for a match in the calls
}

// patternOf returns a pattern that matches a text literally, except that a space matches any white space. Case counts
// only if the text has a capital letter. It is nil for a blank text.
func patternOf(text string) *regexp.Regexp {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil
	}
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	pattern := strings.Join(words, `\s+`)
	if !strings.ContainsFunc(text, unicode.IsUpper) {
		pattern = "(?i)" + pattern
	}
	return regexp.MustCompile(pattern)
}

// hitsOf searches texts and tool calls, but not reasoning.
func hitsOf(ctx context.Context, messages branch.Branch, pattern *regexp.Regexp) (list []hit, err error) {
	err = messages.Each(ctx, 0, messages.Len(), func(_ int, m store.Message) error {
		if at := pattern.FindStringIndex(m.Content); at != nil {
			list = append(list, hit{m.ID, utf8.RuneCountInString(m.Content[:at[0]])})
		} else if pattern.MatchString(callText(m.ToolCalls)) {
			list = append(list, hit{m.ID, -1})
		}
		return nil
	})
	return list, err
}

// Matches reports whether a search for a text matches a message.
func (c *Model) Matches(message int64, text string) bool {
	m, ok := c.Message(message)
	pattern := patternOf(text)
	return ok && pattern != nil && pattern.MatchString(m.Content+"\n"+callText(m.ToolCalls))
}

// SearchFor starts a search for a text with the search line closed.
func (c *Model) SearchFor(text string) tea.Cmd {
	c.Search = Search{Field: theme.NewField(text), Active: true}
	return c.RunSearch()
}

// EndSearch ends the search and removes its highlighting. The message under the cursor stays expanded.
func (c *Model) EndSearch() {
	if c.cursor != 0 && c.Search.at() == c.cursor {
		c.expanded[c.cursor] = true
	}
	c.Search = Search{}
}

// searchKey handles a key while the search line has the focus.
func (c *Model) searchKey(msg tea.KeyPressMsg) tea.Cmd {
	k, f := &c.Keys, &c.Search
	before := f.Text()
	switch choose := k.Pressed(msg, keymap.Choose); {
	case k.Pressed(msg, keymap.Back), before == "" && (choose || msg.Code == tea.KeyBackspace):
		c.EndSearch()
	case choose && f.done && len(f.hits) == 0:
		return c.Say("No match in this chat; " + k.First(keymap.Back) + " ends the search.")
	case choose:
		f.Typing = false
	case k.Pressed(msg, keymap.ListUp):
		return c.nextHit(-1)
	case k.Pressed(msg, keymap.ListDown):
		return c.nextHit(1)
	case k.Pressed(msg, keymap.Palette):
		f.Typing = false
		return c.Do(keymap.Palette)
	case !f.HandleKey(msg):
		return c.NoKey(msg, k.First(keymap.Choose)+" keeps the matches, "+k.First(keymap.Back)+" ends the search.")
	case f.Text() != before:
		return c.typed()
	}
	return nil
}

// Paste inserts a text into the search line.
func (c *Model) Paste(text string) tea.Cmd {
	c.Search.Insert(text)
	return c.typed()
}

// typed searches for the text that is now in the search line.
func (c *Model) typed() tea.Cmd {
	c.Hooks.ClearNotice()
	c.Search.hits = nil
	return c.RunSearch()
}

// RunSearch searches again, if there is a search. Matches are highlighted at once; the list of hits arrives later. If
// the current message still matches, the screen stays in place.
func (c *Model) RunSearch() tea.Cmd {
	f := &c.Search
	f.pattern = patternOf(f.Text())
	if f.done = f.pattern == nil; f.done {
		f.hits = nil
		return nil
	}
	messages, pattern := c.Messages, f.pattern
	return c.Run(func(ctx context.Context) tea.Msg {
		hits, err := hitsOf(ctx, messages, pattern)
		return app.Then(func() tea.Cmd {
			if pattern == c.Search.pattern && err == nil {
				c.found(hits)
			}
			return c.ReportError(err)
		})
	})
}

// found takes the hits of a search. The current message stays the current hit if it matches; otherwise the next hit
// from the cursor or the top of the screen becomes current.
func (c *Model) found(hits []hit) {
	f := &c.Search
	was := f.at()
	from := cmp.Or(was, c.cursor, c.id(c.top))
	f.hits, f.done = hits, true
	next := sort.Search(len(hits), func(i int) bool { return hits[i].message >= from })
	f.current = max(0, min(next, len(hits)-1))
	if f.at() != was {
		c.showHit()
	}
}

// nextHit goes to the next hit or the previous one, and wraps around at the ends.
func (c *Model) nextHit(by int) tea.Cmd {
	f := &c.Search
	switch n := len(f.hits); {
	case !f.Active:
		return c.Say("There is no search: " + c.Keys.First(keymap.Find) + " starts a search.")
	case n == 0 && f.done:
		return c.Say("No match in this chat.")
	case n > 0:
		f.current = (f.current + by + n) % n
		c.Hooks.ClearNotice()
		c.showHit()
	}
	return nil
}

// at returns the id of the current hit's message, 0 for none.
func (f *Search) at() int64 {
	if f.current < len(f.hits) {
		return f.hits[f.current].message
	}
	return 0
}

// showHit selects the message of the current hit, expands it, and scrolls its first match into view, a third from the
// top.
func (c *Model) showHit() {
	i, ok := c.index(c.Search.at())
	if !ok || !c.ready() {
		return
	}
	c.selectRow(i)
	last, y := c.rowAt(c.height - 1)
	at := position{i, c.block(i).match, 0}
	if at.compare(position{c.top, c.line, 0}) < 0 || at.compare(position{last, y, 0}) > 0 {
		c.moveTo(i, max(0, at.line-c.height/3))
	}
	c.Hooks.CursorMoved()
}

// markMatches highlights the matches in the text of a block. A match may wrap at a line end in place of a space.
func (c *Model) markMatches(b *block) {
	style := c.Themes.Styles.SearchMatch
	if b.isCurrentHit {
		style = c.Themes.Styles.CurrentMatch
	}
	none := min(b.to, len(b.lines)-1)
	b.match = none
	text := ansi.Strip(strings.Join(b.lines[b.from:b.to], "\n"))
	spans, begin := b.pattern.FindAllStringIndex(text, -1), 0
	for n, line := range strings.Split(text, "\n") {
		var ranges []lipgloss.Range
		for _, span := range spans {
			from, to := max(0, span[0]-begin), min(len(line), span[1]-begin)
			if from < to {
				cells := ansi.StringWidth(line[:from])
				ranges = append(ranges, lipgloss.NewRange(cells, cells+ansi.StringWidth(line[from:to]), style))
			}
		}
		if begin += len(line) + 1; len(ranges) == 0 {
			continue
		}
		b.lines[b.from+n] = lipgloss.StyleRanges(b.lines[b.from+n], ranges...)
		if b.match == none {
			b.match = b.from + n
		}
	}
}

// verdictOfHit says in a word, with its glyph, what the request on show sends of a hit.
func (c *Model) verdictOfHit(h hit) string {
	switch e := c.entry(h.message); {
	case e == nil:
		return "? not known"
	case !e.Sent():
		return "○ not sent"
	case len(e.Cuts) > 0 && e.Cuts[0].From <= h.at && h.at < e.Cuts[0].To:
		return "◐ cut"
	}
	return "● sent"
}

// hitText says which match is current and whether the model sees it.
func (c *Model) hitText() string {
	f := &c.Search
	switch {
	case f.Text() == "":
		return "type to search"
	case !f.done && len(f.hits) == 0:
		return "searching…"
	case f.at() == 0:
		return "no match in this chat"
	}
	at, of := theme.Thousands(f.current+1), theme.Thousands(len(f.hits))
	return "match " + at + " of " + of + " · " + c.verdictOfHit(f.hits[f.current])
}

// SearchLine draws the search line in w cells: the text, then the notice if there is one, else the status. The cursor
// is in column x.
func (c *Model) SearchLine(w int, sentence string) (line string, x int) {
	st, lead := &c.Themes.Styles, "  / "
	text, x := c.Search.View(max(1, w/2) + 1) // one more cell for the cursor
	status := cmp.Or(markdown.OneLine(sentence, w), c.hitText())
	line = st.Strong.Render(lead) + text + st.Strong.Render("  "+status)
	return theme.Fit(line, w), min(len(lead)+x, max(0, w-1))
}
