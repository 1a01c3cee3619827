package history

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// damages are one small history for each kind of damage, with the mark that it leaves: the kind of a
// repair, or a verdict.
var damages = []struct{ rule, mark, history string }{
	{"C1 closed", "C1", "assistant: | a=f({\"n\":\"half)\ntool a: one"},
	{"C1 fixed", "C1", "assistant: | a=f({'n': True,})\ntool a: one"},
	{"C1 lost", "C1", "assistant: | a=f(no object)\ntool a: one"},
	{"C2", "C2", "assistant: | a=f()\ntool a: one"},
	{"C3 unwrapped", "C3", "assistant: | a=f(\"{\\\"n\\\":1}\")\ntool a: one"},
	{"C3 value", "C3", "assistant: | a=f(\"123\")\ntool a: one"},
	{"C3 null", "C3", "assistant: | a=f(null)\ntool a: one"},
	{"C4 split", "C4", "assistant: | a=f({\"n\":1}{\"n\":2}) | b=f()\ntool a: one\ntool b: two"},
	{"C4 first", "C4", "assistant: | a=f({\"n\":1}{\"n\":2})\ntool a: one"},
	{"C5", "C5", "assistant: | a=f({}) | b=f({})\ntool b: two"},
	{"C5 broken off", "C5", "assistant (interrupted): I look. | a=f({})"},
	{"C6 text", "C6", "assistant: done\ntool lost: one"},
	{"C7 blank", "C7", "assistant: | =f({})\ntool: one"},
	{"C7 taken", "C7", "assistant: | a=f({}) | a=f({})\ntool a: one\ntool a: two"},
	{"C7 malformed", "C7", "assistant: | f/1=f({})\ntool f/1: one"},
	{"C7 same", "C7", "assistant: | a=f({})\ntool a: one\ntool a: one"},
	{"C7 other", "C7", "assistant: | a=f({})\ntool a: one\ntool a: two"},
	{"C8", "C8", "assistant: "},
	{"C9", "C9", "assistant: | a=f({})\ntool a: "},
	{"C10 late", "C10", "assistant: | late=f({})\nuser: are you there\ntool late: one"},
	{"C10 between", "C10", "assistant: | a=f({}) | b=f({})\nassistant: I wait\ntool b: two\ntool a: one"},
	{"C11 name", "C11", "assistant: I look. | a=({\"n\":1})\ntool a: one"},
	{"C11 nothing", "C11", "assistant: | a=f({}) | =()\ntool a: one"},
	{"C12 hoist", "C12", "assistant: two\nsystem: be brief"},
	{"C13 long", "cut", "assistant: | a=f({})\ntool a: {row x 900}"},
	{"C13 binary", "C13", "assistant: | a=f({})\ntool a: \\x00\\xff\\x00\\xff"},
	{"C14", "C14", "assistant: caf\\xff"},
	{"C15", "quarantined", "critic: odd"},
}

// Each kind of damage is repaired in front of and behind each other kind, in one turn and in two;
// and where it stands inside the other, between a call and its results.
func TestEveryPairOfDamagesIsRepaired(t *testing.T) {
	for _, first := range damages {
		for _, second := range damages {
			head, results, _ := strings.Cut(first.history, "\n")
			inside := "user: begin\n" + head + "\n" + second.history + "\n" + results + "\n"
			t.Run(first.rule+"/"+second.rule+"/inside", func(t *testing.T) {
				past := parseMessages(t, inside)
				checkRepairedHistory(t, past, inside)
				buildClassic(t, past)
			})
			for _, between := range []string{"\n", "\nuser: and then\n"} {
				text := "user: begin\n" + first.history + between + second.history + "\n"
				t.Run(first.rule+"/"+second.rule, func(t *testing.T) {
					past := parseMessages(t, text)
					checkRepairedHistory(t, past, text)
					p := buildClassic(t, past)
					for _, want := range []string{first.mark, second.mark} {
						if !slices.Contains(marksOf(p), want) {
							t.Errorf("the plan does not say %s\n%s\n%s%s", want, text, planText(p, nil), requestText(p))
						}
					}
				})
			}
		}
	}
}

// buildClassic builds with the preset that cuts in any case, and checks what each request must be.
func buildClassic(t *testing.T, past []Message) Plan {
	t.Helper()
	o := Options{Count: words, Turn: []Message{{ID: 1000, Role: User, Content: "and now"}}}
	var err error
	if o.Policy, err = Preset("classic"); err != nil {
		t.Fatal(err)
	}
	p, err := Build(past, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := Valid(p.Messages, o.Profile); err != nil {
		t.Errorf("%v\n%s", err, requestText(p))
	}
	if len(p.Entries) != len(past)+1 {
		t.Errorf("%d entries for %d messages", len(p.Entries), len(past)+1)
	}
	return p
}

// marksOf are the kinds of the repairs of a plan, and its verdicts.
func marksOf(p Plan) []string {
	var marks []string
	for _, e := range p.Entries {
		marks = append(marks, string(e.Disposition))
		for _, r := range e.Repairs {
			marks = append(marks, r.Kind)
		}
	}
	return marks
}

// reporter is what of a test a check needs.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkRepairedHistory repairs a history three times. The second time finds nothing to repair, and the
// third changes nothing: what was repaired is sound.
func checkRepairedHistory(t reporter, past []Message, text string) {
	t.Helper()
	once := listOf(repairedBy(past, nil))
	for pass := 2; pass <= 3; pass++ {
		repaired := repairedBy(once, nil)
		for i, e := range repaired.entries {
			for _, r := range e.Repairs {
				// A late system message is noted and stays: where it goes is the policy's to say.
				if r.Kind != "C12" {
					t.Fatalf("pass %d repairs message %d %q again: %+v\n%s", pass, i, once[i].Content, r, text)
				}
			}
		}
		again := listOf(repaired)
		if !reflect.DeepEqual(again, once) {
			t.Fatalf("pass %d makes\n%s\nof\n%s\n%s", pass, listed(again), listed(once), text)
		}
		once = again
	}
}

// repairedBy is a history as it may be sent, with these remedies.
func repairedBy(past []Message, remedies map[int64]Remedy) *thread {
	return Read(past, words).thread(reading{form: form{tools: ToolsKeep}, remedies: remedies})
}

// listOf are the messages of a history as they may be sent.
func listOf(t *thread) []Message {
	var list []Message
	for _, v := range t.candidates {
		m := v.Message
		m.Status = Complete
		list = append(list, m)
	}
	return list
}

func listed(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s %q %q calls %q\n", m.Role, m.ToolCallID, m.Content, m.ToolCalls)
	}
	return b.String()
}

func TestRepairingReachesAFixedPoint(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		checkRepairedHistory(t, s.past, s.String())
	})
}
