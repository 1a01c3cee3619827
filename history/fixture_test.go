package history

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
//	               user (interrupted) @1200: text | [image 50]     status, time and an image's tokens
//	-- plan --     position role verdict, tokens sent/whole: reason [repairs, with the remedy]
//	-- request --  the messages that are sent
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

func checkFixture(t *testing.T, f fixture) {
	past := parseMessages(t, string(f.section["history"].Data))
	plan, err := Build(past, parseOptions(t, string(f.section["options"].Data)))
	for name, got := range map[string]string{"plan": planText(plan, err), "request": requestText(plan)} {
		if f.section[name] != nil {
			f.wants(t, name, got)
		}
	}
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
		n, _ := strconv.Atoi(value)
		p := &o.Policy
		switch key {
		case "preset":
			if *p, err = Preset(value); err != nil {
				t.Fatal(err)
			}
		case "system":
			o.System = value
		case "turn":
			turn = append(turn, value)
		case "summary":
			upto, text, _ := strings.Cut(value, " ")
			at, _ := strconv.ParseInt(upto, 10, 64)
			o.Summaries = []Summary{{Messages: IDs{{1, at}}, Text: unfold(text), By: "some/model"}}
		case "pin":
			o.Flags[int64(n)] = Pin
		case "remedy":
			message, remedy, _ := strings.Cut(value, " ")
			at, _ := strconv.ParseInt(message, 10, 64)
			o.Remedies[at] = Remedy(remedy)
		case "exclude":
			o.Flags[int64(n)] = Exclude
		case "strategy":
			p.Strategy = Strategy(value)
		case "tool_history":
			p.ToolHistory = ToolHistory(value)
		case "recovery":
			p.Recovery = Recovery(value)
		case "elastic":
			p.Elastic = value == "true"
		case "marker_detail":
			p.MarkerDetail = value == "true"
		case "merge_same_role":
			o.Profile.MergeSameRole = value == "true"
		case "ratio":
			if o.Ratio, err = strconv.ParseFloat(value, 64); err != nil {
				t.Fatal(err)
			}
		case "no_tool_to_user":
			o.Profile.NoToolToUser = value == "true"
		case "tool_id_length":
			o.Profile.ToolIDLength = n
		default:
			number := numberOption(&o, key)
			if number == nil {
				t.Fatalf("option %q: there is no such key", line)
			}
			*number = n
		}
	}
	o.Turn = parseMessages(t, strings.Join(turn, "\n"))
	for i := range o.Turn {
		o.Turn[i].ID += 1000
	}
	return o
}

// numberOption is where the number of that key stands, nil for none.
func numberOption(o *Options, key string) *int {
	p := &o.Policy
	return map[string]*int{
		"budget": &p.Budget, "step_tokens": &p.StepTokens, "output_reserve": &p.OutputReserve,
		"max_messages": &p.MaxMessages, "min_messages": &p.MinMessages, "budget_chars": &p.BudgetChars,
		"last_whole_max_tokens": &p.LastWholeMaxTokens, "history_budget": &p.HistoryBudget,
		"assistant_max_chars": &p.AssistantMaxChars, "user_max_chars": &p.UserMaxChars, "tool_max_chars": &p.ToolMaxChars,
		"max_context_tokens": &p.MaxContextTokens, "tools": &o.Tools, "window": &o.Window,
	}[key]
}

var (
	repeated = regexp.MustCompile(`\{([^{}"]+?) x (\d+)\}`)
	call     = regexp.MustCompile(`(?s)^(.*?)=(.*?)\((.*)\)$`)
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
			if tokens, ok := strings.CutPrefix(piece, "[image "); ok {
				n, _ := strconv.Atoi(strings.TrimSuffix(tokens, "]"))
				m.Parts = append(m.Parts, Part{Kind: ImagePart, MediaType: "image/png", Data: []byte{1}, Tokens: n})
				continue
			}
			part := call.FindStringSubmatch(unfold(piece))
			if part == nil {
				t.Fatalf("call %q: it takes id=name(arguments)", piece)
			}
			m.ToolCalls = append(m.ToolCalls, ToolCall{ID: part[1], Name: part[2], Arguments: part[3]})
		}
		list = append(list, m)
	}
	return list
}

// parseHead reads what stands in front of a message's text: the role, then a call's id, a status and
// a time, each where there is one.
func parseHead(t *testing.T, m *Message, head string) Role {
	t.Helper()
	fields := strings.Split(head, " ")
	for _, f := range fields[1:] {
		time, timed := strings.CutPrefix(f, "@")
		status, stated := strings.CutPrefix(f, "(")
		switch {
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
	if len(p.Next) > 0 {
		b.WriteString("next:")
		for _, i := range p.Next {
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
			fmt.Fprintf(&b, " | %s=%s(%s)", c.ID, c.Name, fold(c.Arguments))
		}
		for _, part := range m.Parts {
			fmt.Fprintf(&b, " | [%s %d]", part.Kind, part.Tokens)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
