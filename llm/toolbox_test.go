package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm/keys"
)

func TestToolboxAlwaysAnswers(t *testing.T) {
	var box Toolbox
	add := func(name string, run ToolFunc) { box.Register(Tool{Name: name}, run) }
	add("echo", func(_ context.Context, a json.RawMessage) (string, error) { return string(a), nil })
	add("fail", func(context.Context, json.RawMessage) (string, error) { return "", errors.New("the disk is full") })
	add("half", func(context.Context, json.RawMessage) (string, error) { return "some", errors.New("cut off") })
	add("panic", func(context.Context, json.RawMessage) (string, error) { panic("oh") })
	add("exit", func(context.Context, json.RawMessage) (string, error) { runtime.Goexit(); return "", nil })
	add("silent", func(context.Context, json.RawMessage) (string, error) { return "", nil })
	tests := []struct{ name, arguments, want string }{
		{"echo", `{"a":1}`, `{"a":1}`},
		{"echo", "  ", `{}`},
		{"echo", `{"a":`, `error: the arguments are not a JSON object: {"a":`},
		{"echo", `[1]`, `error: the arguments are not a JSON object: [1]`},
		{"fail", "{}", "error: the disk is full"},
		{"half", "{}", "some\nerror: cut off"},
		{"panic", "{}", "error: panic crashed: oh"},
		{"exit", "{}", "error: exit ended without an answer"},
		{"silent", "{}", ""},
		{"nothing", "{}", "error: no such tool: nothing; there are: echo, fail, half, panic, exit, silent"},
	}
	for _, test := range tests {
		got := box.Run(t.Context(), history.ToolCall{Name: test.name, Arguments: test.arguments})
		wantText(t, test.name+" "+test.arguments, got, test.want)
	}
	var none *Toolbox
	wantText(t, "no box", none.Run(t.Context(), history.ToolCall{Name: "x"}), "error: no such tool: x; there are no tools")
	if none.Tools() != nil {
		t.Errorf("no box has tools %v", none.Tools())
	}
}

func TestToolboxDoesNotCutResults(t *testing.T) {
	var box Toolbox
	long := strings.Repeat("x", 1<<20)
	box.Register(Tool{Name: "long"}, func(context.Context, json.RawMessage) (string, error) { return long, nil })
	if got := box.Run(t.Context(), history.ToolCall{Name: "long"}); got != long {
		t.Errorf("got %d bytes, want %d", len(got), len(long))
	}
}

func TestToolboxAnswersWhenStopped(t *testing.T) {
	var box Toolbox
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	box.Register(Tool{Name: "deaf"}, func(context.Context, json.RawMessage) (string, error) {
		cancel()
		<-release
		return "late", nil
	})
	wantText(t, "stopped on the way", box.Run(ctx, history.ToolCall{Name: "deaf"}), "error: stopped before deaf was done")
	wantText(t, "stopped before", box.Run(ctx, history.ToolCall{Name: "deaf"}), "error: stopped before deaf began")
}

func TestToolboxReplacesInPlace(t *testing.T) {
	var box Toolbox
	for _, d := range []string{"1", "2"} {
		box.Register(Tool{Name: "a", Description: d}, func(context.Context, json.RawMessage) (string, error) { return d, nil })
		box.Register(Tool{Name: "b", Description: d}, nil)
	}
	if got := fmt.Sprint(box.Tools()); got != "[{a 2 []} {b 2 []}]" {
		t.Errorf("got %s", got)
	}
	wantText(t, "result", box.Run(t.Context(), history.ToolCall{Name: "a"}), "2")
}

func TestSecretNeverPrints(t *testing.T) {
	s := keys.Secret(testKey)
	e := Endpoint{Name: "openai", BaseURL: "https://user:" + testKey + "@api.openai.com/v1?key=" + testKey, Key: s, Headers: map[string]string{"Api-Key": testKey}}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", s, "endpoint", e)
	encoded, _ := json.Marshal(map[string]keys.Secret{"key": s})
	for what, text := range map[string]string{
		"%v": fmt.Sprintf("%v", s), "%x": fmt.Sprintf("%x", s), "%+v": fmt.Sprintf("%+v", struct{ K keys.Secret }{s}), "%#v": fmt.Sprintf("%#v", s), "%q": fmt.Sprintf("%q", s),
		"JSON": string(encoded), "slog": log.String(), "endpoint": fmt.Sprintf("%v %+v %#v", e, e, &e),
	} {
		noKey(t, what, text)
		if !strings.Contains(text, "[redacted]") && what != "endpoint" && what != "%x" {
			t.Errorf("%s: got %s, want [redacted]", what, text)
		}
	}
	if s.Reveal() != testKey || keys.Secret("").String() != "" {
		t.Errorf("Reveal gives %q, no key prints as %q", s.Reveal(), keys.Secret(""))
	}
}
