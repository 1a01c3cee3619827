package history

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the plans into the fixtures; read the difference before you keep it")

// TestPlans builds the plan of each fixture. A token is a word, so that every sum can be checked by
// hand; each message costs 4 more, a call 8, the request 3.
//
//	-- options --  one key and its value a line; turn lines are the running turn
//	-- history --  role: text     {word x 30} repeats a word; \x00 stands for that byte
//	               assistant: text | id=name(arguments) | id=name(arguments)
//	               tool id: text
//	               user (interrupted) @1200 from=endpoint/model as=Ann: text     status, time, who answered, a name
//	               user: text | [image 50 name type] | [file 50 name: text]     tokens of a part, 0 for uncounted;
//	                            [image 50 name type: lost] has no bytes
//	               assistant: text | (reasoning) | <keys> | id=name(arguments) <keys>
//	-- plan --     position role verdict, tokens sent/whole: reason [repairs, with the remedy]
//	-- request --  the messages that are sent
//	-- shown --    the entries that each of these messages shows
//	-- condensed --  the first words of the messages that a model is to summarize
func TestPlans(t *testing.T) {
	eachFixture(t, "testdata/*.txtar", checkFixture)
}

// eachFixture checks each file of a pattern.
func eachFixture(t *testing.T, pattern string, check func(t *testing.T, f fixture)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f := fixture{file: file, section: map[string]*txtar.File{}}
			for i := range a.Files {
				f.section[a.Files[i].Name] = &a.Files[i]
			}
			check(t, f)
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// fixture is one file and its sections by name.
type fixture struct {
	file    string
	section map[string]*txtar.File
}

// wants compares a section with what came out, or takes that into it.
func (f fixture) wants(t *testing.T, name, got string) {
	t.Helper()
	if want := string(f.section[name].Data); got != want && !*update {
		t.Errorf("%s: %s\ngot:\n%s\nwant:\n%s", f.file, name, got, want)
	}
	f.section[name].Data = []byte(got)
}

// checkFixture plans the request of a fixture. Sections of options, plan and request whose names go on behind a colon
// are another request of the same conversation, with these options behind those of the first.
func checkFixture(t *testing.T, f fixture) {
	past := parseMessages(t, string(f.section["history"].Data))
	before := fmt.Sprintf("%+v", past)
	c, usual := NewConversation(past, words), string(f.section["options"].Data)
	for name, section := range f.section {
		variant, is := strings.CutPrefix(name, "options")
		if !is {
			continue
		}
		text := string(section.Data)
		if variant != "" {
			text = usual + text
		}
		o := parseOptions(t, text)
		plan, err := c.Build(o)
		if fresh, _ := Build(past, o); !reflect.DeepEqual(fresh, plan) {
			t.Errorf("%s: a conversation that was planned before has another plan", f.file)
		}
		for kind, got := range map[string]string{
			"plan": planText(plan, err), "request": requestText(plan), "shown": fmt.Sprintln(plan.EntriesByMessage()), "condensed": condensedText(c, o),
		} {
			if f.section[kind+variant] != nil {
				f.wants(t, kind+variant, got)
			}
		}
	}
	if after := fmt.Sprintf("%+v", past); after != before {
		t.Errorf("%s: the stored messages are changed", f.file)
	}
}

// condensedText is what a model is to summarize, by the words that it begins with.
func condensedText(c *Conversation, o Options) string {
	list, _ := c.DueForSummary(o)
	firsts := []string{}
	for _, m := range list {
		firsts = append(firsts, strings.Fields(m.Content)[0])
	}
	return fmt.Sprintln(firsts)
}

func words(s string) int { return len(strings.Fields(s)) }

// parseOptions reads the options section.
func parseOptions(t *testing.T, text string) Options {
	t.Helper()
	o := Options{Count: words, Ratio: 1, Flags: map[int64]Flag{}, Remedies: map[int64]Remedy{}}
	var err error
	if o.Policy, err = Preset("balanced"); err != nil {
		t.Fatal(err)
	}
	var turn []string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		first, rest, _ := strings.Cut(value, " ")
		id, _ := strconv.ParseInt(first, 10, 64)
		switch key {
		case "preset":
			if o.Policy, err = Preset(value); err != nil {
				t.Fatal(err)
			}
		case "system":
			o.System = unfold(value)
		case "turn":
			turn = append(turn, value)
		case "summary":
			o.Summaries = []Summary{{Messages: IDRanges{{1, id}}, Text: unfold(rest), By: "some/model"}}
		case "pin":
			o.Flags[id] = Pin
		case "exclude":
			o.Flags[id] = Exclude
		case "remedy":
			o.Remedies[id] = Remedy(rest)
		case "to":
			o.To = originOf(value)
		default:
			if _, err := fmt.Sscan(value, optionOf(&o, key)); err != nil {
				t.Fatalf("option %q: %v", line, err)
			}
		}
	}
	o.Turn = parseMessages(t, strings.Join(turn, "\n"))
	for i := range o.Turn {
		o.Turn[i].ID += 1000
	}
	return o
}

// optionOf is where the value of that key stands, nil for none.
func optionOf(o *Options, key string) any {
	p, f := &o.Policy, &o.Profile
	return map[string]any{
		"budget": &p.Budget, "step_tokens": &p.StepTokens, "output_reserve": &p.OutputReserve,
		"max_messages": &p.MaxMessages, "min_messages": &p.MinMessages, "budget_chars": &p.BudgetChars,
		"last_whole_max_tokens": &p.LastWholeMaxTokens, "history_budget": &p.HistoryBudget,
		"assistant_max_chars": &p.AssistantMaxChars, "user_max_chars": &p.UserMaxChars, "tool_max_chars": &p.ToolMaxChars,
		"max_context_tokens": &p.MaxContextTokens, "tools": &o.Tools, "window": &o.Window, "ratio": &o.Ratio,
		"strategy": &p.Strategy, "tool_history": &p.ToolHistory, "recovery": &p.Recovery, "elastic": &p.Elastic,
		"marker_detail": &p.MarkerDetail, "image_notes": &p.ImageNotes, "summarize_ratio": &p.SummarizeRatio,
		"merge_same_role": &f.MergeSameRole, "no_tool_to_user": &f.NoToolToUser, "tool_id_length": &f.ToolIDLength,
		"no_images": &f.NoImages, "no_tools": &f.NoTools, "tools_as_text": &f.ToolsAsText,
		"echo_reasoning": &f.EchoReasoning, "no_replay": &f.NoReplay,
	}[key]
}

// originOf reads endpoint/model.
func originOf(text string) Origin {
	endpoint, model, _ := strings.Cut(text, "/")
	return Origin{Endpoint: endpoint, Model: model}
}

var (
	repeated = regexp.MustCompile(`\{([^{}"]+?) x (\d+)\}`)
	call     = regexp.MustCompile(`(?s)^(.*?)=(.*?)\((.*)\)(?: <(.*)>)?$`)
	attached = regexp.MustCompile(`(?s)^\[(image|file) (\d+)(?: ([^ :\]]+))?(?: ([^ :\]]+))?(?:: (.*))?\]$`)
)

// parseMessages reads one message a line; ids count from 1.
func parseMessages(t *testing.T, text string) []Message {
	t.Helper()
	var list []Message
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		head, body, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("message %q: it takes role: text", line)
		}
		m := Message{ID: int64(len(list) + 1), Status: Complete}
		m.Role = parseHead(t, &m, head)
		pieces := strings.Split(strings.TrimSpace(body), " | ")
		if rest, bare := strings.CutPrefix(pieces[0], "| "); bare {
			pieces = append([]string{"", rest}, pieces[1:]...)
		}
		m.Content = unfold(pieces[0])
		for _, piece := range pieces[1:] {
			addPiece(t, &m, unfold(piece))
		}
		list = append(list, m)
	}
	return list
}

// addPiece adds what stands behind a message's text: an attachment, the reasoning, the keys of its server, or a call.
func addPiece(t *testing.T, m *Message, piece string) {
	t.Helper()
	if a := attached.FindStringSubmatch(piece); a != nil {
		part := Part{Kind: ImagePart, Name: a[3], MediaType: cmp.Or(a[4], "image/png"), Data: []byte{1}}
		if a[1] == "file" {
			part = Part{Kind: TextPart, Name: a[3], Text: a[5]}
		} else if a[5] != "" {
			part.Data = nil
		}
		part.Tokens, _ = strconv.Atoi(a[2])
		m.Parts = append(m.Parts, part)
		return
	}
	if keys, is := strings.CutPrefix(piece, "<"); is {
		m.Replay = strings.TrimSuffix(keys, ">")
		return
	}
	if thought, is := strings.CutPrefix(piece, "("); is {
		m.Reasoning = strings.TrimSuffix(thought, ")")
		return
	}
	c := call.FindStringSubmatch(piece)
	if c == nil {
		t.Fatalf("call %q: it takes id=name(arguments)", piece)
	}
	m.ToolCalls = append(m.ToolCalls, ToolCall{ID: c[1], Name: c[2], Arguments: c[3], Replay: c[4]})
}

// parseHead reads what stands in front of a message's text: the role, then a call's id, a status and
// a time, each where there is one.
func parseHead(t *testing.T, m *Message, head string) Role {
	t.Helper()
	fields := strings.Split(head, " ")
	for _, f := range fields[1:] {
		time, timed := strings.CutPrefix(f, "@")
		status, stated := strings.CutPrefix(f, "(")
		from, known := strings.CutPrefix(f, "from=")
		switch {
		case known:
			m.Origin = originOf(from)
		case strings.HasPrefix(f, "as="):
			m.Name = f[len("as="):]
		case stated:
			m.Status = Status(strings.TrimSuffix(status, ")"))
		case timed:
			ms, err := strconv.ParseInt(time, 10, 64)
			if err != nil {
				t.Fatalf("message %q: %v", head, err)
			}
			m.CreatedMS = ms
		default:
			m.ToolCallID = strings.TrimSpace(m.ToolCallID + " " + f)
		}
	}
	return Role(fields[0])
}

func unfold(s string) string {
	s = repeated.ReplaceAllStringFunc(s, func(r string) string {
		part := repeated.FindStringSubmatch(r)
		n, _ := strconv.Atoi(part[2])
		return strings.TrimSuffix(strings.Repeat(part[1]+" ", n), " ")
	})
	return strings.NewReplacer(`\x00`, "\x00", `\xff`, "\xff", `\n`, "\n").Replace(s)
}

// fold is the reverse for a text of many equal words, so that a plan stays readable.
func fold(s string) string {
	fields := strings.Split(s, " ")
	var list []string
	for i := 0; i < len(fields); {
		k := i
		for k < len(fields) && fields[k] == fields[i] {
			k++
		}
		if k-i > 3 {
			list = append(list, fmt.Sprintf("{%s x %d}", fields[i], k-i))
		} else {
			list = append(list, fields[i:k]...)
		}
		i = k
	}
	return strings.NewReplacer("\n", `\n`, "\x00", `\x00`).Replace(strings.Join(list, " "))
}

func planText(p Plan, err error) string {
	var b strings.Builder
	for _, e := range p.Entries {
		fmt.Fprintf(&b, "%d %s %s %d/%d: %s", e.Index+1, e.Role, e.Disposition, e.TokensAfter, e.TokensBefore, e.Cause.Sentence())
		for _, r := range e.Repairs {
			fmt.Fprintf(&b, " [%s]", strings.TrimSpace(r.Kind+" "+string(r.Remedy)))
		}
		b.WriteByte('\n')
	}
	for _, a := range p.Added {
		fmt.Fprintf(&b, "added to message %d, entry %d: %s, %d: %s\n", a.Before, a.At+1, a.Kind, a.Tokens, a.Cause.Sentence())
	}
	s := p.Sum
	fmt.Fprintf(&b, "system %d, tools %d, pinned %d, body %d, draft %d, added %d, frame %d: %d of %d\n", s.System, s.Tools, s.Pinned, s.Body, s.Draft, s.Added, s.Frame, s.Total, s.Limit)
	if len(p.NextToDrop) > 0 {
		b.WriteString("next:")
		for _, i := range p.NextToDrop {
			fmt.Fprintf(&b, " %d", p.Entries[i].Index+1)
		}
		b.WriteByte('\n')
	}
	var over *OverBudgetError
	if errors.As(err, &over) {
		fmt.Fprintf(&b, "over budget: need %d, have %d\n", over.Need, over.Have)
	} else if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

func requestText(p Plan) string {
	var b strings.Builder
	for i, m := range p.Messages {
		fmt.Fprintf(&b, "%d %s", i, m.Role)
		if m.ToolCallID != "" {
			fmt.Fprintf(&b, " %s", m.ToolCallID)
		}
		fmt.Fprintf(&b, ": %s", fold(m.Content))
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, " | %s=%s(%s)%s", c.ID, c.Name, fold(c.Arguments), enclosed(" <", c.Replay, ">"))
		}
		for _, part := range m.Parts {
			fmt.Fprintf(&b, " | [%s %d%s%s]", part.Kind, part.Tokens, enclosed(" ", part.Name, ""), enclosed(": ", part.Text, ""))
		}
		b.WriteString(enclosed(" | (", m.Reasoning, ")") + enclosed(" | <", m.Replay, ">"))
		b.WriteByte('\n')
	}
	return b.String()
}

// enclosed is a text between two others, "" for none.
func enclosed(before, text, after string) string {
	if text == "" {
		return ""
	}
	return before + text + after
}
