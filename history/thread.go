package history

import (
	"regexp"
	"slices"
	"strings"

	"winnow/history/cause"
	"winnow/history/relevance"
	"winnow/history/repair"
)

// prepared is a run of messages as it may be sent: repaired, grouped and counted.
type prepared struct {
	readOptions
	candidates  []candidate
	turns       []turn
	entries     []Entry          // the verdict on each message before anything is selected
	candidateAt []int            // the candidate of each message, by position; -1 for none
	toolGroups  map[int][]int    // see Plan.ToolGroup; messages that are a group of their own have none
	ids         map[string]bool  // ids of all tool calls
	index       *relevance.Index // of the candidates that have been searched so far
}

// candidate is one message as it may be sent.
type candidate struct {
	*repair.Candidate
	group        int   // position of the message that called the tools, else its own
	turn         int   // index into prepared.turns
	offset       int   // tokens of the conversation in front of its group, if all is whole
	tokens       int   // cost of the whole message, without the frame
	textTokens   int   // the part of tokens that is saved if its text is cut
	chars        int   // code points of its text
	newest       int64 // time of the newest message so far, Unix milliseconds
	serverTokens int   // tokens of the keys that only its server understands: see keepServerKeys
}

// kind returns the role whose limits apply to a candidate. Tool results that are sent as text are still tool results.
func (v *candidate) kind() Role {
	if v.JoinsPrevious {
		return Tool
	}
	return v.Role
}

// unit is a half-open range of candidates.
type unit struct{ from, to int }

func (u unit) holds(i int) bool { return u.from <= i && i < u.to }

// turn is a user message with all messages that answer it. Answers at the start of a history form a turn of their own.
type turn struct {
	unit
	offset   int // tokens of the conversation in front of it, if all is whole
	tokens   int
	question int // the candidate of the user message, -1 for none
}

// read repairs, groups and counts messages. A running turn is read with the history that it follows.
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
		*v = candidate{Candidate: d, group: d.From, chars: t.entries[d.From].CharsBefore}
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

// textCost returns the tokens of a message's text as it is sent.
func (c *Conversation) textCost(sent, said *Message) int {
	if sent.Content == said.Content {
		return said.Tokens
	}
	return c.countCached(sent.Content)
}

// drop marks a message as not sent.
func (e *Entry) drop(code cause.Code) { e.Disposition, e.Cause = Dropped, Cause{Code: code} }

// groupTools builds toolGroups from heads, which maps each result to the message that called for it. It includes
// results that are not sent.
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

// keepServerKeys decides which reasoning and server-specific keys, such as a signature of the reasoning, each candidate
// keeps. They return to the server with the message they came with, or not at all:
//
//   - keys are sent only to the endpoint and model that they came from;
//   - reasoning is sent if the endpoint asks for it, in a turn that called tools, from the first call on;
//   - a message with tool calls keeps both even if its text is cut, because servers refuse the calls without them; an
//     answer without calls keeps them only while its text is whole;
//   - calls that are sent as text keep nothing, nor do interrupted answers or messages that are merged with another.
//
// The messages in otherwise already have their TokensBefore: their cost without the remedy or the tool_history setting
// that changes them.
func (t *prepared) keepServerKeys(otherwise map[int]Message, count TokenCounter) {
	called := false // the current turn has called a tool
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
			v.textTokens += v.serverTokens // They are dropped when the text is cut.
		}
		if _, chosen := otherwise[v.From]; !chosen && !v.Placeholder {
			t.entries[v.From].TokensBefore += v.serverTokens
		}
	}
}

// encryptedReasoning matches the encrypted reasoning in an item of the Responses API.
var encryptedReasoning = regexp.MustCompile(`"encrypted_content":"[^"]*"`)

// HasEncryptedReasoning reports whether the keys of an answer contain reasoning that only its server can read.
func HasEncryptedReasoning(replay string) bool {
	return strings.Contains(replay, `"responses_reasoning"`) && encryptedReasoning.MatchString(replay)
}

// countKeys counts the tokens of server-specific keys. Encrypted reasoning counts as nothing: its size in tokens is
// unknown, and servers drop it after its turn.
func countKeys(replay string, count TokenCounter) int {
	if replay == "" {
		return 0
	}
	if HasEncryptedReasoning(replay) {
		replay = encryptedReasoning.ReplaceAllString(replay, "")
	}
	return count(replay)
}

// messageWith returns the candidate as a message with the text and the parts of a rendering.
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
		m.Status = Complete // Its text ends in a suffix that says that it was interrupted or cut.
	}
	return m
}

// numberCandidates sets the turn and the offset of each candidate. Every user message begins a turn, answered or not.
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

// takeIndex takes over the index of an earlier preparation, up to the first candidate whose text differs.
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

// groupBefore returns the tool group or single message that ends in front of candidate end.
func (t *prepared) groupBefore(end int) unit {
	from := end - 1
	for from > 0 && t.candidates[from-1].group == t.candidates[end-1].group {
		from--
	}
	return unit{from, end}
}

// block identifies a run of candidates that enters and leaves a request as a unit, by its size in tokens and its number
// among the blocks of that size.
type block struct{ size, number int }

// The sizes of blocks.
const (
	blockLeast = 256 // tokens; no block is smaller
	blockShare = 2   // a block is at most half of the distance from its start to the end of the conversation
)

// block returns the block of a candidate. Blocks end at fixed token offsets from the start of the conversation, so that
// new messages do not move their borders. The further from the end, the larger they are, up to largest: whatever the
// budget, the selection changes in steps of about a quarter of it. A turn stays in one block unless it is longer than
// the largest block; then it is divided between its tool groups.
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

// blockBefore returns the block that ends in front of candidate end.
func (t *prepared) blockBefore(end, largest int) unit {
	from, b := end-1, t.block(end-1, largest)
	for from > 0 && t.block(from-1, largest) == b {
		from--
	}
	return unit{from, end}
}
