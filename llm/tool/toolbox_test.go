package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
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
	if tools := box.Tools(); names(tools) != "a b" || tools[0].Description != "2" || tools[1].Description != "2" {
		t.Errorf("got %v", tools)
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
	set := Set{Boxes: []*Toolbox{nil, &first, &second}, Off: func(t Tool) bool { return t.Name == "a" }}
	if got := names(set.Tools()); got != "b c" {
		t.Errorf("the set offers %s", got)
	}
	for name, want := range map[string]string{"b": "first", "c": "second", "a": "error: no such tool: a; there are: b, c"} {
		got, end := set.Run(t.Context(), name, "")
		wantText(t, name, got, want)
		if _, there := set.Tool(name); end != Done || there != (name != "a") {
			t.Errorf("%s ended with %q, and it is there: %v", name, end, there)
		}
	}
}

func names(tools []Tool) string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}

func TestACallHasATime(t *testing.T) {
	var box Toolbox
	box.Register(Tool{Name: "slow", Timeout: time.Millisecond}, func(ctx context.Context, _ json.RawMessage) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	release := make(chan struct{})
	defer close(release)
	box.Register(Tool{Name: "deaf"}, func(context.Context, json.RawMessage) (string, error) {
		<-release
		return "late", nil
	})
	set := Set{Boxes: []*Toolbox{&box}, Limits: Limits{Timeout: 2 * time.Millisecond}}
	for _, c := range []struct {
		name, want string
		end        End
	}{
		{"slow", "error: stopped after 1ms, before slow was done; it may have run in part", TimedOut},
		{"deaf", "error: stopped after 2ms, before deaf was done; it may have run in part", TimedOut},
	} {
		got, end := set.Run(t.Context(), c.name, "{}")
		wantText(t, c.name, got, c.want)
		if end != c.end {
			t.Errorf("%s ended with %q, want %q", c.name, end, c.end)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	set.Limits.Timeout = time.Hour
	box.Register(Tool{Name: "stops"}, func(ctx context.Context, _ json.RawMessage) (string, error) {
		stop()
		<-ctx.Done()
		return "", ctx.Err()
	})
	got, end := set.Run(ctx, "stops", "{}")
	wantText(t, "stops", got, "error: stopped before stops was done; it may have run in part")
	if end != Stopped {
		t.Errorf("it ended with %q, want %q", end, Stopped)
	}
}

// What a tool answers is kept byte for byte up to the limit, and no character is cut in two.
func TestLongOutputIsCutWithAMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("aé€😀\n"))).Draw(t, "text")
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		got := Limits{Output: limit}.cut(text)
		kept, mark, cut := strings.Cut(got, "[output cut: ")
		switch {
		case len(text) <= limit:
			if got != text {
				t.Fatalf("%q within %d bytes became %q", text, limit, got)
			}
		case !cut || !utf8.ValidString(got) || len(strings.TrimSuffix(kept, "\n")) > limit:
			t.Fatalf("%q cut at %d is %q", text, limit, got)
		case !strings.HasPrefix(text, strings.TrimSuffix(kept, "\n")) || !strings.Contains(mark, fmt.Sprintf("of %d bytes", len(text))):
			t.Fatalf("%q cut at %d is %q", text, limit, got)
		}
	})
	if got := (Limits{Output: 3}).cut("\x80\x80\x80\x80\x80\x80"); !strings.HasPrefix(got, "\x80") && !strings.HasPrefix(got, "[output") {
		t.Errorf("bytes that are no text are cut to %q", got)
	}
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
	got, _ := set.Run(t.Context(), "now", "")
	wantText(t, "the time", got, "Friday, 2026-05-01T09:30:00+02:00 (CEST)")
}
