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

// Search is a search in the transcript: the text, the messages that hold it, and at which of these the user is.
type Search struct {
	theme.Field      // the text that is searched for, as it is typed
	Active      bool // hits are marked
	Typing      bool // the search line takes the keys

	pattern *regexp.Regexp // nil where there is nothing to search for; another one for each search
	done    bool           // the answer for the text is here
	hits    []hit
	current int // the hit that the user is at, from 0
}

// hit is a message that holds the text, in its own text or in its tool calls.
type hit struct {
	message int64 // its id
	at      int   // the character of its text at which the first match begins, -1 for a match in the calls
}

// patternOf finds a text literally: without a capital letter in it in any case, and a blank is any white space. It is
// nil for no text.
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

// hitsOf searches texts and tool calls, not reasoning.
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

// Matches says whether a search for a text finds it in a message.
func (c *Model) Matches(message int64, text string) bool {
	m, ok := c.Message(message)
	pattern := patternOf(text)
	return ok && pattern != nil && pattern.MatchString(m.Content+"\n"+callText(m.ToolCalls))
}

// SearchFor looks for a text, as the search line does when it is closed.
func (c *Model) SearchFor(text string) tea.Cmd {
	c.Search = Search{Field: theme.NewField(text), Active: true}
	return c.RunSearch()
}

// EndSearch ends the search and takes its marks away. What it unfolded under the cursor stays open.
func (c *Model) EndSearch() {
	if c.cursor != 0 && c.Search.at() == c.cursor {
		c.expanded[c.cursor] = true
	}
	c.Search = Search{}
}

// searchKey is a key while the search line is open.
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

// Paste puts a text into the search line.
func (c *Model) Paste(text string) tea.Cmd {
	c.Search.Insert(text)
	return c.typed()
}

// typed looks for what the search line holds now.
func (c *Model) typed() tea.Cmd {
	c.Callbacks.ClearNotice()
	c.Search.hits = nil
	return c.RunSearch()
}

// RunSearch looks for the text, where there is a search: it marks it at once, and finds it in a command. Where the user
// is at a hit already, the page stays as long as that is one.
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

// found takes what a search found. The user goes to the next hit from the cursor on, else from what is on the screen,
// and stays with the message where there is a hit already.
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

// nextHit goes to the next hit or the one before. Behind the last one comes the first.
func (c *Model) nextHit(by int) tea.Cmd {
	f := &c.Search
	switch n := len(f.hits); {
	case !f.Active:
		return c.Say("There is no search: " + c.Keys.First(keymap.Find) + " starts a search.")
	case n == 0 && f.done:
		return c.Say("No match in this chat.")
	case n > 0:
		f.current = (f.current + by + n) % n
		c.Callbacks.ClearNotice()
		c.showHit()
	}
	return nil
}

// at is the message that the user is at, 0 for none.
func (f *Search) at() int64 {
	if f.current < len(f.hits) {
		return f.hits[f.current].message
	}
	return 0
}

// showHit selects the message that the user is at, unfolds it and scrolls its first match onto the screen, to a third
// from the top where it was not on it.
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
	c.Callbacks.CursorMoved()
}

// markMatches marks what the search finds in the text of a block. What is wrapped is found where a line ends in the
// place of a blank.
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

// verdictOfHit says what the model sees of a hit in the request on show.
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

// hitText says where the user's hit is and what the model sees of it.
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

// SearchLine is the search line while it is typed in: the text, then a sentence, else what was found. The cursor is in
// column x.
func (c *Model) SearchLine(w int, sentence string) (line string, x int) {
	st, lead := &c.Themes.Styles, "  / "
	text, x := c.Search.View(max(1, w/2) + 1) // the cursor stands behind the text
	status := cmp.Or(markdown.OneLine(sentence, w), c.hitText())
	line = st.Strong.Render(lead) + text + st.Strong.Render("  "+status)
	return theme.Fit(line, w), min(len(lead)+x, max(0, w-1))
}
