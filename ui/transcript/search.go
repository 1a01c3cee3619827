package transcript

import (
	"context"
	"errors"
	"sort"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// Search is a search in the transcript: the text, its hits, and at which of these the user is.
type Search struct {
	theme.Field      // the text that is searched for, as it is typed
	On          bool // hits are marked
	Open        bool // the search line takes the keys

	from      int  // the message that the user was at when the search began
	fromDraft bool // it began in the draft, and goes back there

	searches int // searches so far: an answer to an older one is dropped
	stop     context.CancelFunc
	done     bool // the answer for the text is here
	hits     []hit
	at       int // the hit that the user is at, from 0
	wrapped  int // which way the user came to it past an end, 0 for neither

	tally tally
	// The turn in which the model saw a message whole for the last time, 0 for none; as far as it was asked.
	whole  map[int64]int
	asking bool // a question about past requests is being answered
}

// hit is where a search found its text: in a message, or in one of its tool calls.
type hit struct {
	message int // its index in the conversation
	call    int // which of its calls; -1 for its text
	span    Span
}

// FoundMsg is what a search found.
type FoundMsg struct {
	search int
	hits   []hit
	step   bool // the user goes to the hit next to where the search began
	err    error
}

// LastWholeMsg says in which turn the model saw a message whole for the last time; 0 is never.
type LastWholeMsg struct {
	Session *session.Session
	Message int64
	Turn    int
	Err     error
}

func (FoundMsg) transcript()     {}
func (LastWholeMsg) transcript() {}

// forget leaves nothing found. An answer that is on its way is dropped.
func (f *Search) forget() {
	f.searches++
	f.hits, f.at, f.done, f.tally = nil, 0, false, tally{}
}

// end forgets the search.
func (f *Search) end() {
	if f.stop != nil {
		f.stop()
	}
	*f = Search{searches: f.searches + 1}
}

// Total is how many hits there are.
func (f *Search) Total() int { return len(f.hits) }

// nearest is the first hit in the message with this index or after it, else the last one before.
func (f *Search) nearest(message int) int {
	return max(0, min(f.firstIn(message), len(f.hits)-1))
}

// firstIn is the first of the hits in the message with this index or after it.
func (f *Search) firstIn(message int) int {
	return sort.Search(len(f.hits), func(i int) bool { return f.hits[i].message >= message })
}

// hitsOf searches texts and tool calls, not reasoning.
func hitsOf(ctx context.Context, messages branch.Branch, finder *finder) ([]hit, error) {
	var list []hit
	add := func(at, call int, text string) {
		for _, span := range finder.In(text) {
			list = append(list, hit{at, call, span})
		}
	}
	err := messages.Each(ctx, 0, messages.Len(), func(i int, message store.Message) error {
		if callsOnly(message) {
			add(i, 0, callText(message.ToolCalls))
			return nil
		}
		add(i, -1, message.Content)
		for k := range message.ToolCalls {
			add(i, k, callText(message.ToolCalls[k:k+1]))
		}
		return ctx.Err()
	})
	return list, err
}

// itemOf is the list's item with a hit.
func (c *Model) itemOf(h hit) int64 {
	message := c.Messages.ID(h.message)
	if first, ok := c.callIDs[message]; ok && h.call >= 0 {
		return first - int64(h.call)
	}
	return message
}

// openSearch opens the search line.
func (c *Model) openSearch() tea.Cmd {
	c.Search.end()
	c.Search.Field = theme.NewField("")
	c.Search.On, c.Search.Open, c.Search.from = true, true, c.readFrom()
	return c.Emit(Hushed{})
}

// SearchFor looks for a text, as the search line does when it is closed. FromDraft says that the draft gets the keys
// when the search ends.
func (c *Model) SearchFor(text string, fromDraft bool) tea.Cmd {
	fromDraft = fromDraft || c.Search.fromDraft
	c.Search.end()
	c.Search.On, c.Search.fromDraft, c.Search.from = true, fromDraft, c.readFrom()
	c.Search.Field = theme.NewField(text)
	return c.seekTyped()
}

// Finds says whether a search for a text finds it in a message.
func (c *Model) Finds(message int64, text string) bool {
	m, ok := c.Message(message)
	if !ok {
		return false
	}
	hits, err := hitsOf(context.Background(), branch.Of(m), newFinder(text))
	return err == nil && len(hits) > 0
}

// readFrom is the message that the user is at: the one under the cursor, else the first on the screen.
func (c *Model) readFrom() int {
	if message, ok := c.Selected(); ok {
		return c.indexOf(message.ID)
	}
	if id, _, ok := c.list.At(0); ok {
		return c.indexOf(id)
	}
	return 0
}

// seekTyped marks what the search line holds at once and counts it in a command.
func (c *Model) seekTyped() tea.Cmd {
	c.Emit(Hushed{})
	c.list.Mark(c.Search.Text())
	return c.seek(true)
}

// SearchOn looks for the text in a conversation that has grown.
func (c *Model) SearchOn() tea.Cmd {
	if !c.Search.On {
		return nil
	}
	c.Search.whole = nil // A request may have seen more since.
	return c.seek(false)
}

// SearchAnew looks for the text in a conversation whose places have changed.
func (c *Model) SearchAnew() tea.Cmd {
	if !c.Search.On {
		return nil
	}
	c.Search.forget()
	c.Search.from = c.readFrom()
	return c.seekTyped()
}

// EndSearch ends the search and takes its marks away.
func (c *Model) EndSearch() tea.Cmd {
	ended := SearchEnded{c.Search.fromDraft}
	c.Search.end()
	c.list.Mark("")
	return c.Emit(ended)
}

// searchKey is a key while the search line is open.
func (c *Model) searchKey(msg tea.KeyPressMsg) tea.Cmd {
	k, f := &c.Keys, &c.Search
	before := f.Text()
	switch {
	case k.Pressed(msg, keymap.Back), k.Pressed(msg, keymap.Choose) && f.Text() == "", msg.Code == tea.KeyBackspace &&
		f.Text() == "":
		return c.EndSearch()
	case k.Pressed(msg, keymap.Choose) && f.done && len(f.hits) == 0:
		return c.Say("No match in this chat; " + k.First(keymap.Back) + " ends the search.")
	case k.Pressed(msg, keymap.Choose):
		f.Open = false
	case k.Pressed(msg, keymap.ListUp):
		return c.nextHit(-1)
	case k.Pressed(msg, keymap.ListDown):
		return c.nextHit(1)
	case k.Pressed(msg, keymap.Palette):
		if f.Open = false; f.Text() == "" {
			return tea.Batch(c.EndSearch(), c.Emit(Wanted{keymap.Palette}))
		}
		return c.Emit(Wanted{keymap.Palette})
	case k.Pressed(msg, keymap.Help), k.Pressed(msg, keymap.Ask) && f.Text() == "":
		return c.Emit(Wanted{keymap.Help})
	case !f.Typed(msg):
		return c.Say(msg.String() + " does nothing here; " + k.First(keymap.Choose) + " keeps the matches, " +
			k.First(keymap.Back) + " ends the search.")
	case f.Text() != before:
		return c.seekTyped()
	}
	return nil
}

// seek searches all messages; step says that the user goes to the hit next to where the search began.
func (c *Model) seek(step bool) tea.Cmd {
	f, finder := &c.Search, newFinder(c.Search.Text())
	if f.stop != nil {
		f.stop()
	}
	if finder.Empty() {
		f.forget()
		f.done = true
		return nil
	}
	f.searches++
	f.done = false
	ctx, stop := c.NewContext()
	f.stop = stop
	n, messages := f.searches, c.Messages
	return func() tea.Msg {
		defer stop()
		hits, err := hitsOf(ctx, messages, finder)
		return FoundMsg{n, hits, step, err}
	}
}

// found takes what a search found.
func (c *Model) found(msg FoundMsg) tea.Cmd {
	f := &c.Search
	if msg.search != f.searches || !f.On {
		return nil
	}
	if msg.err != nil && !errors.Is(msg.err, context.Canceled) {
		f.done = true
		return c.SayError(theme.Sentence(msg.err))
	}
	from, step := f.from, msg.step || len(f.hits) == 0
	if !step {
		from = f.hits[f.at].message
	}
	f.hits, f.done, f.at = msg.hits, true, 0
	c.countHits()
	if len(f.hits) == 0 {
		return nil
	}
	f.at = f.nearest(from)
	if step {
		f.wrapped = 0
		return c.showHit()
	}
	return nil
}

// nextHit goes to the next hit or the one before. Behind the last one comes the first.
func (c *Model) nextHit(by int) tea.Cmd {
	f := &c.Search
	switch {
	case !f.On:
		return c.Say("There is no search: " + c.Keys.First(keymap.Find) + " starts a search.")
	case len(f.hits) == 0 && f.done:
		return c.Say("No match in this chat.")
	case len(f.hits) == 0:
		return nil
	}
	to := f.at + by
	f.at = (to + len(f.hits)) % len(f.hits)
	if f.wrapped = 0; f.at != to {
		f.wrapped = by
	}
	c.Emit(Hushed{})
	return c.showHit()
}

// showHit scrolls to the user's hit, and asks when the model saw its message whole where it does not now.
func (c *Model) showHit() tea.Cmd {
	h, ok := c.hit()
	if !ok {
		return nil
	}
	c.list.GoToHit(c.itemOf(h), h.span)
	c.Emit(Moved{})
	return c.AskLastWhole()
}

// hit is the one that the user is at, where its message is still there.
func (c *Model) hit() (hit, bool) {
	if f := &c.Search; f.at < len(f.hits) && f.hits[f.at].message < c.Messages.Len() {
		return f.hits[f.at], true
	}
	return hit{}, false
}

// AskLastWhole asks when the model saw the message of the user's hit whole, where it does not see the hit
// now. One question is asked at a time: what the user has left meanwhile needs no answer.
func (c *Model) AskLastWhole() tea.Cmd {
	f := &c.Search
	h, ok := c.hit()
	if !ok || f.asking {
		return nil
	}
	id := c.Messages.ID(h.message)
	if s := c.sees(h); s != cutAway && s != leftOut {
		return nil
	}
	if _, known := f.whole[id]; known {
		return nil
	}
	f.asking = true
	s := c.Session
	return c.Run(func(ctx context.Context) tea.Msg {
		seen, err := s.Records().LastWhole(ctx, id)
		return LastWholeMsg{s, id, seen[id].Turn, err}
	})
}

// lastWhole takes the answer, and asks again where the user has gone on.
func (c *Model) lastWhole(msg LastWholeMsg) tea.Cmd {
	f := &c.Search
	if msg.Session != c.Session {
		return nil
	}
	f.asking = false
	switch {
	case errors.Is(msg.Err, context.Canceled):
		return nil
	case msg.Err != nil:
		return c.SayError(theme.Sentence(msg.Err))
	}
	if f.whole == nil {
		f.whole = map[int64]int{}
	}
	f.whole[msg.Message] = msg.Turn
	return c.AskLastWhole()
}
