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

func TestACallAlwaysGetsAnAnswer(t *testing.T) {
	var box Toolbox
	add := func(name string, run Func) { box.Register(Tool{Name: name}, run) }
	add("echo", func(_ context.Context, a json.RawMessage) (string, error) { return string(a), nil })
	add("fail", func(context.Context, json.RawMessage) (string, error) { return "", errors.New("the disk is full") })
	add("half", func(context.Context, json.RawMessage) (string, error) { return "some", errors.New("cut off") })
	add("panic", func(context.Context, json.RawMessage) (string, error) { panic("oh") })
	add("exit", func(context.Context, json.RawMessage) (string, error) { runtime.Goexit(); return "", nil })
	add("silent", func(context.Context, json.RawMessage) (string, error) { return "", nil })
	for _, test := range []struct{ name, arguments, want string }{
		{"echo", `{"a":1}`, `{"a":1}`},
		{"echo", "  ", `{}`},
		{"echo", `{"a":`, `error: the arguments are not a JSON object: {"a":`},
		{"echo", `[1]`, `error: the arguments are not a JSON object: [1]`},
		{"fail", "{}", "error: the disk is full"},
		{"half", "{}", "some\nerror: cut off"},
		{"panic", "{}", "error: panic crashed: oh"},
		{"exit", "{}", "error: exit ended without an answer"},
		{"silent", "{}", ""},
		{"nothing", "{}", `error: no such tool: nothing; there are: echo, fail, half, panic, exit, silent`},
	} {
		got, end := Set{Boxes: []*Toolbox{&box}}.Run(t.Context(), test.name, test.arguments)
		wantText(t, test.name+" "+test.arguments, got, test.want)
		if end != CallDone {
			t.Errorf("%s ended with %q", test.name, end)
		}
	}
	got, _ := Set{Boxes: []*Toolbox{nil}}.Run(t.Context(), "x", "")
	wantText(t, "no box", got, `error: no such tool: x; there are: none`)
}

func TestSetOffersEachNameOnce(t *testing.T) {
	says := func(text string) Func {
		return func(context.Context, json.RawMessage) (string, error) { return text, nil }
	}
	var first, second Toolbox
	first.Register(Tool{Name: "a"}, says("first"))
	first.Register(Tool{Name: "b"}, says("replaced"))
	first.Register(Tool{Name: "b"}, says("first"))
	gone := func(context.Context) error { return errors.New("gone") }
	second.Replace(
		[]Entry{
			{Tool: Tool{Name: "b"}, Run: says("second")}, {Tool: Tool{Name: "c"}, Run: says("second"), Ready: gone},
		},
	)
	set := Set{Boxes: []*Toolbox{nil, &first, &second}, IsOff: func(t Tool) bool { return t.Name == "a" }}
	if tools := set.Tools(); len(tools) != 2 || tools[0].Name != "b" || tools[1].Name != "c" {
		t.Errorf("the set offers %v", tools)
	}
	for name, want := range map[string]string{
		"b": "first", "c": "second", "a": `error: no such tool: a; there are: b, c`,
	} {
		got, _ := set.Run(t.Context(), name, "")
		wantText(t, name, got, want)
		if _, there := set.Tool(name); there != (name != "a") {
			t.Errorf("%s is there: %v", name, there)
		}
		if err := set.Ready(t.Context(), name); (err != nil) != (name == "c") {
			t.Errorf("%s is not ready: %v", name, err)
		}
	}
}

func TestTheOutputOfACallIsLimited(t *testing.T) {
	var box Toolbox
	box.Register(Tool{Name: "a"}, func(context.Context, json.RawMessage) (string, error) { return "0123456789", nil })
	set := Set{Boxes: []*Toolbox{&box}, Limits: Limits{OutputBytes: 4}}
	if got, _ := set.Run(t.Context(), "a", ""); !strings.HasPrefix(got, "0123\n[output cut: 4 of 10") {
		t.Errorf("the result is %q", got)
	}
}

func TestACallHasATime(t *testing.T) {
	var box Toolbox
	waits := func(ctx context.Context, _ json.RawMessage) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	box.Register(Tool{Name: "slow", Timeout: time.Millisecond}, waits)
	release := make(chan struct{})
	defer close(release)
	box.Register(Tool{Name: "deaf"}, func(context.Context, json.RawMessage) (string, error) {
		<-release
		return "late", nil
	})
	ctx, stop := context.WithCancel(t.Context())
	box.Register(Tool{Name: "stops", Timeout: time.Hour}, func(ctx context.Context, _ json.RawMessage) (string, error) {
		stop()
		<-ctx.Done()
		return "", ctx.Err()
	})
	set := Set{Boxes: []*Toolbox{&box}, Limits: Limits{Timeout: 2 * time.Millisecond}}
	for _, c := range []struct {
		name, want string
		end        CallEnd
	}{
		{"slow", "error: stopped after 1ms, before slow was done; it may have run in part", CallTimedOut},
		{"deaf", "error: stopped after 2ms, before deaf was done; it may have run in part", CallTimedOut},
		{"stops", "error: stopped before stops was done; it may have run in part", CallStopped},
		{"slow", "error: stopped before slow began", CallDone},
	} {
		got, end := set.Run(ctx, c.name, "{}")
		wantText(t, c.name, got, c.want)
		if end != c.end {
			t.Errorf("%s ended with %q, want %q", c.name, end, c.end)
		}
	}
}

func TestACallSaysHowFarItIs(t *testing.T) {
	var box Toolbox
	box.Register(Tool{Name: "long"}, func(ctx context.Context, _ json.RawMessage) (string, error) {
		ReportProgress(ctx, "half")
		return "done", nil
	})
	set := Set{Boxes: []*Toolbox{&box}}
	set.Run(t.Context(), "long", "") // without WithProgress
	said := ""
	set.Run(WithProgress(t.Context(), func(text string) { said += text }), "long", "")
	wantText(t, "progress", said, "half")
}

func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestSetOffersACompanionOnlyBesideOthers(t *testing.T) {
	var clock, other Toolbox
	clock.Register(NewNow(func() time.Time { return time.Date(2026, 5, 1, 9, 30, 0, 0, time.FixedZone("CEST", 7200)) }))
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
