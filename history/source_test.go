package history

import (
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// A conversation that asks for its messages again makes the plans of one that keeps them, however it was appended.
func TestASourceGivesThePlansOfAConversationThatKeepsItsMessages(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		keeps := Read(s.past, s.o.Count)
		c := NewConversation(func(at int) (Message, error) { return s.past[at], nil }, s.o.Count)
		if rapid.Bool().Draw(t, "expected") {
			c.Expect(s.o)
		}
		for rest := s.past; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "appended")
			if err := c.Append(rest[:n]...); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if c.kept != nil {
			t.Fatalf("%d messages are kept", len(c.kept))
		}
		for range 2 {
			want, wantErr := keeps.Build(s.o)
			got, err := c.Build(s.o)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(err, wantErr) {
				t.Fatalf("got\n%s%v\nwant\n%s%v\n%s", planText(got, nil), err, planText(want, nil), wantErr, s)
			}
		}
		list, _ := c.Older(s.o)
		if want, _ := keeps.Older(s.o); !reflect.DeepEqual(list, want) {
			t.Fatalf("older messages are %v, want %v", list, want)
		}
	})
}

// What a source fails with is the error of the plan, and of all that follow.
func TestAPlanFailsWithItsSource(t *testing.T) {
	past, gone := chat(40), errors.New("the file is gone")
	var fails error
	c := NewConversation(func(at int) (Message, error) { return past[at], fails }, nil)
	if err := c.Append(past...); err != nil {
		t.Fatal(err)
	}
	o := benchOptions(t, "balanced", 4000)
	if _, err := c.Build(o); err != nil {
		t.Fatal(err)
	}
	fails = gone
	if p, err := c.Build(o); !errors.Is(err, gone) || p.Messages != nil {
		t.Errorf("a plan without texts has %d messages, and the error is %v", len(p.Messages), err)
	}
	if list, _ := c.Older(o); list != nil {
		t.Errorf("%d messages without texts are to be summarized", len(list))
	}
	fails = nil
	if err := c.Append(past[0]); !errors.Is(err, gone) {
		t.Errorf("the conversation goes on after a failure: %v", err)
	}
}
