package inspector

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Repairs shows everything that was repaired in the active branch, one repair at a time: what was wrong, what is stored
// against what is sent, and what else could be sent, with its price. The stored messages stay as they came.
type Repairs struct {
	Keys    keymap.Map
	Secrets theme.Secrets
	Message func(id int64) (store.Message, bool) // a message of the conversation, as it is stored
	event.Queue

	Lines     []Repaired
	At        int  // the repair on show
	Asked     int  // the number of the prices that were asked for last: those of another number are dropped
	Announced bool // the user knows that there are repairs

	plan   *history.Plan // the one that repairs so
	remedy int           // the remedy under the cursor, of those that there are
	prices []Price       // of the remedies of the message on show, none until they are known
	priced int64         // that message, 0 for none
	stale  bool          // the prices are those of another plan
	// Prices were asked for and are not there: others wait, so that no step to another repair leaves plans behind that
	// nobody needs.
	pricing bool
	sent    history.Remedy // what was sent of that message when its prices came
	storing *chosen        // the remedy that is being stored, nil for none
	taking  bool           // it takes the last one of undo back
	waiting []chosen       // what was asked for meanwhile
	undo    []chosen       // what was sent of messages before other remedies were chosen for them

	body      []string // what is stored against what is sent
	bodyOf    bodyKey
	top, seen int // the first of its lines on the screen, and how many are

	// Where the rows stand that can be clicked on, from the top: the remedies from one of them on, and the repairs.
	remedyRows, repairRows rows
}

// chosen is a message with what is to be sent in its place; nil is the next remedy that there is.
type chosen struct {
	message int64
	to      *history.Remedy
}

// rows are rows of a list on the screen: at is that of item first, and n how many there are.
type rows struct{ at, first, n int }

// item is the item of the row y, false where that is none of these rows.
func (r rows) item(y int) (int, bool) { return r.first + y - r.at, y >= r.at && y < r.at+r.n }

// bodyKey is what a drawn comparison depends on.
type bodyKey struct {
	repair  history.Repair
	plan    *history.Plan
	theme   theme.Name
	w       int
	reveals bool
}

// Repaired is a repair of a message.
type Repaired struct {
	Entry  history.Entry
	Repair history.Repair
}

// Price is a remedy that there is for a message: what would be sent, and its tokens beside those of now.
type Price struct {
	Remedy history.Remedy
	Plan   *history.Plan
	Tokens int
}

// The events of the repairs, beside those that the inspector has too.
type (
	// Remedy asks for something else to be sent in place of a message's group than now: To, nil for the next remedy
	// that changes something. RemediedMsg is the answer.
	Remedy struct {
		Repaired
		To *history.Remedy
	}
	// GoTo asks for a message to be selected in the transcript.
	GoTo struct{ Message int64 }
	// ReadPrices asks for the remedies that there are for a message, and what each costs beside Plan, which has the
	// remedy Now. PricesMsg is the answer.
	ReadPrices struct {
		Number  int
		Message int64
		Plan    *history.Plan
		Now     history.Remedy
	}
)

// RemediedMsg is a remedy that was stored, or not.
type RemediedMsg struct {
	Failed  bool           // nothing was stored
	Was, Is history.Remedy // of the message
	Last    bool           // no other is stored now
}

// Click is a click on a line of the page, counted from its top.
type Click struct{ Y int }

// ClickView is a click on what Views returns, X cells from its left end.
type ClickView struct{ X int }

// PricesMsg is the remedies that there are for a message.
type PricesMsg struct {
	Number  int
	Message int64
	Prices  []Price
}

// Set takes another plan. The repair on show stays.
func (l *Repairs) Set(p history.Plan) {
	on, was := l.Chosen()
	l.Lines, l.plan, l.stale = nil, &p, true
	for i := range p.Entries { // Most are not repaired, and an entry is large to copy.
		for _, r := range p.Entries[i].Repairs {
			l.Lines = append(l.Lines, Repaired{p.Entries[i], r})
		}
	}
	for i, line := range l.Lines {
		if was && line.Entry.ID == on.Entry.ID && line.Repair.Kind == on.Repair.Kind &&
			line.Repair.Before == on.Repair.Before {
			l.At = i
			break
		}
	}
	l.At = max(0, min(l.At, len(l.Lines)-1))
}

// Open shows the first repair of a message, where it has one; 0 is none. The prices of its remedies are asked for.
func (l *Repairs) Open(message int64) {
	if i := l.lineOf(message); i >= 0 {
		l.At = i
	}
	l.top, l.undo = 0, nil
	l.leave()
	l.ask()
}

// leave forgets what was read for prices, which may be large, and prices that are still being made.
func (l *Repairs) leave() {
	if l.pricing {
		l.Asked++
		l.pricing, l.stale = false, true
	}
}

// ask asks for the prices of the remedies of the message on show, unless they are known. Where others are being made it
// asks when they are there.
func (l *Repairs) ask() {
	on, ok := l.Chosen()
	switch {
	case !ok, l.priced == on.Entry.ID && !l.stale:
		return
	case l.priced != on.Entry.ID:
		l.prices, l.remedy = nil, 0
	}
	l.priced, l.stale = on.Entry.ID, l.pricing
	if l.pricing {
		return
	}
	l.pricing = true
	l.Asked++
	l.Emit(ReadPrices{l.Asked, on.Entry.ID, l.plan, on.Repair.Remedy})
}

// Announce says, once, that there are repairs: "" where there are none, or it was said before.
func (l *Repairs) Announce() string {
	n := len(l.Lines)
	if l.Announced || n == 0 {
		l.Announced = true
		return ""
	}
	l.Announced = true
	them := "them"
	if n == 1 {
		them = "it"
	}
	return theme.Plural(n, "repair") + "; /repair shows " + them + "."
}

// step goes to another repair.
func (l *Repairs) step(by int) {
	at := max(0, min(l.At+by, len(l.Lines)-1))
	switch {
	case at != l.At:
		l.At, l.top = at, 0
		l.ask()
	case by > 0:
		l.Say("This is the last repair.")
	default:
		l.Say("This is the first repair.")
	}
}

// Scroll moves the comparison by lines.
func (l *Repairs) Scroll(by int) { l.top = max(0, min(l.top+by, len(l.body)-l.seen)) }

// lineOf is a message's first repair, -1 for none.
func (l *Repairs) lineOf(message int64) int {
	return slices.IndexFunc(l.Lines, func(line Repaired) bool { return line.Entry.ID == message })
}

// Chosen is the repair on show.
func (l *Repairs) Chosen() (Repaired, bool) {
	if l.At < 0 || l.At >= len(l.Lines) {
		return Repaired{}, false
	}
	return l.Lines[l.At], true
}

// stored is a message as it is stored, false where it is not known.
func (l *Repairs) stored(id int64) (store.Message, bool) {
	if l.Message == nil {
		return store.Message{}, false
	}
	return l.Message(id)
}

// Update is a key, the wheel, or what was asked for.
func (l Repairs) Update(msg tea.Msg) Repairs {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		l.key(msg)
	case tea.MouseWheelMsg:
		l.Scroll(keymap.Wheel(msg, 1))
	case Click:
		l.click(msg.Y)
	case Refresh:
		l.ask()
	case RemediedMsg:
		l.remedied(msg)
	case PricesMsg:
		l.price(msg)
	}
	return l
}

// click chooses the remedy of a row, or goes to the repair of one.
func (l *Repairs) click(y int) {
	if i, ok := l.remedyRows.item(y); ok && i < len(l.prices) {
		l.remedy, l.top = i, 0
	}
	if i, ok := l.repairRows.item(y); ok && i != l.At {
		l.At, l.top = i, 0
		l.ask()
	}
}

// price takes prices. The cursor stays on its remedy; the first time it goes to what is sent now, and so it does when
// something else is sent than before.
func (l *Repairs) price(msg PricesMsg) {
	if msg.Number != l.Asked {
		return
	}
	l.pricing = false
	on, ok := l.Chosen()
	if !ok || l.stale || msg.Message != on.Entry.ID {
		l.ask()
		return
	}
	to := on.Repair.Remedy
	if l.remedy < len(l.prices) && l.sent == to {
		to = l.prices[l.remedy].Remedy
	}
	l.prices, l.sent = msg.Prices, on.Repair.Remedy
	l.remedy = max(0, slices.IndexFunc(l.prices, func(p Price) bool { return p.Remedy == to }))
}

func (l *Repairs) key(msg tea.KeyPressMsg) {
	k := &l.Keys
	on, ok := l.Chosen()
	number := strings.Index("123456789", msg.String())
	switch {
	case k.Pressed(msg, keymap.Back, keymap.Repairs):
		l.leave()
		l.Emit(Closed{})
	case !ok && k.Pressed(msg, keymap.ShowMessage):
		l.Say("There is no message to go to.")
	case !ok:
		l.Say("There is nothing to repair.")
	case k.Pressed(msg, keymap.ShowMessage):
		l.leave()
		l.Emit(GoTo{on.Entry.ID})
	case k.Pressed(msg, keymap.Remedy):
		l.remedyOf(chosen{on.Entry.ID, nil})
	case k.Pressed(msg, keymap.Choose):
		l.use(on)
	case k.Pressed(msg, keymap.UndoRemedy):
		l.takeBack(on)
	case k.Pressed(msg, keymap.NextRepair, keymap.Next):
		l.step(1)
	case k.Pressed(msg, keymap.PrevRepair, keymap.Prev):
		l.step(-1)
	case k.Pressed(msg, keymap.Top):
		l.step(-len(l.Lines))
	case k.Pressed(msg, keymap.Bottom):
		l.step(len(l.Lines))
	case len(msg.String()) == 1 && number >= 0 && number < len(l.prices):
		l.remedy, l.top = number, 0
	case k.Pressed(msg, keymap.Down, keymap.Up):
		l.point(k.Pressed(msg, keymap.Down))
	case k.Scrolled(msg, scrolledBody{l}, l.seen):
	default:
		l.Say(msg.String() + " does nothing here; " + k.First(keymap.Choose) + " applies the chosen remedy, " +
			k.First(keymap.Back) + " closes this.")
	}
}

// scrolledBody is the comparison as what is scrolled.
type scrolledBody struct{ *Repairs }

func (b scrolledBody) First() { b.top = 0 }
func (b scrolledBody) Last()  { b.Scroll(len(b.body)) }

// point moves the cursor to another remedy.
func (l *Repairs) point(down bool) {
	by := -1
	if down {
		by = 1
	}
	l.remedy, l.top = max(0, min(l.remedy+by, len(l.prices)-1)), 0
}

// use has the remedy under the cursor sent.
func (l *Repairs) use(on Repaired) {
	switch {
	case l.prices == nil:
		l.Say("The other repairs are still being compared.")
	case len(l.prices) < 2:
		l.Say("There is no other way to send message " + theme.Thousands(on.Entry.Index+1) + ".")
	case l.prices[l.remedy].Remedy == on.Repair.Remedy:
		l.Say("This is what is sent now.")
	default:
		to := l.prices[l.remedy].Remedy
		l.remedyOf(chosen{on.Entry.ID, &to})
	}
}

// takeBack takes the last remedy back, or that of the message on show.
func (l *Repairs) takeBack(on Repaired) {
	repaired := history.SendRepaired
	last := chosen{on.Entry.ID, &repaired}
	switch n := len(l.undo); {
	case l.storing != nil:
		l.Say("The last choice is still being stored.")
		return
	case n > 0:
		last = l.undo[n-1]
	case on.Repair.Remedy == history.SendRepaired:
		l.Say("There is nothing to undo: this is repaired.")
		return
	}
	if i := l.lineOf(last.message); i >= 0 && l.Lines[l.At].Entry.ID != last.message {
		l.At, l.top = i, 0
	}
	l.remedyOf(last)
	l.taking = l.storing != nil
}

// remedyOf asks for something else in place of a message's group, or, while another remedy is being stored, keeps that
// for later.
func (l *Repairs) remedyOf(c chosen) {
	i := l.lineOf(c.message)
	switch {
	case i < 0:
	case l.storing != nil:
		l.waiting = append(l.waiting, c)
	default:
		l.storing, l.taking = &c, false
		l.Emit(Remedy{l.Lines[i], c.to})
	}
}

// remedied notes what was stored, and goes on with what was asked for meanwhile. Where a remedy failed, those after it
// are dropped.
func (l *Repairs) remedied(msg RemediedMsg) {
	switch n := len(l.undo); {
	case l.storing == nil || msg.Failed:
	case l.taking && n > 0:
		l.undo = l.undo[:n-1]
	case !l.taking && msg.Was != msg.Is:
		l.undo = append(slices.Clip(l.undo), chosen{l.storing.message, &msg.Was})
	}
	l.storing = nil
	if msg.Failed || msg.Last {
		l.waiting = nil
	}
	for len(l.waiting) > 0 && l.storing == nil {
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.remedyOf(next)
	}
}

// RemedyWord is what is done with damaged messages.
func RemedyWord(r history.Remedy) string {
	switch r {
	case history.SendRepaired:
		return "repaired"
	case history.SendAsText:
		return "sent as text"
	case history.LeaveOut:
		return "left out"
	}
	return markdown.OneLine(string(r), 12)
}

// Title names the repair on show.
func (l *Repairs) Title() string {
	if len(l.Lines) == 0 {
		return "repairs"
	}
	return "repair " + theme.Thousands(l.At+1) + " of " + theme.Thousands(len(l.Lines))
}

// Subject names the message of the repair on show, "" where there is none.
func (l *Repairs) Subject() string {
	on, ok := l.Chosen()
	if !ok {
		return ""
	}
	m, _ := l.stored(on.Entry.ID)
	return "message " + theme.Thousands(on.Entry.Index+1) + ", " + speaker(m, on.Entry)
}

// Position is how far down the comparison the screen is, "" where it holds all of it.
func (l *Repairs) Position() string {
	if l.seen >= len(l.body) {
		return ""
	}
	return theme.Thousands(min(100, (l.top+l.seen)*100/len(l.body))) + " %"
}

// Hints are the keys that matter.
func (l *Repairs) Hints() []key.Binding {
	k := &l.Keys
	var hints []key.Binding
	if on, ok := l.Chosen(); ok {
		if len(l.prices) > 1 {
			hints = append(hints, k.Hint("choose", keymap.Down, keymap.Up))
			hints = append(hints, k.Hint("use this repair", keymap.Choose))
		}
		if len(l.undo) > 0 || on.Repair.Remedy != history.SendRepaired {
			hints = append(hints, k.Hint("undo", keymap.UndoRemedy))
		}
		if len(l.Lines) > 1 {
			hints = append(hints, k.Hint("next repair", keymap.NextRepair))
		}
		hints = append(hints, k.Hint("go to the message", keymap.ShowMessage),
			k.Hint("use the next one", keymap.Remedy))
	}
	return append(hints, k.Hint("scroll", keymap.HalfDown, keymap.HalfUp), k.Hint("help", keymap.Ask),
		k.Hint("close", keymap.Back))
}
