package tool

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestToolboxAlwaysAnswers(t *testing.T) {
	var box Toolbox
	add := func(name string, run Func) { box.Register(Tool{Name: name}, run) }
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
		got := box.Run(t.Context(), test.name, test.arguments)
		wantText(t, test.name+" "+test.arguments, got, test.want)
	}
	var none *Toolbox
	wantText(t, "no box", none.Run(t.Context(), "x", ""), "error: no such tool: x; there are no tools")
	if none.Tools() != nil {
		t.Errorf("no box has tools %v", none.Tools())
	}
}

func TestToolboxDoesNotCutResults(t *testing.T) {
	var box Toolbox
	long := strings.Repeat("x", 1<<20)
	box.Register(Tool{Name: "long"}, func(context.Context, json.RawMessage) (string, error) { return long, nil })
	if got := box.Run(t.Context(), "long", ""); got != long {
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
	wantText(t, "stopped on the way", box.Run(ctx, "deaf", ""), "error: stopped before deaf was done")
	wantText(t, "stopped before", box.Run(ctx, "deaf", ""), "error: stopped before deaf began")
}

func TestToolboxReplacesInPlace(t *testing.T) {
	var box Toolbox
	for _, d := range []string{"1", "2"} {
		box.Register(Tool{Name: "a", Description: d}, func(context.Context, json.RawMessage) (string, error) { return d, nil })
		box.Register(Tool{Name: "b", Description: d}, nil)
	}
	if got := box.Tools(); len(got) != 2 || got[0].Name+got[0].Description != "a2" || got[1].Name+got[1].Description != "b2" {
		t.Errorf("got %v", got)
	}
	wantText(t, "result", box.Run(t.Context(), "a", ""), "2")
}

func TestSetOffersEachNameOnce(t *testing.T) {
	var first, second Toolbox
	for box, tools := range map[*Toolbox][]string{&first: {"a", "b"}, &second: {"b", "c"}} {
		for _, name := range tools {
			box.Register(Tool{Name: name}, func(context.Context, json.RawMessage) (string, error) {
				if box == &first {
					return "first", nil
				}
				return "second", nil
			})
		}
	}
	set := Set{Boxes: []*Toolbox{nil, &first, &second}, Off: func(name string) bool { return name == "a" }}
	if got := set.Tools(); len(got) != 2 || got[0].Name != "b" || got[1].Name != "c" {
		t.Errorf("the set offers %v", got)
	}
	wantText(t, "a tool of both", set.Run(t.Context(), "b", ""), "first")
	wantText(t, "a tool of the second", set.Run(t.Context(), "c", ""), "second")
	wantText(t, "a tool that is off", set.Run(t.Context(), "a", ""), "error: no such tool: a; there are: b, c")
}

func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestSetOffersACompanionOnlyBesideOthers(t *testing.T) {
	var clock, other Toolbox
	clock.Register(Now(func() time.Time { return time.Date(2026, 5, 1, 9, 30, 0, 0, time.FixedZone("CEST", 7200)) }))
	set := Set{Boxes: []*Toolbox{&clock, &other}}
	if got := set.Tools(); got != nil {
		t.Errorf("the time alone is offered: %v", got)
	}
	other.Register(Tool{Name: "a"}, nil)
	if got := set.Tools(); len(got) != 2 {
		t.Errorf("beside another tool %v are offered, want both", got)
	}
	wantText(t, "the time", set.Run(t.Context(), "now", ""), "Friday, 2026-05-01T09:30:00+02:00 (CEST)")
}
