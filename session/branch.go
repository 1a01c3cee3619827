package session

import (
	"cmp"
	"slices"

	"winnow/history"
	"winnow/session/store"
)

// active is the active branch of a conversation, as far as it is loaded, with the reader that plans its requests. Its
// methods are called with the session's lock held.
type active struct {
	tokens
	branch []store.Message
	whole  bool // branch holds all of it
	reader *history.Conversation
	read   int         // messages of branch that reader has read
	fresh  map[int]int // counts that came since, by place on the branch
	edited editReader  // the messages before one that is being edited
}

// find is the place of a message on the branch. A message is younger than the one before it.
func (a *active) find(message int64) (at int, there bool) {
	return slices.BinarySearchFunc(a.branch, message, func(m store.Message, id int64) int { return cmp.Compare(m.ID, id) })
}

// historyOf are stored messages as a plan reads them.
func historyOf(branch []store.Message) []history.Message {
	list := make([]history.Message, len(branch))
	for i := range branch {
		list[i] = branch[i].Message
	}
	return list
}

// message is a message of the branch, nil where it is not on it.
func (a *active) message(id int64) *history.Message {
	at, there := a.find(id)
	if !there {
		return nil
	}
	return &a.branch[at].Message
}

// readTo reads the first past messages of the branch.
func (a *active) readTo(past int) error {
	if !a.whole {
		return ErrLoading
	}
	if a.reader == nil || a.read > past {
		a.reader, a.read, a.fresh = history.Read(nil, a.counter), 0, map[int]int{}
	}
	a.reader.Recount(a.fresh)
	clear(a.fresh)
	a.reader.Append(a.readable(a.branch[a.read:past])...)
	a.read = past
	return nil
}

// counted says how far the messages are counted.
func (a *active) counted() Counting {
	c := Counting{Of: len(a.branch)}
	for i := range a.branch {
		if !a.missing(&a.branch[i]) {
			c.Counted++
		}
	}
	return c
}

// placed is a message with its place on the branch.
type placed struct {
	store.Message
	at int
}

// uncounted are the newest messages without a stored count, a slice of them.
func (a *active) uncounted() []placed {
	var some []placed
	size := 0
	for i := len(a.branch) - 1; i >= 0 && len(some) < sliceRows && size < sliceBytes; i-- {
		if m := &a.branch[i]; a.missing(m) {
			some = append(some, placed{*m, i})
			if m.Tokens == 0 {
				size += len(m.Content)
			}
		}
	}
	return some
}

// recount puts counts into the branch, which may be another one by now. The planner takes them at
// its next plan.
func (a *active) recount(some []placed) {
	for _, p := range some {
		if p.at >= len(a.branch) || a.branch[p.at].ID != p.ID {
			continue
		}
		a.branch[p.at].Tokens, a.branch[p.at].Tokenizer = p.Tokens, a.tokenizer
		if a.reader != nil && p.at < a.read {
			a.fresh[p.at] = p.Tokens
		}
		if e := &a.edited; e.reader != nil && p.at < e.read {
			e.fresh[p.at] = p.Tokens
		}
	}
}

// guessed says that message i of the branch is planned with by a guess.
func (a *active) guessed(i int) bool {
	return a.guess != nil && i < a.read && a.branch[i].Tokens == 0 && a.branch[i].Content != ""
}

// guessedIn are the messages that a plan sends whole and by a guess. What is sent of the others was
// counted as it is sent.
func (a *active) guessedIn(p history.Plan) []placed {
	var some []placed
	for i, e := range p.Entries {
		if e.Whole && i < a.read && a.guessed(i) {
			some = append(some, placed{a.branch[i], i})
		}
	}
	return some
}

// guesses are the messages of the branch's beginning that are planned with by a guess, as runs from
// one id to another.
func (a *active) guesses(past int) [][2]int64 {
	var runs [][2]int64
	for i := range past {
		if !a.guessed(i) {
			continue
		}
		if n := len(runs); n > 0 && i > 0 && a.guessed(i-1) {
			runs[n-1][1] = a.branch[i].ID
			continue
		}
		runs = append(runs, [2]int64{a.branch[i].ID, a.branch[i].ID})
	}
	return runs
}

// pending are the calls without a result of the answer that ends the branch. Only calls of a complete answer to a
// request of this session are pending: those of an interrupted or imported answer are not.
func (a *active) pending() []PendingCall {
	results, at := 0, len(a.branch)-1
	for ; at >= 0 && a.branch[at].Role == history.Tool; at-- {
		results++ // they are stored in the order of the calls
	}
	if at < 0 {
		return nil
	}
	m := a.branch[at]
	if m.Role != history.Assistant || m.Status != history.Complete || m.Request == 0 || results >= len(m.ToolCalls) {
		return nil
	}
	var calls []PendingCall
	for _, call := range m.ToolCalls[results:] {
		calls = append(calls, PendingCall{m.ID, call})
	}
	return calls
}

// editReader reads what came before a message that is being edited. The reader of the whole branch stays as it is
// meanwhile.
type editReader struct {
	message int64 // 0 for none
	reader  *history.Conversation
	read    int         // messages before it
	fresh   map[int]int // counts that came since, by place on the branch
}

// readBefore is the reader of the messages before one, which are the first so many. A long conversation takes seconds
// to read, and the lock is given away meanwhile: unlocked does that.
func (a *active) readBefore(message int64, first int, unlocked func(read func())) *history.Conversation {
	if e := &a.edited; e.message == message {
		e.reader.Recount(e.fresh)
		clear(e.fresh)
		return e.reader
	}
	past := slices.Clone(a.branch[:first])
	var reader *history.Conversation
	unlocked(func() { reader = history.Read(a.readable(past), a.counter) })
	if at, there := a.find(message); there && at == first {
		a.edited = editReader{message: message, reader: reader, read: first, fresh: map[int]int{}}
	}
	return reader
}

// group is the messages that are sent or left out together with one, itself among them: a message that calls tools
// and the results of its calls, or the message alone. Of what is not planned yet each message is alone.
func (a *active) group(message int64) []int64 {
	at, there := a.find(message)
	if !there || a.reader == nil || at >= a.read {
		return []int64{message}
	}
	var list []int64
	for _, i := range a.reader.Group(at) {
		list = append(list, a.branch[i].ID)
	}
	return list
}

// tokens counts texts.
type tokens struct {
	counter   history.Counter // nil counts none
	guess     history.Counter // says at once about what counter would; nil guesses none
	tokenizer string          // what counter is called
}

// count counts a text's tokens, or 0 where nothing counts: the plan then estimates.
func (t tokens) count(text string) int {
	if t.counter == nil {
		return 0
	}
	return t.counter(text)
}

// missing says that a message's tokens are not in the store yet.
func (t tokens) missing(m *store.Message) bool {
	return t.counter != nil && m.Content != "" && m.Status != history.Streaming && (m.Tokens == 0 || m.Tokenizer != t.tokenizer)
}

// trusted takes from stored messages the counts of another tokenizer.
func (t tokens) trusted(messages []store.Message) []store.Message {
	for i := range messages {
		if messages[i].Tokenizer != t.tokenizer {
			messages[i].Tokens = 0
		}
	}
	return messages
}

// readable is a piece of a branch for the planner. A little text without a count is counted at once;
// for more of it a guess has to do, so that nobody waits.
func (t tokens) readable(branch []store.Message) []history.Message {
	size := 0
	for i := range branch {
		if branch[i].Tokens == 0 {
			size += len(branch[i].Content)
		}
	}
	list := make([]history.Message, len(branch))
	for i := range branch {
		m := &branch[i]
		if t.counter != nil && m.Tokens == 0 && size <= countAtOnce {
			m.Tokens = t.counter(m.Content)
		}
		if list[i] = m.Message; t.guess != nil && m.Tokens == 0 {
			list[i].Tokens = t.guess(m.Content)
		}
	}
	return list
}

// summariesOn are those of some summaries that are of the first messages of the branch, the widest first; of two as wide
// the newer comes first. A message is on the branch with all that came before it, so the newest message of a
// summary tells.
func (a *active) summariesOn(all []store.Summary, first int) []history.Summary {
	type placed struct {
		history.Summary
		last int
	}
	var on []placed
	for _, m := range slices.Backward(all) {
		if at, there := a.find(m.Last()); there && at < first {
			on = append(on, placed{history.Summary{ID: m.ID, Messages: m.Sources, Text: m.Text, By: m.Endpoint + "/" + m.Model}, at})
		}
	}
	slices.SortStableFunc(on, func(x, y placed) int { return y.last - x.last })
	list := make([]history.Summary, len(on))
	for i, p := range on {
		list[i] = p.Summary
	}
	return list
}
