package history

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"winnow/history/message"
)

// carried is everything of a message beside what each server understands.
func carried(m Message) []string {
	list := []string{m.Reasoning, m.Replay}
	for _, c := range m.ToolCalls {
		list = append(list, c.Replay)
	}
	return list
}

// Keys go to the model that sent them, byte for byte, and reasoning where it is wanted back.
func TestWhatAReplyCarriedGoesToItsModelAlone(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		p, _ := built(t, s)
		all := append(s.past[:len(s.past):len(s.past)], s.o.Turn...)
		for i, m := range p.Messages {
			what := strings.Join(carried(m), "")
			if what == "" {
				continue
			}
			if m.Role != Assistant || m.Origin != s.o.To || m.Origin == (Origin{}) {
				t.Fatalf("message %d of %+v carries %q to %+v\n%s", i, m.Origin, what, s.o.To, s)
			}
			if s.o.Profile.NoReplay && what != m.Reasoning || !s.o.Profile.EchoReasoning && m.Reasoning != "" {
				t.Fatalf("message %d carries %q to %+v\n%s", i, what, s.o.Profile, s)
			}
			came := func(original Message) bool {
				return original.Origin == m.Origin && (m.Replay == "" || m.Replay == original.Replay) &&
					(m.Reasoning == "" || m.Reasoning == original.Reasoning) &&
					(len(m.ToolCalls) > 0 || strings.HasPrefix(m.Content, message.Clean(original.Content)) &&
						len(original.ToolCalls) == 0)
			}
			if !slices.ContainsFunc(all, came) {
				t.Fatalf("message %d carries %q with the text %q, which did not come together\n%s", i, what,
					m.Content, s)
			}
		}
	})
}

func thinking(calls bool) []Message {
	from := Origin{Endpoint: "cloud", Model: "large"}
	list := []Message{{ID: 1, Role: User, Content: "what is the weather", Status: Complete}}
	if calls {
		list = append(list,
			Message{
				ID: 2, Role: Assistant, Reasoning: "I need the tool", Replay: `{"x":1}`, Origin: from,
				Status: Complete, ToolCalls: []ToolCall{{
					ID: "a", Name: "weather", Arguments: "{}",
					Replay: `{"y":2}`,
				}},
			},
			Message{ID: 3, Role: Tool, ToolCallID: "a", Content: "rain", Status: Complete})
	}
	return append(list,
		Message{
			ID: 4, Role: Assistant, Content: strings.Repeat("It rains. ", 50), Reasoning: "the tool says rain",
			Replay: `{"z":3}`, Origin: from, Status: Complete,
		})
}

// askLarge is a next question to the model that answered.
func askLarge(t *testing.T) Options {
	t.Helper()
	o := Options{Turn: []Message{{ID: 9, Role: User, Content: "thanks"}}, To: Origin{
		Endpoint: "cloud",
		Model:    "large",
	}, Profile: Profile{EchoReasoning: true}}
	var err error
	if o.Policy, err = Preset("balanced"); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestReasoningIsReturnedInATurnThatCalledTools(t *testing.T) {
	for _, c := range []struct {
		name  string
		past  []Message
		tweak func(*Options)
		want  []string // by message: reasoning, keys, keys of its call
	}{
		{"with tools", thinking(true), nil, []string{
			``, `I need the tool {"x":1} {"y":2}`, ``,
			`the tool says rain {"z":3}`, ``,
		}},
		{"without tools", thinking(false), nil, []string{``, `{"z":3}`, ``}},
		{"not asked for", thinking(true), func(o *Options) { o.Profile.EchoReasoning = false }, []string{
			``,
			`{"x":1} {"y":2}`, ``, `{"z":3}`, ``,
		}},
		{"keys refused", thinking(true), func(o *Options) { o.Profile.NoReplay = true }, []string{
			``,
			`I need the tool`, ``, `the tool says rain`, ``,
		}},
		{"another model", thinking(true), func(o *Options) { o.To.Model = "small" }, []string{``, ``, ``, ``, ``}},
		{"another endpoint", thinking(true), func(o *Options) { o.To.Endpoint = "home" }, []string{``, ``, ``, ``, ``}},
		{
			"answers cut", thinking(true),
			func(o *Options) { o.Policy.Elastic, o.Policy.LastWholeMaxTokens = false, 0 },
			[]string{``, `I need the tool {"x":1} {"y":2}`, ``, ``, ``},
		},
		{"calls as text", thinking(true), func(o *Options) { o.Policy.ToolHistory = ToolsText }, []string{
			``, ``,
			`{"z":3}`, ``,
		}},
		{"calls dropped", thinking(true), func(o *Options) { o.Policy.ToolHistory = ToolsDrop }, []string{
			``,
			`{"z":3}`, ``,
		}},
		{"answers joined", thinking(true), func(o *Options) { o.Profile.MergeSameRole = true }, []string{
			``,
			`I need the tool {"x":1} {"y":2}`, ``, ``, ``,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := askLarge(t)
			if c.tweak != nil {
				c.tweak(&o)
			}
			p, err := Build(c.past, o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range p.Messages {
				got = append(got, strings.Join(strings.Fields(strings.Join(carried(m), " ")), " "))
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q\n%s", got, c.want, requestText(p))
			}
		})
	}
}
