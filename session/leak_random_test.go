package session

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/record"
	"winnow/session/store"
)

var (
	soak = flag.Int("soak", 0, "look for leaks in so many random conversations")
	seed = flag.Uint64("seed", 0, "the seed of the first random conversation; 0 takes a new one for a soak and "+
		"always the same otherwise")
)

// This test plays random scripts in which each message, call and result contains a unique token. No token of an
// excluded message may be in a later request, be it for an answer, a summary or a title. A message that is sent alone
// comes with no token of another turn. Models that are asked for a summary or a title repeat every token they get.
// Complete messages never change in the store, and all requests can be proven at the end.
func TestNothingExcludedIsInAnyRequest(t *testing.T) {
	t.Parallel()
	from, n := uint64(1), 60
	if *soak > 0 {
		from, n = uint64(time.Now().UnixNano()), *soak
	}
	if *seed > 0 {
		from = *seed
	}
	for i := range uint64(n) {
		t.Run(fmt.Sprint("-soak 1 -seed ", from+i), func(t *testing.T) {
			t.Parallel()
			(&leaking{
				play: &play{bench: newBench(t), names: map[string]int64{}, receipts: map[int64]record.Receipt{}},
				dice: rand.New(rand.NewPCG(from+i, 18)), rows: map[int64]string{},
			}).hold()
		})
	}
}

// leaking is one random conversation with its server.
type leaking struct {
	*play
	dice   *rand.Rand
	rows   map[int64]string // the complete messages as they were first read
	tokens atomic.Int64

	older map[string]bool // tokens that must not be sent, while only the turn itself may be
}

// tokenPattern finds the tokens in a text.
var tokenPattern = regexp.MustCompile(`tok[0-9a-f]{8}q`)

// text returns a text with a unique token at its beginning, middle and end.
func (l *leaking) text(words int) string {
	topics := []string{"garden", "engine", "violin", "harbour", "granite", "lantern"}
	token := fmt.Sprintf("tok%08xq", l.tokens.Add(1))
	filler := strings.Repeat(topics[l.dice.IntN(len(topics))]+" and ", words/2)
	return token + " " + filler + token + " " + filler + token
}

// oneOf returns one of the texts.
func (l *leaking) oneOf(list ...string) string { return list[l.dice.IntN(len(list))] }

// hold plays the conversation.
func (l *leaking) hold() {
	box := &tool.Toolbox{}
	box.Register(tool.Tool{Name: "look", Description: "looks", Parameters: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, json.RawMessage) (string, error) { return l.text(1 + l.dice.IntN(300)), nil })
	l.deps.MaxRounds, l.deps.TitleModel, l.deps.SummaryModel = 3, "test/titles", l.oneOf("", "test/notes", "gone/notes")
	l.deps.Approval.Mode, l.doubt = approval.ModeAsk, "a stored message is damaged"
	l.configure(func(e *llm.Endpoint) {
		e.Tools, e.MaxAttempts = box, 1
		e.Profile = history.Profile{MergeSameRole: l.dice.IntN(4) == 0, NoToolToUser: l.dice.IntN(4) == 0}
	})
	l.steps = slices.Repeat([]step{l.reply}, 1000)
	if l.dice.IntN(3) == 0 {
		l.plays("import %s", l.damaged())
	}
	for range 6 + l.dice.IntN(14) {
		l.act()
		l.checkRows()
	}
	l.wantAllProven()
}

// damaged returns a conversation that lacks some calls and results.
func (l *leaking) damaged() string {
	call := func() string { return fmt.Sprintf(`call look {"a":"%s"`, l.text(0)) }
	parts := []string{
		"system " + l.text(2), "user " + l.text(8), call(), "tool " + l.text(3), "tool " + l.text(3),
		"user " + l.text(30), "tool " + l.text(4), "system " + l.text(2), "assistant " + l.text(40), call(),
		"user " + l.text(5), "tool " + l.text(5), "assistant " + l.text(50),
	}
	return strings.Join(slices.DeleteFunc(parts, func(string) bool { return l.dice.IntN(8) == 0 }), " | ")
}

// reply answers, calls tools, breaks off, or repeats the tokens of the request.
func (l *leaking) reply(w http.ResponseWriter, r *http.Request) {
	body := l.script.body(l.requests())
	l.wantNothingHidden(body)
	given := tokenPattern.FindAllString(body, -1)
	slices.Sort(given)
	echo := strings.Join(slices.Compact(given), " ")
	switch {
	case strings.Contains(body, summaryPrompt):
		says("Notes: "+echo)(w, r)
	case strings.Contains(body, titlePrompt):
		says("Title "+echo)(w, r)
	case l.dice.IntN(12) == 0:
		refuses(http.StatusBadRequest, `{"error":{"message":"no"}}`)(w, r)
	case strings.Contains(body, `"tools"`) && l.dice.IntN(3) == 0:
		delta(w, map[string]any{"content": l.text(4)})
		arguments := fmt.Sprintf(`{"a":"%s"}`, l.text(2))
		calls(fmt.Sprint("call", l.tokens.Load()), "look", arguments[:len(arguments)-l.dice.IntN(4)/3])(w, r)
	case l.dice.IntN(15) == 0:
		breaks(l.text(10))(w, r)
	default:
		says(l.text(2+l.dice.IntN(60)))(w, r)
	}
}

// stored returns the messages of all branches.
func (l *leaking) stored() []store.Message {
	if l.s == nil || l.s.Info().ID == "" {
		return nil
	}
	all, err := l.deps.Store.Messages(context.Background(), l.s.Info().ID)
	if err != nil {
		l.t.Errorf("read the messages: %v", err)
	}
	return all
}

// tokensOf returns the tokens of a message and its calls.
func tokensOf(m store.Message) []string { return tokenPattern.FindAllString(m.TextWithCalls(), -1) }

// wantNothingHidden checks that a request contains nothing that is excluded or older than what may be sent.
func (l *leaking) wantNothingHidden(body string) {
	flags := l.s.State().Flags
	for _, m := range l.stored() {
		excluded := slices.ContainsFunc(l.s.ToolGroup(m.ID), func(id int64) bool { return flags[id] == history.Exclude })
		for _, token := range tokensOf(m) {
			if (excluded || l.older[token]) && strings.Contains(body, token) {
				l.t.Errorf("message %d is excluded, %t, or older than what is sent alone, and is in the request "+
					"%s\nafter\n%s", m.ID, excluded, body, strings.Join(l.played, "\n"))
				return
			}
		}
	}
}

// checkRows checks that the stored messages have not changed.
func (l *leaking) checkRows() {
	for _, m := range l.stored() {
		if m.Status == history.Streaming {
			continue
		}
		// Token counts and failures may be added later.
		m.Tokens, m.Tokenizer, m.Siblings, m.Sibling, m.Fault = 0, "", 0, 0, ""
		now := fmt.Sprintf("%+v", m)
		if was, known := l.rows[m.ID]; known && now != was {
			l.t.Fatalf("message %d was stored as\n%s\nand is\n%s", m.ID, was, now)
		}
		l.rows[m.ID] = now
	}
}

// plays plays a line, whatever comes of it. Questions are answered at random, sometimes after a message was excluded.
func (l *leaking) plays(format string, args ...any) {
	l.answers = nil
	for range 6 {
		meanwhile := ""
		if l.dice.IntN(3) == 0 {
			meanwhile = fmt.Sprint("; exclude -", 1+l.dice.IntN(4))
		}
		l.answers = append(l.answers, l.oneOf("no", "once", "once", "once", "once", "once")+meanwhile)
	}
	l.line = fmt.Sprintf(format, args...)
	l.played = append(l.played, l.line)
	l.do(l.line)
	l.err, l.said, l.asked = nil, nil, nil
}

// act does one thing. A message is named m and its id.
func (l *leaking) act() {
	all := l.stored()
	l.older = nil
	if len(all) == 0 {
		l.plays("send %s", l.text(8))
		return
	}
	picked := all[l.dice.IntN(len(all))]
	name := fmt.Sprint("m", picked.ID)
	l.names[name] = picked.ID
	at := 1 + l.dice.IntN(l.s.Branch().Len()) // on the loaded branch
	switch l.dice.IntN(20) {
	case 0, 1, 2, 3:
		draft := l.text(2 + l.dice.IntN(80))
		l.plays("preview send %s", draft)
		l.wantNothingHidden(l.previewed)
		l.plays("send %s", draft)
	case 4:
		l.alone(all, nil)
		l.plays("alone %s", l.text(2+l.dice.IntN(80)))
	case 5, 6, 7:
		l.plays("%s %d", l.oneOf("exclude", "exclude", "pin", "free"), at)
	case 8:
		l.plays("compact")
	case 9, 11:
		if user, there := question(all, picked.ID); there && user.Alone {
			l.alone(all, tokensOf(user))
		}
		l.plays("again %s", name)
	case 10:
		user, there := question(all, picked.ID)
		if !there {
			return
		}
		if user.Alone {
			l.alone(all, nil)
		}
		l.names[name] = user.ID
		draft := l.text(2 + l.dice.IntN(40))
		l.plays("preview edit %s %s", name, draft)
		l.wantNothingHidden(l.previewed)
		l.plays("edit %s %s", name, draft)
	case 12:
		l.plays("switch %s", name)
	case 13:
		l.plays("preset %s", l.oneOf(history.Presets()...))
	case 14:
		l.plays("budget %s", l.oneOf("0", "600", "900", "1500", "3000"))
	case 15:
		l.plays("retitle asked")
	case 16:
		l.plays("fork %s", name)
	case 17:
		l.plays("open")
	case 18:
		l.plays("always %s", l.oneOf("true", "false"))
	case 19:
		l.plays("remedy %s %s", name, l.oneOf("", "text", "drop"))
	}
}

// alone forbids the tokens of all stored messages, except for those of a question.
func (l *leaking) alone(all []store.Message, question []string) {
	l.older = map[string]bool{}
	for _, m := range all {
		for _, token := range tokensOf(m) {
			l.older[token] = !slices.Contains(question, token)
		}
	}
}

// question returns the user message of the turn that a message belongs to.
func question(all []store.Message, id int64) (store.Message, bool) {
	for {
		at := slices.IndexFunc(all, func(m store.Message) bool { return m.ID == id })
		if at < 0 || all[at].Role == history.User {
			return all[max(0, at)], at >= 0
		}
		id = all[at].Parent
	}
}
