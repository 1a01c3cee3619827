package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/keys"
	"winnow/llm/pricing"
	"winnow/llm/tool"
	"winnow/session/approval"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
)

// TestScripts plays the scripts in testdata: conversations with a server that follows the script. Each section of a
// file is a script with one command per line; see scriptCommands. {N*TEXT} repeats a text. A script must name every
// error, notice and question of an action, in their order, before the next action. At its end every request must be
// reproducible from its record, byte for byte.
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of scripts: %v", len(files), err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, script := range archive.Files {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+script.Name, func(t *testing.T) {
				t.Parallel()
				p := &play{bench: newBench(t), names: map[string]int64{}, receipts: map[int64]record.Receipt{}}
				for line := range strings.Lines(string(script.Data)) {
					p.line = strings.TrimSuffix(line, "\n")
					p.do(p.line)
				}
				p.line = "the end"
				p.settled()
				p.wantAllProven()
			})
		}
	}
}

// play is the state of a running script.
type play struct {
	*bench
	line  string           // being played
	s     *Session         // nil before the first action
	names map[string]int64 // message ids by the names of the script
	hung  chan struct{}    // closed when the server or a tool hangs
	words string           // sent by the server before it hangs

	running <-chan Event // of the started turn
	stop    context.CancelFunc

	acting           bool // an action is running
	err              error
	events           []string // types of the events, without repetitions
	said, asked, ran []string
	answers          []string // to the next questions, each optionally followed by "; " and a command to be played first
	plan             history.Plan
	forecast         record.Forecast
	receipts         map[int64]record.Receipt // by request
	receipt          record.Receipt
	body             string   // the request that is compared, "" for the last one
	previewed        string   // body of the last preview
	doubt            string   // why a request may be irreproducible
	played           []string // the lines so far, in a random script
}

var repeated = regexp.MustCompile(`\{(\d+)\*([^}]*)\}`)

// do plays a line.
func (p *play) do(line string) {
	p.t.Helper()
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	line = repeated.ReplaceAllStringFunc(line, func(found string) string {
		part := repeated.FindStringSubmatch(found)
		return strings.Repeat(part[2], p.number(part[1]))
	})
	name, arg, _ := strings.Cut(line, " ")
	switch command := scriptCommands()[name]; {
	case slices.Contains([]string{"send", "alone", "cut", "edit", "again", "compact"}, name):
		p.acts(func() error { return p.turn(p.begins(p.t.Context(), line)) })
	case command != nil:
		command(p, arg)
	default:
		p.t.Fatalf("there is no command %s", line)
	}
}

// acts runs an action of the user. An action during another one must not fail.
func (p *play) acts(act func() error) {
	p.t.Helper()
	if p.acting {
		if err := act(); err != nil {
			p.t.Errorf("%.200s: %v", p.line, err)
		}
		return
	}
	p.settled()
	if p.acting, p.events, p.ran, p.body = true, nil, nil, ""; p.s == nil {
		p.s = p.begin()
	}
	p.err = act()
	p.acting = false
}

// settled fails the script if it has not named everything that came of its last action.
func (p *play) settled() {
	p.t.Helper()
	if p.err != nil || len(p.said) > 0 || len(p.asked) > 0 {
		p.t.Fatalf("before %.200s: not named are the error %v, what was said, %q, and what was asked, %q", p.line,
			p.err, p.said, p.asked)
	}
}

// want compares.
func (p *play) want(got, want string) {
	p.t.Helper()
	if got != want {
		p.t.Errorf("%.200s: it is\n%s\nwant\n%s", p.line, got, want)
	}
}

// next removes the first item of a list, which must contain a text.
func (p *play) next(list *[]string, text string) {
	p.t.Helper()
	if len(*list) == 0 || !strings.Contains((*list)[0], text) {
		p.t.Fatalf("%s: there is %q (%v)", p.line, *list, p.err)
	}
	*list = (*list)[1:]
}

func (p *play) number(text string) int {
	n, err := strconv.Atoi(cmp.Or(text, "0"))
	if err != nil {
		p.t.Fatalf("%.200s: %v", p.line, err)
	}
	return n
}

// id returns the id of a message by its name or by its number on the branch, which counts from the end if it is
// negative. Other numbers are ids.
func (p *play) id(text string) int64 {
	if id, named := p.names[text]; named {
		return id
	}
	n, length := p.number(text), 0
	if p.s != nil {
		length = p.s.Branch().Len()
	}
	if n < 0 {
		n = max(1, length+1+n)
	}
	if n > 0 && n <= length {
		return p.s.Branch().ID(n - 1)
	}
	return int64(n)
}

// begins starts a turn: "send TEXT", "alone TEXT", "cut TEXT", "edit MESSAGE TEXT", "again MESSAGE MODEL" or "compact".
func (p *play) begins(ctx context.Context, line string) <-chan Event {
	how, of, _ := strings.Cut(line, " ")
	switch how {
	case "again":
		message, ref, _ := strings.Cut(of, " ")
		return p.s.Regenerate(ctx, p.id(message), ref)
	case "compact":
		return p.s.Compact(ctx)
	}
	return p.s.Send(ctx, p.draft(line))
}

func (p *play) draft(line string) Draft {
	how, text, _ := strings.Cut(line, " ")
	d := Draft{Text: text, Alone: how == "alone", Cut: how == "cut"}
	if how == "edit" {
		message, text, _ := strings.Cut(text, " ")
		d.Replaces, d.Text = p.id(message), text
	}
	return d
}

// starts starts a turn and returns when the server or a tool hangs.
func (p *play) starts(line string) {
	p.acts(func() error {
		ctx, stop := context.WithCancel(p.t.Context())
		p.stop = stop
		p.running = p.begins(ctx, line)
		<-p.hung
		for p.words != "" && !slices.Contains(p.events, "Delta") {
			p.take(<-p.running)
		}
		return nil
	})
}

// turn reads a turn to its end.
func (p *play) turn(events <-chan Event) error {
	for e := range events {
		p.take(e)
		if f, over := e.(Finished); over {
			return f.Err
		}
	}
	return errors.New("the events ended without Finished")
}

// take handles an event, and answers questions.
func (p *play) take(e Event) {
	p.events = slices.Compact(append(p.events, strings.TrimPrefix(fmt.Sprintf("%T", e), "session.")))
	switch e := e.(type) {
	case Notice:
		p.said = append(p.said, e.Text)
	case Planned:
		p.plan, p.forecast = e.Plan, e.Forecast
	case AnswerStored:
		p.receipts[e.Message.Request], p.receipt = e.Receipt, e.Receipt
	case ToolFinished:
		p.ran = append(p.ran, fmt.Sprintf("%s by %s: %s", e.Record.Outcome, e.Record.By, e.Message.Content))
		if kept := (resultExtra{}); json.Unmarshal([]byte(e.Message.Extra), &kept) != nil || kept.Call != e.Record {
			p.t.Errorf("%s: of the call is stored %s, want %+v", p.line, e.Message.Extra, e.Record)
		}
	case ApprovalNeeded:
		p.asked = append(p.asked, fmt.Sprintf("%s %s %s %v", e.Call.Name, e.Arguments.Object, e.Reason, e.Choices))
		choice, reason, _ := strings.Cut(p.answer("once"), " ")
		e.Answer(approval.Answer{Choice: approval.Choice(choice), Reason: reason})
	case LimitExceeded:
		p.asked = append(p.asked, strings.Join(e.Over.ConfigKeys(), " "))
		e.Answer(limits.Answer(p.answer("no")))
	}
}

// answer returns the answer to a question, after playing the command that comes with it.
func (p *play) answer(usual string) string {
	answer, meanwhile, _ := strings.Cut(append(p.answers, usual)[0], "; ")
	p.answers = p.answers[min(1, len(p.answers)):]
	p.do(meanwhile)
	return answer
}

// step returns a step of the server.
func (p *play) step(arg string) step {
	kind, rest, _ := strings.Cut(arg, " ")
	first, more, _ := strings.Cut(rest, " ")
	before, then, _ := strings.Cut(rest, " | ")
	switch kind {
	case "says":
		return says(strings.SplitAfter(rest, " ")...)
	case "reports": // N TEXT: counts the request as N tokens
		return func(w http.ResponseWriter, _ *http.Request) {
			delta(w, map[string]any{"content": more})
			finish(w, "stop", p.number(first), 2)
		}
	case "usage": // JSON | TEXT
		return reports(then, before)
	case "calls": // NAME ARGUMENTS
		return calls(fmt.Sprint("c", len(p.steps)+1), first, more)
	case "refuses": // STATUS BODY
		return refuses(p.number(first), more)
	case "breaks":
		return breaks(rest)
	case "hangs":
		p.hung, p.words = make(chan struct{}), rest
		return hangs(p.hung, rest)
	case "ends": // without any text; REASON N: with a finish reason and N tokens of the request
		return func(w http.ResponseWriter, _ *http.Request) {
			if rest != "" {
				finish(w, first, p.number(more), 0)
			}
			fmt.Fprint(w, "data: [DONE]\n\n")
		}
	case "sends": // TEXT | EVENT | EVENT
		return func(w http.ResponseWriter, _ *http.Request) {
			delta(w, map[string]any{"content": before})
			for e := range strings.SplitSeq(then, " | ") {
				fmt.Fprintf(w, "data: %s\n\n", e)
			}
		}
	}
	next := p.step(then)
	switch kind {
	case "counts": // N | STEP: counts the request as about N tokens
		return func(w http.ResponseWriter, r *http.Request) {
			r.ContentLength = int64(4 * p.number(before))
			next(w, r)
		}
	case "thinks": // REASONING | STEP
		return thinks(before, next)
	}
	return func(w http.ResponseWriter, r *http.Request) { // while COMMAND | STEP
		p.do(before)
		next(w, r)
	}
}

// tools offers a tool that adds, one of an MCP server, and one that hangs until it is stopped.
func (p *play) tools(description string) {
	write := remote
	write.Description = cmp.Or(description, write.Description)
	box := writer(write)
	box.Register(addTool, add)
	p.hung = make(chan struct{})
	hang := tool.Tool{Name: "hang", Parameters: addTool.Parameters}
	box.Register(hang, func(ctx context.Context, _ json.RawMessage) (string, error) {
		close(p.hung)
		<-ctx.Done()
		return "", ctx.Err()
	})
	p.configure(func(e *llm.Endpoint) { e.Tools = box })
}

// talks holds some turns, each with unique words.
func (p *play) talks(turns int) {
	for n := range turns {
		p.steps = append(p.steps, p.step(fmt.Sprintf("reports 0 answer%d: %s", n+1,
			strings.Repeat("and so on at length. ", 12))))
		p.do(fmt.Sprintf("send question%d: %s", n+1, strings.Repeat("please explain. ", 12)))
	}
}

// imports opens a stored conversation of "user TEXT", "call NAME ARGUMENTS", "tool TEXT" and "assistant TEXT",
// separated by " | ".
func (p *play) imports(arg string) {
	c := store.ImportedConversation{Session: store.Session{Title: "imported", TitleFrom: store.TitleUser}, Leaf: -1}
	for part := range strings.SplitSeq(arg, " | ") {
		role, text, _ := strings.Cut(part, " ")
		m := history.Message{Role: history.Role(role), Content: text, Status: history.Complete}
		switch name, arguments, _ := strings.Cut(text, " "); role {
		case "call":
			m.Role, m.Content = history.Assistant, ""
			m.ToolCalls = []history.ToolCall{{ID: "call_1", Name: name, Arguments: arguments}}
		case "tool":
			m.ToolCallID = "call_1"
		}
		c.Add(store.Message{Message: m})
	}
	imported, err := p.deps.Store.Import(p.t.Context(), c)
	if err != nil {
		p.t.Fatal(err)
	}
	p.s = p.loaded(imported.Session.ID)
}

// wantMessages compares the messages in memory and in the store.
func (p *play) wantMessages(want string) {
	p.t.Helper()
	shown := func(s *Session) string {
		return strings.ReplaceAll(strings.TrimSuffix(transcript(s.Messages()), "\n"), "\n", " | ")
	}
	p.want(shown(p.s), want)
	p.want(shown(p.open(p.s.Info().ID)), want)
}

// wantAllProven checks that all requests are reproducible, and that receipts stay the same when prices change.
func (p *play) wantAllProven() {
	p.t.Helper()
	p.hosted(perMillion(999, 999))
	list, err := p.deps.Store.Sessions(p.t.Context(), store.SessionFilter{All: true})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, row := range list {
		s := p.open(row.ID)
		receipts, err := s.Records().Receipts(p.t.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		for _, r := range p.recorded(row.ID) {
			made, err := s.Records().ReplayByID(p.t.Context(), r.Turn, r.ID)
			proven := made.Proven && slices.Contains(p.bodies, string(made.Body))
			if err != nil || !proven && made.Doubt != cmp.Or(p.doubt, "none") {
				p.t.Errorf("request %d of turn %d is not made again: %v, %s\n%.400s", r.ID, r.Turn, err, made.Doubt,
					made.Body)
			}
			if live, there := p.receipts[r.ID]; there && !reflect.DeepEqual(receipts[r.ID], live) {
				p.t.Errorf("the stored receipt of request %d is\n%+v, and was\n%+v", r.ID, receipts[r.ID], live)
			}
		}
	}
}

// recorded returns the records of a conversation's requests.
func (p *play) recorded(id string) []store.Request {
	list, err := p.deps.Store.Requests(p.t.Context(), id, store.RequestFilter{})
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

// writes changes the conversation as another process would: "flag MESSAGE FLAG", "remedy MESSAGE REMEDY", "append
// MESSAGE TEXT | TEXT", "leaf MESSAGE", "permit TOOL PERMISSION", "purge", or "title", "tag", "system" or "override"
// with a text.
func (p *play) writes(arg string) (err error) {
	ctx, id, db := p.t.Context(), p.s.Info().ID, p.beside()
	what, text, _ := strings.Cut(arg, " ")
	of, rest, _ := strings.Cut(text, " ")
	update := func(change func(row *store.Session)) error { return db.UpdateSession(ctx, id, change) }
	switch what {
	case "flag":
		_, err = db.SetFlags(ctx, map[int64]history.Flag{p.id(of): history.Flag(rest)})
	case "remedy":
		err = db.SetRemedies(ctx, history.Remedy(rest), p.id(of))
	case "append":
		err = p.appends(db, p.id(of), strings.Split(rest, " | "))
	case "permit":
		err = db.SetToolPermission(ctx, store.ToolPermission{Name: of, Permission: rest})
	case "purge":
		p.Unrecorded = p.requests()
		if err = db.Purge(ctx, id); errors.Is(err, store.ErrNotOverwritten) {
			err = nil
		}
	case "title":
		err = update(func(row *store.Session) { row.Title, row.TitleFrom = text, store.TitleUser })
	case "leaf":
		leaf := p.id(of)
		err = update(func(row *store.Session) { row.Leaf = leaf })
	case "tag":
		err = update(func(row *store.Session) { row.Tags = []string{text} })
	case "system":
		err = update(func(row *store.Session) { row.System, row.SystemFixed = text, true })
	case "override":
		err = update(func(row *store.Session) { row.Overrides = text })
	}
	return err
}

// appends stores messages after another one: a question, its answer and so on.
func (p *play) appends(db *store.Store, parent int64, texts []string) error {
	for i, text := range texts {
		role := []history.Role{history.User, history.Assistant}[i%2]
		m, err := db.AppendMessage(p.t.Context(), store.Message{
			Session: p.s.Info().ID, Parent: parent,
			Message: history.Message{Role: role, Content: text, Status: history.Complete},
		})
		if err != nil {
			return err
		}
		parent = m.ID
	}
	return nil
}

// sets configures the conversations that begin later.
func (p *play) sets(arg string) {
	key, value, _ := strings.Cut(arg, " ")
	first, second, both := strings.Cut(value, " ")
	d := &p.deps
	texts := map[string]*string{"title": &d.TitleModel, "summary": &d.SummaryModel, "system": &d.System}
	numbers := map[string]*int{
		"rounds": &d.MaxRounds, "max_messages": &d.Policy.MaxMessages, "max_tokens": &d.Sampling.MaxTokens,
	}
	switches := map[string]*bool{
		"unattended": &d.Approval.Unattended, "recall": &d.OfferRecall, "unknown_price": &d.Limits.AskUnknownPrice,
	}
	switch {
	case texts[key] != nil:
		*texts[key] = value
		return
	case numbers[key] != nil:
		*numbers[key] = p.number(value)
		return
	case switches[key] != nil:
		*switches[key] = true
		return
	}
	switch key {
	case "approve":
		d.Approval.Mode = approval.Mode(value)
	case "allow":
		d.Approval.Allow = strings.Fields(value)
	case "recovery":
		d.Policy.Recovery = history.Recovery(value)
	case "window": // each request is tried once then
		p.believing(p.number(value))
	case "limit": // KEY N, of tokens or of cents, for the open conversation too
		scope, what, _ := strings.Cut(first, "_")
		amount := map[string]*limits.Amount{
			"request": &d.Limits.Request, "session": &d.Limits.Session, "day": &d.Limits.Day, "month": &d.Limits.Month,
		}[scope]
		if amount.Tokens = p.number(second); what == "cost" {
			*amount = limits.Amount{Cost: cent * pricing.Money(p.number(second))}
		}
		if p.s != nil {
			p.s.set(func(st *State) { st.limits = d.Limits })
		}
	case "prices": // dollars for a million tokens of requests and of answers, at somebody else's host; or none
		if p.hosted(nil); both {
			p.hosted(perMillion(pricing.Money(p.number(first)), pricing.Money(p.number(second))))
		}
	case "endpoint": // NAME WINDOW: another at the same server, with an address, a key and prices of its own
		e := d.Models.Endpoints()[0]
		e.Name, e.Key, e.Window, e.Prices = first, keys.Secret("sk-"+first), p.number(second), perMillion(1000, 2000)
		e.BaseURL = strings.TrimSuffix(e.BaseURL, "v1") + first + "/v1"
		d.Models.Add(e)
	case "path": // of the endpoint's address
		p.configure(func(e *llm.Endpoint) { e.BaseURL = strings.TrimSuffix(e.BaseURL, "/v1") + value })
	default:
		p.t.Fatalf("%s: there is nothing of that name", p.line)
	}
}

// does returns a command that is an action of the user.
func does(act func(p *play, arg string) error) func(p *play, arg string) {
	return func(p *play, arg string) { p.acts(func() error { return act(p, arg) }) }
}

// flags returns a command that sets a flag.
func flags(f history.Flag) func(p *play, arg string) {
	return does(func(p *play, arg string) error {
		_, err := p.s.SetFlags(p.t.Context(), flagged(f, p.id(arg)))
		return err
	})
}

// chooses returns a command that changes settings.
func chooses(to func(arg string) Settings) func(p *play, arg string) {
	return does(func(p *play, arg string) error { return p.s.Set(p.t.Context(), to(arg)) })
}

// scriptCommands returns the commands of scripts, besides those that start a turn. A message is named by its number on
// the branch or by a name.
func scriptCommands() map[string]func(p *play, arg string) {
	return map[string]func(p *play, arg string){
		// Conditions.
		"config": func(p *play, arg string) { p.sets(arg) },
		"tools":  func(p *play, arg string) { p.tools(arg) },
		"server": func(p *play, arg string) { p.steps = append(p.steps, p.step(arg)) },
		"states": func(p *play, arg string) { // PATH BODY: what the server says of itself
			path, body, _ := strings.Cut(arg, " ")
			p.info = map[string]func() string{path: func() string { return body }}
		},
		"talk":   func(p *play, arg string) { p.talks(p.number(arg)) },
		"import": func(p *play, arg string) { p.imports(arg) },
		"elsewhere": func(p *play, arg string) {
			if err := p.writes(arg); err != nil {
				p.t.Errorf("%s: %v", p.line, err)
			}
		},

		// Actions of the user.
		"start":  func(p *play, arg string) { p.starts(arg) },
		"stop":   func(p *play, _ string) { p.stop(); p.err = p.turn(p.running) },
		"answer": func(p *play, arg string) { p.answers = append(p.answers, arg) },
		"preview": does(func(p *play, arg string) (err error) {
			if p.plan, err = p.s.Preview(p.draft(arg)); err != nil {
				return err
			}
			body, err := p.s.Try(p.t.Context(), Settings{}).Body(p.plan)
			p.body, p.previewed = string(body), string(body)
			return err
		}),
		"retitle": does(func(p *play, arg string) error { // "asked" where the user wants it
			_, err := p.s.Retitle(p.t.Context(), arg == "asked", p.take)
			return err
		}),
		"switch": does(func(p *play, arg string) error { return p.s.SwitchBranch(p.t.Context(), p.id(arg)) }),
		"version": does(func(p *play, arg string) error { // MESSAGE BY
			message, by, _ := strings.Cut(arg, " ")
			v, err := p.s.SwitchVersion(p.t.Context(), p.id(message), p.number(by))
			if m, there, _ := p.s.Branch().ByID(v.Message); err == nil {
				p.want(fmt.Sprint(there, m.Sibling, m.Siblings), fmt.Sprint(true, v.Nth, v.Of))
			}
			return err
		}),
		"fork": does(func(p *play, arg string) error { // and opens the fork
			row, err := p.s.Fork(p.t.Context(), p.id(arg))
			p.s = p.open(cmp.Or(row.ID, p.s.Info().ID))
			return err
		}),
		"remedy": does(func(p *play, arg string) error { // MESSAGE REMEDY
			message, remedy, _ := strings.Cut(arg, " ")
			return p.s.SetRemedy(p.t.Context(), history.Remedy(remedy), p.id(message))
		}),
		"reload": does(func(p *play, want string) error { // N messages at the end; "diverged" for another branch
			found, err := p.s.Reload(p.t.Context())
			p.want(map[bool]string{true: "diverged"}[found.Diverged]+strings.Trim(fmt.Sprint(found.Added), "0"), want)
			return err
		}),
		"pin": flags(history.Pin), "exclude": flags(history.Exclude), "free": flags(""),
		"use":    chooses(func(arg string) Settings { return Settings{Model: arg} }),
		"preset": chooses(func(arg string) Settings { return Settings{Preset: arg} }),
		"rename": chooses(func(arg string) Settings { return Settings{Title: &arg} }),
		"budget": chooses(func(arg string) Settings { n, _ := strconv.Atoi(arg); return Settings{Budget: &n} }),
		"always": chooses(func(arg string) Settings { return Settings{SummaryAlways: new(arg == "true")} }),
		"size":   chooses(func(arg string) Settings { n, _ := strconv.Atoi(arg); return Settings{Window: &n} }),
		"new":    func(p *play, _ string) { p.s = nil },
		"open":   func(p *play, _ string) { p.s = p.loaded(p.s.Info().ID) },
		"restart": func(p *play, _ string) { // opens it in a new run of the program
			p.configure(func(*llm.Endpoint) {})
			p.s = p.open(p.s.Info().ID)
		},
		"name": func(p *play, arg string) { // NAME MESSAGE
			name, message, _ := strings.Cut(arg, " ")
			p.names[name] = p.id(message)
		},

		// Results, in their order.
		"fails": func(p *play, arg string) {
			p.want(fmt.Sprint(p.err != nil && strings.Contains(p.err.Error(), arg), p.err), fmt.Sprint(true, p.err))
			p.err = nil
		},
		"over": func(p *play, arg string) { // PART, BOUND: why a message is not sent
			over := (*OversizeError)(nil)
			if errors.As(p.err, &over) {
				p.want(fmt.Sprintf("%s, %s", over.Over.Parts[0].Kind, over.Over.Bound), arg)
				p.err = nil
			}
		},
		"says":  func(p *play, arg string) { p.next(&p.said, arg) },
		"asked": func(p *play, arg string) { p.next(&p.asked, arg) },
		"ran":   func(p *play, arg string) { p.next(&p.ran, arg) },

		// Comparisons.
		"events":   func(p *play, arg string) { p.want(strings.Join(p.events, " "), arg) },
		"messages": func(p *play, arg string) { p.wantMessages(arg) }, // ROLE: TEXT, with " | " between
		"requests": func(p *play, arg string) { p.want(fmt.Sprint(p.requests()), arg) },
		"request":  func(p *play, arg string) { p.body = p.script.body(p.number(arg)) }, // is looked at
		"holds":    func(p *play, arg string) { p.want(p.part(arg), arg) },
		"lacks":    func(p *play, arg string) { p.want(p.part(arg), "") },
		"once": func(p *play, arg string) { // words that exactly one request for a summary holds
			asked := strings.Join(slices.DeleteFunc(slices.Clone(p.bodies), func(body string) bool {
				return !strings.Contains(body, summaryPrompt)
			}), "")
			for word := range strings.FieldsSeq(arg) {
				p.want(fmt.Sprint(word, strings.Count(asked, word)), word+"1")
			}
		},
		"previewed": func(p *play, _ string) { p.want(p.looked(), p.previewed) },
		"key":       func(p *play, arg string) { p.want(p.keys[len(p.keys)-1], "Bearer "+arg) },
		"lost":      func(p *play, arg string) { p.want(fmt.Sprint(len(p.forecast.Losses)), arg) },
		"exceeds":   func(p *play, arg string) { p.want(p.s.ExceededLimits(p.plan).Short(), arg) },
		"system":    func(p *play, arg string) { p.want(p.s.State().System, arg) },
		"verdict": func(p *play, arg string) { // MESSAGE DISPOSITION CAUSE
			number, want, _ := strings.Cut(arg, " ")
			e := p.plan.Entries[p.number(number)-1]
			p.want(strings.TrimSpace(fmt.Sprint(e.Disposition, " ", e.Cause.Code)), want)
		},
		"window": func(p *play, arg string) { // of the last plan, which fits it
			p.want(fmt.Sprint(p.plan.Sum.Window, p.plan.Sum.Used() <= p.plan.Sum.Limit), arg+" true")
		},
		"sum": func(p *play, arg string) { // of the last plan
			sum := p.plan.Sum
			p.want(fmt.Sprintf("%d tokens, at most %d, ratio %.2f", sum.Total, sum.Limit, sum.Ratio), arg)
		},
		"receipt": func(p *play, arg string) {
			r := p.receipt
			p.want(fmt.Sprintf("turn %d, %d of %d, %s", r.Turn, r.Sent(), r.Stored, r.Cost), arg)
		},
		"versions": func(p *play, arg string) { // MESSAGE NTH OF
			number, want, _ := strings.Cut(arg, " ")
			m := p.s.Messages()[p.number(number)-1]
			p.want(fmt.Sprint(m.Sibling, m.Siblings), want)
		},
		"arguments": func(p *play, arg string) { // MESSAGE ARGUMENTS: of its call
			number, want, _ := strings.Cut(arg, " ")
			p.want(p.s.Messages()[p.number(number)-1].ToolCalls[0].Arguments, want)
		},

		// Comparisons with the store.
		"row": func(p *play, arg string) {
			r := p.stored(p.s)
			p.want(r.Title, p.s.Info().Title)
			p.want(fmt.Sprintf("%s, %d turns, %d messages, %s/%s", r.Title, r.Turns, r.Messages, r.Endpoint, r.Model),
				arg)
		},
		"records": func(p *play, arg string) { // TURN [PURPOSE] MODEL END, with " | " between
			var list []string
			for _, r := range p.recorded(p.s.Info().ID) {
				line := fmt.Sprint(r.Turn, " ", r.Purpose, " ", r.Endpoint+"/"+r.Model, " ", r.End)
				list = append(list, strings.Join(strings.Fields(line), " "))
			}
			p.want(strings.Join(list, " | "), arg)
		},
		"record": func(p *play, arg string) { // REQUEST: of which MESSAGE it is, how many were SENT, its COST and PATH
			number, want, _ := strings.Cut(arg, " ")
			r := p.recorded(p.s.Info().ID)[p.number(number)-1]
			d, err := record.ParseRequestInputs(r)
			at, _ := p.s.Branch().Find(r.User)
			_, path, _ := strings.Cut(strings.TrimPrefix(d.Base, "http://"), "/")
			p.want(fmt.Sprintf("message %d, %d sent, %s, at %s, %v", at+1, r.Tally.Sent(), pricing.Money(r.Cost), path,
				err), want+", <nil>")
		},
		"shown": func(p *play, arg string) { // TURN NTH OF: the request by which a turn is shown
			turn, want, _ := strings.Cut(arg, " ")
			r, err := p.s.Records().Find(p.t.Context(), p.number(turn), 0)
			p.want(fmt.Sprint(r.Nth, r.Of, err), want+" <nil>")
		},
		"remedies": func(p *play, arg string) { // how many messages have one, and which; here too
			of := map[history.Remedy]int{}
			decided, err := p.deps.Store.UserDecisions(p.t.Context(), p.s.Info().ID)
			for _, r := range decided.Remedies {
				of[r]++
			}
			p.want(fmt.Sprint(of, err, maps.Equal(decided.Remedies, p.s.State().Remedies)), arg+" <nil> true")
		},
		"summary": func(p *play, arg string) { // of how many messages the widest is, and by which model
			widest := slices.MaxFunc(p.s.State().summaries, func(a, b store.Summary) int {
				return a.Messages - b.Messages
			})
			p.want(fmt.Sprint(widest.Messages, " ", widest.Endpoint+"/"+widest.Model), arg)
		},
		"stale": func(p *play, arg string) { // something of it was written elsewhere
			changed, err := p.s.RefreshSettings(p.t.Context())
			p.want(fmt.Sprint(changed || p.s.State().Stale, err), arg+" <nil>")
		},
		"sessions": func(p *play, arg string) {
			list, err := p.deps.Store.Sessions(p.t.Context(), store.SessionFilter{})
			p.want(fmt.Sprint(len(list), err), arg+" <nil>")
		},
		"failure": func(p *play, arg string) { // is kept behind the last message, and behind no other
			for _, s := range []*Session{p.s, p.open(p.s.Info().ID)} {
				for i, m := range s.Messages() {
					f, failed := record.ParseFailedTurn(m)
					p.want(fmt.Sprint(failed && strings.Contains(f.What, arg)), fmt.Sprint(i == s.Branch().Len()-1))
				}
			}
		},
	}
}

// looked returns the request that is compared.
func (p *play) looked() string { return cmp.Or(p.body, p.script.body(p.requests())) }

// part returns the text if the request that is compared contains it, and "" otherwise.
func (p *play) part(text string) string {
	if strings.Contains(p.looked(), text) {
		return text
	}
	return ""
}
