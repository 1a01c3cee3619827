package transcript

import (
	"slices"
	"strings"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session"
	"winnow/session/branch"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/theme"
)

// arriving is the id of the item of the answer that streams, until the stored message's id replaces it. Items of
// tool calls have the numbers below it.
const arriving = -1

// Model is the transcript: the list with its messages, their verdicts, the search in them, and the flags
// that the user gives them.
type Model struct {
	Deps
	Around
	Session *session.Session
	event.Queue

	*contents
	list      *itemList
	failures  map[int64][]record.Failure // of turns, by the user's message
	failed    map[int64]record.Failure   // by its item
	Plan      history.Plan               // of the request on show
	Next      history.Plan               // of the next request
	Streaming bool
	firstRead int    // index of the first message that the server can have read of the request shown; 0 is all
	quiet     bool   // all messages of the request shown are whole
	Edited    int64  // the message that is being edited, 0 for none
	Name      string // the model that answers, in short

	Search    Search
	selection selection
	undo      undoStack
	whole     bool // Messages are all of the branch
}

// New returns an empty transcript.
func New(d Deps) Model {
	list := newList(theme.Styles{})
	shown := newContents(d.Keys)
	list.keys, list.make = d.Keys, shown.item
	return Model{
		Deps: d, list: list, contents: shown,
		failures: map[int64][]record.Failure{}, failed: map[int64]record.Failure{},
	}
}

// Restyle gives it its styles.
func (c *Model) Restyle(st theme.Styles) { c.list.SetStyles(st) }

// Resize gives it its size in cells, the margins at its left and at its right included. The sign of the cursor stands
// in the left one.
func (c *Model) Resize(w, h, left, right int) {
	c.list.busy = c.Busy
	c.list.SetMargins(left, right)
	c.list.SetSize(w, h)
}

// Open shows another session. Its search, its selection and its undo stack begin anew.
func (c *Model) Open(s *session.Session) {
	c.EndSearch()
	c.Unselect()
	c.Session, c.undo, c.Next = s, undoStack{}, history.Plan{}
	c.whole = s.Now().Whole
	c.Reset(s.Branch())
}

// Reset shows other messages.
func (c *Model) Reset(messages branch.Branch) {
	*c.contents = *newContents(c.Keys)
	c.Plan, c.Streaming, c.failed = history.Plan{}, false, map[int64]record.Failure{}
	c.failures, c.Edited = map[int64][]record.Failure{}, 0
	c.list.SetBoundary(0, 0, 0)
	c.Search.forget() // hits have the indexes of the old messages
	c.list.SetItems(nil)
	c.keep(messages)
	c.list.setSlots(c.slots(0, messages.Len()))
}

// keep shows the verdicts of the plan beside these messages, which begin as those before.
func (c *Model) keep(messages branch.Branch) {
	c.Messages = messages
	c.share()
}

// share tells the list what it draws the verdicts from.
func (c *Model) share() { c.list.judged = judged{c.Plan, c.Messages, c.owner} }

// Prepend shows the messages that opening a session left out, and the receipts of the answers.
func (c *Model) Prepend(all branch.Branch, receipts map[int64]record.Receipt) {
	c.whole = c.Session.Now().Whole
	for id, r := range receipts {
		c.Receipts[id] = r
	}
	failures := c.learnFailures(record.Failures(receipts))
	older := 0
	if c.Messages.Len() > 0 {
		if at, there := all.Find(c.Messages.ID(0)); there {
			older = at
		}
	}
	if older > 0 {
		c.keep(c.Messages.Behind(all.First(older)))
		c.list.prependSlots(c.slots(0, older))
	}
	c.showFailures(slices.DeleteFunc(failures, func(f record.Failure) bool {
		return older > 0 && c.indexOf(f.User) < older
	}))
	for i := older; i < c.Messages.Len(); i++ {
		if r := c.Messages.Row(i); r.Request != 0 {
			c.list.Refresh(r.ID)
		}
	}
}

// Add shows one more stored message.
func (c *Model) Add(m store.Message, r record.Receipt) {
	if m.Request != 0 && r.Stored+r.Estimate > 0 {
		c.Receipts[m.Request] = r
	}
	c.keep(c.Messages.With(m))
	c.list.appendSlots(c.slots(c.Messages.Len()-1, c.Messages.Len()))
}

// Stream adds to the answer that arrives.
func (c *Model) Stream(text, reasoning string) {
	if !c.Streaming {
		c.Streaming = true
		c.list.Append(Item{ID: arriving, Role: history.Assistant, Name: c.Name})
	}
	c.list.Write(arriving, text, reasoning)
}

// Answer puts the stored answer in the place of the one that streamed.
func (c *Model) Answer(m store.Message, r record.Receipt) {
	if !c.Streaming {
		c.Add(m, r)
		return
	}
	c.Streaming = false
	c.Receipts[m.Request] = r
	c.keep(c.Messages.With(m))
	c.list.Settle(arriving, c.Item(m))
	c.list.appendSlots(c.callSlots(c.Messages.Len() - 1))
}

// Settle ends a turn: what streamed and was never stored says so.
func (c *Model) Settle() {
	if !c.Streaming {
		return
	}
	c.Streaming = false
	it, ok := c.list.Item(arriving)
	if !ok {
		return
	}
	c.calls++
	it.ID, it.Note = arriving-c.calls, Note{What: "not saved", Fault: true}
	c.list.Replace(arriving, it)
}

// Follow shows another branch of the conversation. The verdicts on messages that both have stay until
// the next plan.
func (c *Model) Follow(messages branch.Branch) {
	plan, receipts, failures, trails := c.Plan, c.Receipts, c.failures, c.Trails
	cursor, selected := c.list.Cursor()
	c.Reset(branch.Branch{})
	c.Receipts, c.failures, c.Trails = receipts, failures, trails
	c.keep(messages)
	c.list.setSlots(c.slots(0, messages.Len()))
	if selected && !c.GoTo(cursor) {
		c.Newest()
	}
	c.Judge(plan)
}

// Reread shows what was changed in the store beside this window: other places among versions, and messages behind the
// last one. What is on the screen stays where it is, unless the end is to stay in sight.
func (c *Model) Reread(messages branch.Branch, receipts map[int64]record.Receipt, follow bool) {
	shown := c.Messages.Len()
	if n := messages.Len(); n < shown || shown > 0 && messages.ID(shown-1) != c.Messages.ID(shown-1) {
		c.Follow(messages)
		return
	}
	for id, r := range receipts {
		c.Receipts[id] = r
	}
	c.learnFailures(record.Failures(receipts))
	c.keep(messages)
	for _, id := range c.list.inMemory() {
		c.list.Refresh(id)
	}
	if messages.Len() == shown {
		return
	}
	c.list.follow = c.list.follow && follow
	c.list.appendSlots(c.slots(shown, messages.Len()))
}

// SetTrails shows where other conversations part from this one, by message.
func (c *Model) SetTrails(trails map[int64]string) {
	was := c.Trails
	c.Trails = trails
	for _, either := range []map[int64]string{was, trails} {
		for id := range either {
			if trails[id] != was[id] {
				c.refresh(id)
			}
		}
	}
}

// refresh draws a message anew.
func (c *Model) refresh(id int64) {
	if _, ok := c.Index(id); ok {
		c.list.Refresh(id)
	}
}

// CutAfter takes what follows a message off the screen: another branch goes on from there. 0 is the
// beginning.
func (c *Model) CutAfter(message int64) {
	at := -1
	if i, ok := c.Index(message); ok {
		at = i
	} else if message != 0 {
		return
	}
	if at+1 < c.Messages.Len() {
		c.Follow(c.Messages.First(at + 1))
	}
}

// Judge shows the verdicts of a plan beside the messages.
func (c *Model) Judge(plan history.Plan) { c.JudgeRead(plan, 0) }

// JudgeRead is judge for a request of which the server read only the messages from an index on.
func (c *Model) JudgeRead(plan history.Plan, first int) {
	c.Plan, c.firstRead = plan, first
	c.quiet = first == 0 && !slices.ContainsFunc(plan.Entries, func(e history.Entry) bool {
		glyph := theme.Glyph(e)
		return glyph != whole && glyph != "◆"
	})
	c.share()
	c.countHits()
	c.list.SetBoundary(seenFrom(plan))
	c.list.edgeWords, c.list.edgeNote = boundary, ""
	if c.Trial {
		c.list.edgeWords = wouldSee
		if id, _, _ := seenFrom(c.Next); id != 0 {
			c.list.edgeNote = "was " + theme.Thousands(c.indexOf(id)+1)
		}
	}
}

// seenFrom is the message after the last one that fell out of a plan: from there on the model sees the
// conversation. above is how many of the all in front of it the model sees too: the opening, what is pinned and
// what is recalled. It is 0 where none fell out, or none follows.
func seenFrom(plan history.Plan) (id int64, above, all int) {
	entries := plan.Entries
	sent := 0
	for i := range entries {
		if entries[i].FellOut() {
			above, all = sent, i+1
		}
		if entries[i].Sent() {
			sent++
		}
	}
	if all == 0 || all == len(entries) {
		return 0, 0, 0
	}
	return entries[all].ID, above, all
}

// Verdict is the plan's entry of a message. The plan has one entry per message, in order.
func (c *Model) Verdict(id int64) (history.Entry, bool) {
	if e := c.list.entryOf(id); e != nil {
		return *e, true
	}
	return history.Entry{}, false
}

// Mark is what is drawn beside a message: its verdict, or the hits of a search in it.
func (c *Model) Mark(id int64) Mark {
	st := &c.list.styles
	if _, is := c.failed[id]; is {
		return Mark{Glyph: fault, Style: st.Error}
	}
	mark := Mark{TagStyle: st.Strong, Selected: c.Holds(id)}
	if e := c.list.entryOf(id); e != nil {
		mark.Glyph, mark.Tag = theme.Glyph(*e), verdict(e)
		if record.NotRead(*e, c.firstRead) {
			mark.Glyph, mark.Tag = notRead, theme.NotRead
		}
		if _, of := c.owner[id]; of {
			mark.Tag = "" // it stands at the end of the message's own line
		}
		mark.Style = st.OfGlyph(mark.Glyph)
		mark.TagStyle = mark.Style
		if mark.Glyph == notRead {
			mark.Style, mark.TagStyle = st.Error, st.Error
		} else if !e.Sent() {
			mark.TagStyle = st.Muted
		}
		mark.Short = firstWord(mark.Tag)
		if tag, more := c.change(id, e); c.Trial && tag != "" {
			mark.Tag, mark.Short, mark.TagStyle = tag, "", st.Cut
			if more {
				mark.TagStyle = st.Seen
			}
		}
	} else if it, ok := c.list.Item(id); ok && it.Role != "" {
		// It is newer than the plan: what was sent or said just now.
		mark.Glyph, mark.Style = theme.Glyph(history.Entry{Disposition: history.Kept}), st.Seen
	}
	if at := c.list.selected && c.list.cursor == id; c.quiet && mark.Glyph == whole && !at {
		mark.Glyph = "" // The silent case: every message is whole.
	}
	switch hits := c.hitTag(id); {
	case hits != "":
		mark.Tag, mark.Short, mark.TagStyle = hits, "", st.Strong
	case id == c.Edited:
		mark.Tag, mark.Short, mark.TagStyle = "being edited", "edited", st.Strong
	}
	return mark
}

// whole is the sign of a message that is sent as it is, fault that of what went wrong, notRead that of a message that
// the server cannot have read.
const (
	whole   = "●"
	fault   = "✗"
	notRead = fault
)

// verdict is a verdict with its reason, "" for a message that is sent whole and as it is.
func verdict(e *history.Entry) string {
	text := theme.Verdict(*e)
	switch {
	case text == "":
	case e.Disposition == history.Cut && theme.Glyph(*e) == "◐":
		return text + " characters"
	case e.Cause.Code == cause.SharedWords && strings.HasPrefix(text, "recalled: "):
		return "recalled: “" + strings.TrimPrefix(text, "recalled: ") + "”"
	case len(e.Repairs) > 0 && e.Repairs[0].Cause.Code == cause.ResultMissing &&
		strings.HasPrefix(text, "repaired"):
		return text + ", a note is sent"
	}
	return text
}

// change is what other settings would change for a message, "" for nothing; more says that more of it would be sent.
func (c *Model) change(id int64, e *history.Entry) (tag string, more bool) {
	i := c.indexOf(id)
	if i >= len(c.Next.Entries) || c.Next.Entries[i].ID != e.ID {
		return "", false
	}
	switch was := c.Next.Entries[i]; {
	case !was.Sent() && e.Sent() && len(e.Cuts) > 0:
		return "+ comes back, cut", true
	case !was.Sent() && e.Sent():
		return "+ comes back", true
	case was.Sent() && !e.Sent():
		return "− drops out", false
	case was.Sent() && len(was.Cuts) > 0 && len(e.Cuts) == 0:
		return "+ whole again, " + theme.Plural(e.CharsBefore, "character"), true
	case e.CharsAfter > was.CharsAfter && len(e.Cuts) > 0:
		return "+ " + verdict(e), true
	case e.CharsAfter < was.CharsAfter && len(e.Cuts) > 0:
		return "− " + verdict(e), false
	}
	return "", false
}

// firstWord is the first word of a verdict: "cut" of "cut to 150 of 2,310 characters".
func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return strings.TrimSuffix(word, ":")
}

// Empty says that nothing was said yet.
func (c *Model) Empty() bool { return c.list.Len() == 0 }

// View draws what is on the screen.
func (c *Model) View() []string {
	c.list.marks = c.Mark
	return c.list.Lines()
}

// Withdraw takes the mark of an unread part from the receipts of some requests.
func (c *Model) Withdraw(requests []int64) {
	for _, id := range requests {
		if r, ok := c.Receipts[id]; ok {
			r.Unread = 0
			c.Receipts[id] = r
		}
	}
	for i := range c.Messages.Len() {
		if r := c.Messages.Row(i); r.Request != 0 && slices.Contains(requests, r.Request) {
			c.refresh(r.ID)
		}
	}
}

// Message is the message with an id, where the transcript has it.
func (c *Model) Message(id int64) (store.Message, bool) {
	if i, ok := c.Index(id); ok {
		return c.At(i), true
	}
	return store.Message{}, false
}
