package llmtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestStrictAnswersWhatPassesAndRefusesTheRestInItsOwnShape(t *testing.T) {
	const openAI = `"param":null,"type":"invalid_request_error"}}`
	for _, c := range []struct {
		p    Profile
		rule string // of an example
		want string
	}{
		{OpenAI, "name-form", `400 {"error":{"code":"invalid_value","message":"TEXT",` + openAI},
		{LlamaCpp, "system-first", `500 {"error":{"code":500,"message":"TEXT","type":"server_error"}}`},
		{Mistral, "model-named", `422 {"detail":[{"loc":["body","model"],"msg":"Field required","type":"missing"}]}`},
		{Mistral, "ends-open", `400 {"code":"3230","message":"TEXT","object":"error","param":null,` +
			`"type":"invalid_request_message_order"}`},
		{Gemini, "user-first", `400 [{"error":{"code":400,"message":"TEXT","status":"INVALID_ARGUMENT"}}]`},
		{Responses, "output-of-call", `400 {"error":{"code":null,"message":"TEXT",` + openAI},
		{Responses, "", "200 " + data(`{"type":"response.created","response":{"status":"in_progress"}}`) +
			data(`{"type":"response.output_text.delta","output_index":0,"delta":"Hello."}`) +
			data(`{"type":"response.completed","response":{"status":"completed"}}`)},
		{DeepSeek, "", "200 " + chunk(`"role":"assistant","content":"Hello."`) + finished("stop") + done},
	} {
		examples := Examples()
		x := examples[slices.IndexFunc(examples, func(x Example) bool { return x.Profile == c.p && x.Rule == c.rule })]
		path := "/v1/chat/completions"
		if c.p == Responses {
			path = "/v1/responses"
		}
		w := httptest.NewRecorder()
		NewStrictServer(c.p, "Hello.").ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, bytes.NewReader(x.Body)))
		want := c.want
		if refusal, ok := CheckBody(c.p, x.Body).(*Refusal); ok {
			quoted, err := json.Marshal(refusal.Text)
			if err != nil {
				t.Fatal(err)
			}
			want = strings.Replace(c.want, `"TEXT"`, string(quoted), 1)
		}
		if got := fmt.Sprint(w.Code, " ", w.Body); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("%s, %s:\n got %s\nwant %s", c.p, c.rule, got, want)
		}
	}
}

var unfilled = regexp.MustCompile(`\{[a-z]+\}`)

// TestEachRuleFiresOnItsOwnExample reads the bodies of testdata/strict.txtar: "PROFILE RULE" is one that breaks the
// rule, and "PROFILE accepts NAME" one that breaks none.
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
