package history

import (
	"regexp"
	"slices"
	"strings"

	"winnow/history/cause"
	"winnow/history/relevance"
	"winnow/history/repair"
)

// thread is a run of messages as it may be sent: repaired, grouped and counted.
type prepared struct {
	readOptions
	candidates  []candidate
	turns       []turn
	entries     []Entry          // the verdict on each message before anything is chosen
	candidateAt []int            // the candidate of each message, -1 where it has none
	toolGroups  map[int][]int    // see Plan.Group; a message that is alone has none
	ids         map[string]bool  // of the calls
	index       *relevance.Index // of the candidates, as far as they were searched already
}

// candidate is one message as it may be sent.
type candidate struct {
	*repair.RepairedMessage
	group        int   // the position of the message that asked for the tools, else its own
	turn         int   // index into the thread's turns
	offset       int   // tokens of the conversation in front of its group, all whole
	tokens       int   // what it costs whole beside its frame
	textTokens   int   // the part of tokens that goes when its text is cut
	chars        int   // code points of its text
	newest       int64 // when the newest message up to here was said, Unix milliseconds
	serverTokens int   // tokens of what only its server understands: see carry
}

// kind is the role whose limits hold for a candidate: a tool's result that is sent as text stays one.
func (v *candidate) kind() Role {
	if v.JoinsPrevious {
		return Tool
	}
	return v.Role
}

// unit is a half-open run of candidates, by index.
type unit struct{ from, to int }

func (u unit) holds(i int) bool { return u.from <= i && i < u.to }

// turn is a message of the user with all that answers it. A history that opens with an answer has that in a turn of its
// own.
type turn struct {
	unit
	offset   int // tokens of the conversation in front of it, all whole
	tokens   int
	question int // the candidate of the user's message, -1 for none
}

// read repairs, groups and counts messages. A running turn stands behind a history.
func (c *Conversation) read(past []Message, r readOptions, history *prepared) *prepared {
	t := &prepared{readOptions: r, ids: map[string]bool{}, entries: make([]Entry, len(past))}
	o := repair.Options{
		IDs: t.ids, Remedies: r.remedies, Tools: r.tools, NoImages: r.profile.NoImages,
	}
	if history != nil {
		o.Offset, o.Used = len(history.entries), func(id string) bool { return history.ids[id] }
	}
	repaired := repair.Messages(past, o)
	for i := range past {
		m, e := &past[i], &t.entries[i]
		*e = Entry{
			ID: m.ID, Index: i, Role: m.Role, CharsBefore: runes(m.Content), Repairs: repaired.Repairs[i],
			Disposition: Blank, Cause: Cause{Code: cause.Blank},
		}
		if code, unsent := repaired.Unsent[i]; unsent {
			e.drop(code)
		} else if m.Unreadable() {
			e.Disposition, e.Cause.Code = Unreadable, cause.Unreadable
		}
		if before, changed := repaired.Before[i]; changed {
			e.TokensBefore = c.textCost(&before, m) + overhead(&before, c.countCached)
		}
	}
	t.candidates = make([]candidate, len(repaired.Messages))
	for i, d := range repaired.Messages {
		v, said := &t.candidates[i], &past[d.From]
		*v = candidate{RepairedMessage: d, group: d.From, chars: t.entries[d.From].CharsBefore}
		if d.Content != said.Content {
			v.chars = runes(d.Content)
		}
		v.Tokens = c.textCost(&d.Message, said)
		v.textTokens, v.tokens = v.Tokens, v.Tokens+overhead(&d.Message, c.countCached)
		if d.Head != nil {
			v.group = d.Head.From
		}
		if _, changed := repaired.Before[d.From]; !changed && !v.Placeholder {
			t.entries[d.From].TokensBefore = v.tokens
		}
	}
	t.groupTools(repaired.Heads)
	t.keepServerKeys(repaired.Before, c.countCached)
	t.numberCandidates()
	return t
}

// textCost is what the text of a message costs as it is sent.
func (c *Conversation) textCost(sent, said *Message) int {
	if sent.Content == said.Content {
		return said.Tokens
	}
	return c.countCached(sent.Content)
}

// drop says that a message is not sent.
func (e *Entry) drop(code cause.Code) { e.Disposition, e.Cause = Dropped, Cause{Code: code} }

// group finds the messages that are sent or left out together: a call with its results, and with the results of it that
// are not sent.
func (t *prepared) groupTools(heads map[int]int) {
	members := map[int][]int{}
	for at, head := range heads {
		members[head] = append(members[head], at)
	}
	t.toolGroups = map[int][]int{}
	for head, list := range members {
		list = append(list, head)
		slices.Sort(list)
		for _, at := range list {
			t.toolGroups[at] = list
		}
	}
}

// carry decides what each candidate carries beside its text that its server wants returned: the model's reasoning, and
// keys that only that server understands, such as a signature of the reasoning. They go back with the message they came
// with, or not at all:
//
//   - keys to the endpoint and model that sent them, and nowhere else;
//   - reasoning where the endpoint asks for it, in a turn that called tools, from the first call on;
//   - a message that makes calls carries both whatever is cut of its text, because servers refuse the calls without
//     them. An answer without calls carries them only while its text is whole;
//   - calls that are sent as text carry nothing, nor does an answer that broke off or that is joined to its neighbour.
//
// The messages in otherwise have their TokensBefore already: what they would cost without the remedy or the
// tool_history that changes them.
func (t *prepared) keepServerKeys(otherwise map[int]Message, count TokenCounter) {
	called := false // in the turn at hand
	for i := range t.candidates {
		v := &t.candidates[i]
		calls := len(v.ToolCalls) > 0
		called = called && v.Role != User || calls
		own := v.Role == Assistant && !v.Placeholder && v.Origin == t.to && t.to != Origin{} &&
			(calls || !t.profile.MergeSameRole && !v.JoinsPrevious && !v.WasInterrupted())
		if !own || !t.profile.EchoReasoning || !called {
			v.Reasoning = ""
		}
		if !own || t.profile.NoReplay {
			v.Replay, v.ToolCalls = "", slices.Clone(v.ToolCalls)
			for k := range v.ToolCalls {
				v.ToolCalls[k].Replay = ""
			}
		}
		v.serverTokens = count(v.Reasoning) + countKeys(v.Replay, count)
		for _, call := range v.ToolCalls {
			v.serverTokens += countKeys(call.Replay, count)
		}
		v.tokens += v.serverTokens
		if !calls {
			v.textTokens += v.serverTokens // It goes when the text is cut.
		}
		if _, chosen := otherwise[v.From]; !chosen && !v.Placeholder {
			t.entries[v.From].TokensBefore += v.serverTokens
		}
	}
}

// encryptedReasoning is a value in an item of the Responses API.
var encryptedReasoning = regexp.MustCompile(`"encrypted_content":"[^"]*"`)

// CarriesEncrypted reports whether the keys of an answer hold reasoning that only its server can read.
func HasEncryptedReasoning(replay string) bool {
	return strings.Contains(replay, `"responses_reasoning"`) && encryptedReasoning.MatchString(replay)
}

// countKeys counts what a message carries. Encrypted reasoning counts nothing: how much is in it is not known, and
// servers drop it where its turn is over.
func countKeys(replay string, count TokenCounter) int {
	if replay == "" {
		return 0
	}
	if HasEncryptedReasoning(replay) {
		replay = encryptedReasoning.ReplaceAllString(replay, "")
	}
	return count(replay)
}

// messageWith is the candidate as a message with what a rendering shows of it.
func (v *candidate) messageWith(f rendering) Message {
	m := v.Message
	m.Content, m.Parts = f.text, f.parts
	if f.text != v.Content {
		m.Tokens = 0
		if len(v.ToolCalls) == 0 {
			m.Reasoning, m.Replay = "", ""
		}
	}
	if m.Status == Interrupted || m.Status == Streaming {
		m.Status = Complete // Its text says that it broke off, or is cut and says that.
	}
	return m
}

// number gives the candidates their turn and their place in the conversation. A message of the user begins a turn: one
// that was never answered is a turn by itself.
func (t *prepared) numberCandidates() {
	t.candidateAt = slices.Repeat([]int{-1}, len(t.entries))
	newest, tokens := int64(0), 0
	for i := range t.candidates {
		v := &t.candidates[i]
		if !v.Placeholder {
			t.candidateAt[v.From] = i
		}
		newest = max(newest, v.CreatedMS)
		v.newest = newest
		switch {
		case v.Role == User:
			t.turns = append(t.turns, turn{unit: unit{i, i}, offset: tokens, question: i})
		case len(t.turns) == 0:
			t.turns = append(t.turns, turn{question: -1})
		}
		v.turn = len(t.turns) - 1
		x := &t.turns[v.turn]
		if v.offset = tokens; i > x.from && t.candidates[i-1].group == v.group {
			v.offset = t.candidates[i-1].offset
		}
		tokens += v.tokens + frameMessage
		x.tokens += v.tokens + frameMessage
		x.to = i + 1
	}
}

// takeIndex takes over the index of an earlier thread, as far as the candidates at the beginning have the same text.
func (t *prepared) takeIndex(was *prepared) {
	if t.index = was.index; t.index == nil {
		return
	}
	same := 0
	most := min(t.index.Len(), len(t.candidates))
	for same < most && t.candidates[same].searched() == was.candidates[same].searched() {
		same++
	}
	t.index.Truncate(same)
}

// groupBefore is the unit of a tool group or a single message that ends in front of candidate end.
func (t *prepared) groupBefore(end int) unit {
	from := end - 1
	for from > 0 && t.candidates[from-1].group == t.candidates[end-1].group {
		from--
	}
	return unit{from, end}
}

// block is a run of candidates that enters and leaves a request as one: its size in tokens, and its number among the
// blocks of that size.
type block struct{ size, number int }

// The sizes of blocks.
const (
	blockLeast = 256 // tokens; no block is divided further
	blockShare = 2   // a block is at most one part in so many of the way from its beginning to the end
)

// block is the block that a candidate belongs to. Blocks end at fixed token positions from the start of the
// conversation, so that a new message moves no border. They are the larger the further they are from the end, up to
// largest: whatever the budget is, what fits then changes in steps of about a quarter of it. Turns stay in one block,
// but one that is longer than the largest block is divided between its tool groups.
func (t *prepared) block(i, largest int) block {
	v, newest := &t.candidates[i], &t.turns[len(t.turns)-1]
	at, end := v.offset, newest.offset+newest.tokens
	if x := &t.turns[v.turn]; x.tokens <= largest {
		at = x.offset
	}
	size := largest
	for size > blockLeast && end-at/size*size < blockShare*size {
		size /= 2
	}
	return block{size, at / size}
}

// blockBefore is the unit of a block that ends in front of candidate end.
func (t *prepared) blockBefore(end, largest int) unit {
	from, b := end-1, t.block(end-1, largest)
	for from > 0 && t.block(from-1, largest) == b {
		from--
	}
	return unit{from, end}
}
