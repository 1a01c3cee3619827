package cli

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
)

// drawnConversation is a conversation made at random, and what decides its next request.
type drawnConversation struct {
	seed     uint64
	ref      string
	messages []store.Message
	flags    map[int]history.Flag   // by the message's place
	remedies map[int]history.Remedy // the same
	trial    session.Trial
	earlier  []act // what was done before the last turn
	draft    string
	calls    bool // the model calls a tool in the last turn
	again    bool // the program was ended and started again before the last turn
}

// act is something that a person did in a conversation.
type act struct {
	what string // send, edit, again (on the message at), or switch (to the branch of it)
	at   int
	text string
}

// drawConversation is the conversation of a seed.
func drawConversation(seed uint64) drawnConversation {
	r := rand.New(rand.NewPCG(seed, 11))
	t := drawnConversation{
		seed: seed, flags: map[int]history.Flag{}, remedies: map[int]history.Remedy{},
		calls: r.IntN(4) == 0, again: r.IntN(2) == 0,
	}
	// What is learned of a model is learned in this conversation, so that it goes the same way each time.
	t.ref = fmt.Sprintf("%s/m%d", pick(r, agreeing...), seed)
	d := &drafter{r: r}
	for n := r.IntN(40); len(d.list) < n; {
		d.turn()
	}
	t.messages = d.list
	for i := range t.messages {
		if r.IntN(9) == 0 {
			t.flags[i] = pick(r, history.Pin, history.Exclude)
		}
		if r.IntN(12) == 0 {
			t.remedies[i] = pick(r, history.SendAsText, history.LeaveOut)
		}
	}
	for i := range r.IntN(4) {
		t.earlier = append(t.earlier, act{pick(r, "send", "send", "edit", "again", "switch"), r.IntN(1 + len(t.messages)), d.text(fmt.Sprintf("e%d", i), 12)})
	}
	t.draft = d.about(r.IntN(4)) + strings.ToValidUTF8(strings.ReplaceAll(d.text("now", 14), "\x00", ""), "") // as it can be typed
	budget := pick(r, 0, 180, 300, 400, 600, 600, 900, 1800)
	t.trial = session.Trial{Preset: pick(r, history.Presets()...), Placement: pick(r, history.Steady, history.InOrder)}
	if r.IntN(4) > 0 {
		t.trial.Budget = &budget
	}
	return t
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// drafter writes the messages of a conversation. Each has a mark of its own by which it is found again.
type drafter struct {
	r    *rand.Rand
	list []store.Message
	day  int64
}

// markPattern is the mark at the beginning of a text, or in a call's arguments.
var markPattern = regexp.MustCompile(`⟨[a-z0-9.]+⟩`)

// markOf is a message's mark, "" where it has none.
func markOf(m store.Message) string {
	if mark := markPattern.FindString(m.Content); mark != "" {
		return mark
	}
	for _, c := range m.ToolCalls {
		if mark := markPattern.FindString(c.Arguments); mark != "" {
			return mark
		}
	}
	return ""
}

// conversationWords are of many scripts, and of the signs that a wire format escapes.
var conversationWords = strings.Fields("the gateway violin größer 猫が好き صباح الخير नमस्ते 한국어 👩‍👩‍👧‍👦 👍🏽 é parser rain harbour <&> \"quoted\" \\ budget é… tides always prefer")

func (d *drafter) text(mark string, most int) string {
	words := []string{"⟨" + mark + "⟩"}
	if d.r.IntN(2) == 0 {
		words = append(words, rare(len(d.list)))
	}
	for range 1 + d.r.IntN(most) {
		words = append(words, pick(d.r, conversationWords...))
	}
	if d.r.IntN(6) == 0 {
		words = append(words, pick(d.r, "\n\n", "\xff", "\x00", "\xf0\x9f", "[Earlier messages truncated]"), "end")
	}
	return strings.Join(words, " ")
}

// rare is a word that stands in one message and what is about it.
func rare(i int) string { return fmt.Sprintf("kestrel%d", i) }

// subjectOf names things that earlier messages may be about.
func (d *drafter) about(n int) string {
	text := ""
	for range n {
		text += rare(d.r.IntN(len(d.list)+1)) + " "
	}
	return text
}

// add puts a message at the end.
func (d *drafter) add(m history.Message) {
	if d.r.IntN(6) == 0 {
		d.day += d.r.Int64N(4)
	}
	m.CreatedMS = 1_700_000_000_000 + d.day*24*3600*1000 + int64(len(d.list))*1000
	if m.Status == "" {
		m.Status = history.Complete
	}
	d.list = append(d.list, store.Message{Message: m})
}

func (d *drafter) mark() string { return fmt.Sprint(len(d.list)) }

// long is how many words a text may have: mostly a few, now and then very many.
func (d *drafter) long() int { return pick(d.r, 4, 4, 12, 12, 12, 60, 60, 60, 250, 700) }

// turn is a question with what follows it, or something that should not be there.
func (d *drafter) turn() {
	switch d.r.IntN(14) {
	case 0:
		d.add(history.Message{Role: history.System, Content: d.text(d.mark(), 10)})
	case 1:
		d.add(history.Message{Role: "critic", Content: d.text(d.mark(), 10), Status: history.Quarantined})
	case 2:
		d.add(history.Message{Role: pick(d.r, history.User, history.Assistant), Content: pick(d.r, "", " \n")})
	case 3:
		d.add(history.Message{Role: history.Tool, ToolCallID: "nobodys", Content: d.text(d.mark(), d.long())})
	case 4, 5, 6, 7:
		d.add(history.Message{Role: history.User, Content: d.text(d.mark(), d.long())})
		d.tools()
		d.answer()
	default:
		d.add(history.Message{Role: history.User, Content: d.text(d.mark(), d.long())})
		d.answer()
	}
}

func (d *drafter) answer() {
	status := pick(d.r, history.Complete, history.Complete, history.Complete, history.Interrupted, history.Failed)
	d.add(history.Message{Role: history.Assistant, Content: d.text(d.mark(), d.long()), Status: status})
}

// tools are calls and their results, sound or damaged.
func (d *drafter) tools() {
	ids := []string{"a", "b", "call_0", "call_0", "", "ä b", "c-1"}
	arguments := []string{`{"path":"⟨%s⟩"}`, `{"path":"⟨%s⟩"}`, `{"path":"⟨%s⟩`, ``, `null`, `"{\"path\":\"⟨%s⟩\"}"`, `{"path":"⟨%s⟩"}{"b":2}`, `nonsense`}
	sound := d.r.IntN(2) == 0
	head := history.Message{Role: history.Assistant}
	if d.r.IntN(2) == 0 {
		head.Content = d.text(d.mark(), d.long())
	}
	for k := range 1 + d.r.IntN(3) {
		c := history.ToolCall{ID: fmt.Sprintf("t%d-%d", len(d.list), k), Name: "read", Arguments: fmt.Sprintf(arguments[0], d.mark()+"."+fmt.Sprint(k))}
		if !sound {
			c.ID, c.Name, c.Arguments = pick(d.r, ids...), pick(d.r, "read", "read", "l\xffst", ""), pick(d.r, arguments...)
			c.Arguments = strings.ReplaceAll(c.Arguments, "%s", d.mark()+"."+fmt.Sprint(k))
		}
		head.ToolCalls = append(head.ToolCalls, c)
	}
	d.add(head)
	for _, c := range head.ToolCalls {
		result := history.Message{Role: history.Tool, ToolCallID: c.ID, Content: d.text(d.mark(), d.long())}
		if sound {
			d.add(result)
			continue
		}
		switch d.r.IntN(8) {
		case 0: // missing
			continue
		case 1: // of another call
			result.ToolCallID = pick(d.r, ids...)
		case 2: // late
			d.add(history.Message{Role: history.User, Content: d.text(d.mark(), 8)})
			result.Content = d.text(d.mark(), d.long())
		case 3: // twice
			d.add(result)
			result.Content = d.text(d.mark(), d.long())
		case 4: // binary
			result.Content += strings.Repeat("\x00\x01", len(result.Content))
		case 5: // empty
			result.Content = " "
		}
		d.add(result)
	}
}
