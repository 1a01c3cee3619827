package llmtest

import (
	"errors"
	"regexp"
	"testing"
)

var unfilled = regexp.MustCompile(`\{[a-z]+\}`)

// Each body of testdata/strict.txtar named "PROFILE RULE" breaks that rule, and each named "PROFILE accepts NAME"
// breaks none.
func TestEachRuleFiresOnItsOwnExample(t *testing.T) {
	fired, accepted := map[string]bool{}, map[string]bool{}
	for _, x := range Examples() {
		var got string
		var refusal *Refusal
		if errors.As(CheckBody(x.Profile, x.Body), &refusal) {
			got = refusal.Rule
		}
		if got != x.Rule {
			t.Errorf("%s refuses it by %q, want %q\n%s", x.Profile, got, x.Rule, x.Body)
		}
		if refusal != nil && (refusal.Status < 400 || refusal.Text == "" || unfilled.MatchString(refusal.Text)) {
			t.Errorf("%s says %+v", x.Profile, refusal)
		}
		fired[string(x.Profile)+" "+got] = true
		accepted[string(x.Profile)] = accepted[string(x.Profile)] || got == ""
	}
	for p, list := range rules() {
		for _, r := range list {
			if finders[r.Rule] == nil && r.Rule != "form" || !fired[string(p)+" "+r.Rule] {
				t.Errorf("%s: the rule %s is unknown or has no example", p, r.Rule)
			}
		}
		if !accepted[string(p)] {
			t.Errorf("%s accepts nothing", p)
		}
	}
}
