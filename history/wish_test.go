package history

import (
	"fmt"
	"strings"
	"testing"
)

// A rule for all answers to come is in the request long after it was stated, whatever the question is about.
func TestAStandingWishIsRecalled(t *testing.T) {
	t.Parallel()
	wishes := []string{
		"Always format dates as 2006-01-02.",
		"Never use more than three bullet points.",
		"Good. Always give temperatures in Celsius.",
		"From now on, call the old server Bertha.",
		"I prefer tabs over spaces in Go code.",
		"Please always name the file that a snippet belongs to.",
		"Beantworte das später. Ab jetzt bitte alles in ganzen Sätzen.",
		"Immer erst die Zusammenfassung, dann die Einzelheiten.",
	}
	topics := []string{"a rye sourdough", "the choir's autumn concert", "the leaking gutter", "a trip to Bergen"}
	for k, wish := range wishes {
		var past []Message
		say := func(role Role, text string) {
			past = append(past, Message{ID: int64(len(past) + 1), Role: role, Content: text, Status: Complete})
		}
		for n := range 200 {
			if n == 20+10*k {
				say(User, wish)
				say(Assistant, "Understood.")
				continue
			}
			topic := topics[n%len(topics)]
			if n < 5 {
				topic = "the harbour crane"
			}
			say(User, fmt.Sprintf("What is there to know about %s, part %d?", topic, n))
			say(Assistant, strings.Repeat(fmt.Sprintf("There is much to say about %s in part %d. ", topic, n), 20))
		}
		policy, _ := Preset("balanced")
		o := Options{Policy: policy, Ratio: 1, Count: o200k()}
		o.Policy.Budget = 4000
		o.Turn = []Message{{ID: 1 << 40, Role: User, Content: "When does the harbour crane get its new cable?", Status: Complete}}
		plan, err := NewConversation(past, o.Count).Build(o)
		if err != nil {
			t.Fatal(err)
		}
		if e := plan.Entries[2*(20+10*k)]; !e.Whole {
			t.Errorf("%q is %s, %s", wish, e.Disposition, e.Cause.Sentence())
		}
	}
}
