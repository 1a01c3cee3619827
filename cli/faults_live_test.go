package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"winnow/history"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/approval"
	"winnow/session/store"
)

// corruption is a way in which a tool history becomes corrupt during a chat.
type corruption struct {
	kind   string // C1 to C15
	what   string
	fault  string                 // of the server, by its name
	stage  llmtest.Stage          // of that fault; "" is a tool call
	stream string                 // an answer with a fault of its own
	result *string                // what the tool returns
	stop   bool                   // the user stops at the question whether the tool may run
	damage func(*liveChat) string // what happens to the rows between the turns, as SQL or "" where it did it itself
}

// corruptions are all kinds of the catalogue, some in several ways.
func corruptions() []corruption {
	content := func(text string) string {
		quoted, _ := json.Marshal(text)
		return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", quoted)
	}
	return []corruption{
		{kind: "C1", fault: "call-broken"},
		{kind: "C1", fault: "call-limit"},
		{kind: "C2", fault: "call-empty"},
		{kind: "C2", fault: "call-absent"},
		{kind: "C3", fault: "call-null"},
		{kind: "C3", fault: "call-list"},
		{kind: "C3", fault: "call-twice"},
		{kind: "C11", what: "two objects in one call", stream: "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_1\",\"function\":{\"name\":\"lookup\",\"arguments\":\"{\\\"place\\\":\\\"pier\\\"} {\\\"place\\\":\\\"wall\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"},
		{kind: "C4", what: "a stored call with two objects", damage: (*liveChat).glued},
		{kind: "C5", fault: "cut"},
		{kind: "C5", what: "the user stops at the question", stop: true},
		{kind: "C6", what: "the row of a call is gone", damage: func(c *liveChat) string {
			return fmt.Sprintf("UPDATE messages SET role = 'user' WHERE id = %d", c.row(func(m store.Message) bool { return len(m.ToolCalls) > 0 }))
		}},
		{kind: "C7", fault: "call-same-id"},
		{kind: "C7", fault: "call-no-id"},
		{kind: "C7", fault: "call-bad-id"},
		{kind: "C8", fault: "spaces-alone", stage: llmtest.FirstByte},
		{kind: "C9", what: "the tool returns nothing", result: new("")},
		{kind: "C10", what: "a result comes after the next message", stop: true, damage: (*liveChat).late},
		{kind: "C11", fault: "call-no-name"},
		{kind: "C12", what: "a system message in the middle", damage: (*liveChat).system},
		{kind: "C13", what: "the tool returns a picture", result: new("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x01\x02\x03", 20_000))},
		{kind: "C14", what: "NUL in an answer", stage: llmtest.FirstByte, stream: content("the\x00 harbour")},
		{kind: "C15", what: "a row of the file is damaged", damage: func(c *liveChat) string {
			return fmt.Sprintf("UPDATE messages SET content = CAST(x'ff00' || substr(content, 3) AS BLOB) WHERE id = %d", c.row(func(m store.Message) bool { return m.Role == history.Tool }))
		}},
	}
}

// TestCorruptionDuringAChat corrupts the tool history of running chats in every way of the catalogue: by the server,
// the user, the tools and the disk. The conversation goes on, winnow repair names what is damaged, what is stored stays
// as it was, the next request is valid for every strict server, and no tool ran with arguments that did not come.
func TestCorruptionDuringAChat(t *testing.T) {
	t.Parallel()
	signalsOnce()
	valid := newValidShapes()
	for _, approve := range []session.Approval{session.Ask, session.Always, session.Never} {
		t.Run(string(approve), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(today))
				b := newFaultBench(t, valid)
				defer b.close()
				seen := map[string]bool{}
				for _, c := range corruptions() {
					if approve != session.Ask && c.stop || approve == session.Never && c.result != nil {
						continue // There is no question to stop at, or the tool does not run.
					}
					b.newLiveChat(c, approve).act()
					seen[c.kind] = true
				}
				for n := range 15 {
					if kind := fmt.Sprintf("C%d", n+1); approve == session.Ask && !seen[kind] {
						t.Errorf("no chat shows %s", kind)
					}
				}
			})
		})
	}
}

// liveChat is a chat in which a corruption happens.
type liveChat struct {
	*actor
	corruption
	approve session.Approval
	asked   int
	allowed map[string]bool // arguments that the user said yes to
	ran     []string
}

func (b *faultBench) newLiveChat(c corruption, approve session.Approval) *liveChat {
	f := llmtest.Fault{Name: c.what, Stream: c.stream, Whole: true, End: llmtest.Closes, Times: 1}
	stage := c.stage
	if stage == "" {
		stage = llmtest.Calls
	}
	switch {
	case c.fault != "":
		all := llmtest.Faults()
		f = all[slices.IndexFunc(all, func(f llmtest.Fault) bool { return f.Name == c.fault })]
	case c.stream == "":
		f = llmtest.Fault{Name: c.what, While: "no request holds this"}
	}
	return &liveChat{actor: b.actor(cell{fault: f, stage: stage}), corruption: c, approve: approve, allowed: map[string]bool{}}
}

func (c *liveChat) failf(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("%s, %s, approve %s: %s", c.kind, c.actor.cell.fault.Name, c.approve, fmt.Sprintf(format, args...))
}

// liveDeps are those of the cell, with a tool that notes what it ran with.
func (c *liveChat) liveDeps() session.Deps {
	d := c.actor.deps()
	box := new(tool.Toolbox)
	offered := c.tools().Tools()[0]
	box.Register(offered, func(_ context.Context, arguments json.RawMessage) (string, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ran = append(c.ran, string(arguments))
		if c.result != nil {
			return *c.result, nil
		}
		return llmtest.Result, nil
	})
	e := d.Models.Endpoints()[0]
	e.Tools = box
	d.Models.Add(e)
	d.Approve = c.approve
	c.valid.register(d.Models)
	return d
}

func (c *liveChat) act() {
	d := c.liveDeps()
	s := c.actor.open(d)
	ctx, stop := context.WithCancel(c.t.Context())
	defer stop()
	for event := range s.Send(ctx, faultQuestion, history.Part{Kind: history.TextPart, Name: "places.txt", Text: "the harbour, the pier"}) {
		if e, ok := event.(session.Asked); ok {
			c.asked++
			switch {
			case c.stop:
				stop()
			case c.approve == session.Ask:
				c.allowed[e.Arguments.Object] = true
				e.Answer(approval.Answer{Choice: approval.Once})
			default: // Only a repaired call is asked about here.
				e.Answer(approval.Answer{Choice: approval.No})
			}
		}
	}
	c.session = s.Info().ID
	s.Close(c.t.Context())
	came := c.all()
	if c.damage != nil {
		if query := c.damage(c); query != "" {
			db := openSQL(c.t, c.store.Path())
			if _, err := db.Exec(query); err != nil {
				c.t.Fatal(err)
			}
			db.Close()
		}
	}
	c.server.Heal()
	s = c.actor.open(d)
	defer s.Close(c.t.Context())
	before := c.all()
	last := int(before[len(before)-1].ID)
	sum := everyRow(c.t, c.store.Path(), last)
	plan, err := s.Preview(faultNext)
	if err != nil {
		c.failf("the next request cannot be planned: %v", err)
		return
	}
	planned := plan.Entries.List()
	if err := c.valid.accepted(c.actor, s); err != nil {
		c.failf("%v", err)
	}
	for event := range s.Send(c.t.Context(), faultNext) {
		switch e := event.(type) {
		case session.Asked:
			e.Answer(approval.Answer{Choice: approval.No})
		case session.Planned:
			planned = append(planned, e.Plan.Entries.List()...) // What waited for an answer is left unanswered by the next message.
		case session.Finished:
			if e.Err != nil {
				c.failf("the conversation does not go on: %v", e.Err)
			}
		}
	}
	if !slices.ContainsFunc(planned, func(e history.Entry) bool {
		return slices.ContainsFunc(e.Repairs, func(r history.Repair) bool { return r.Kind == c.kind })
	}) {
		c.failf("no plan names a repair of this kind: %s", transcriptOf(before))
	}
	if after := c.all(); after[len(after)-1].Content != llmtest.FirstHalf+llmtest.SecondHalf {
		c.failf("the next answer is %q", after[len(after)-1].Content)
	}
	if everyRow(c.t, c.store.Path(), last) != sum {
		c.failf("what was stored has changed")
	}
	out, said, code := c.winnow(nobody{}, "", "repair", c.session, "--dry-run", "--json")
	if code != OK || !strings.Contains(out, fmt.Sprintf("%q", c.kind)) {
		c.failf("winnow repair ends with %d and says %s%s", code, out, said)
	}
	c.checkRuns(came)
}

// checkRuns wants that a tool ran with arguments as they came, or with repaired ones that the user said yes to, and
// that calls which do not run by themselves were asked about.
func (c *liveChat) checkRuns(rows []store.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, arguments := range c.ran {
		if !c.allowed[arguments] && !slices.ContainsFunc(rows, func(m store.Message) bool {
			return slices.ContainsFunc(m.ToolCalls, func(call history.ToolCall) bool { return strings.TrimSpace(call.Arguments) == arguments })
		}) {
			c.failf("the tool ran with %q, which did not come so and which nobody allowed", arguments)
		}
	}
	if c.approve == session.Never && len(c.ran) > 0 || c.approve == session.Ask && len(c.ran) > c.asked {
		c.failf("the tool ran with %q after %d questions", c.ran, c.asked)
	}
}

// all are the messages of the conversation.
func (c *liveChat) all() []store.Message {
	rows, err := c.store.Messages(c.t.Context(), c.session)
	if err != nil || len(rows) == 0 {
		c.t.Fatalf("%s: %d messages, %v", c.kind, len(rows), err)
	}
	return rows
}

// row is the first message that is of a kind.
func (c *liveChat) row(is func(store.Message) bool) int64 {
	rows := c.all()
	at := slices.IndexFunc(rows, is)
	if at < 0 {
		c.t.Fatalf("%s: no such message in %s", c.kind, transcriptOf(rows))
	}
	return rows[at].ID
}

// late stores a message of the user's and then the result of the call before it.
func (c *liveChat) late() string {
	c.add(history.Message{Role: history.User, Content: "Never mind."})
	c.add(history.Message{Role: history.Tool, ToolCallID: llmtest.CallID, Name: llmtest.Tool, Content: llmtest.Result})
	return ""
}

// glued stores a call whose arguments run together, and its result.
func (c *liveChat) glued() string {
	c.add(history.Message{Role: history.User, Content: "The pier and the wall?"})
	c.add(history.Message{Role: history.Assistant, ToolCalls: []history.ToolCall{{ID: "call_9", Name: llmtest.Tool, Arguments: `{"place":"pier"}{"place":"wall"}`}}})
	c.add(history.Message{Role: history.Tool, ToolCallID: "call_9", Name: llmtest.Tool, Content: llmtest.Result})
	return ""
}

// system stores a system message.
func (c *liveChat) system() string {
	c.add(history.Message{Role: history.System, Content: "From now on answer in French."})
	return ""
}

func (c *liveChat) add(m history.Message) {
	row, err := c.store.Session(c.t.Context(), c.session)
	if err == nil {
		m.Status = history.Complete
		_, err = c.store.Append(c.t.Context(), store.Message{Session: row.ID, Parent: row.Leaf, Message: m})
	}
	if err != nil {
		c.t.Fatal(err)
	}
}
