package sse

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// events writes a stream down: name=data, then how it ended.
func events(r io.Reader) string {
	s := NewReader(r)
	var b strings.Builder
	for {
		e, err := s.Next()
		if err != nil {
			fmt.Fprintf(&b, "%v", err)
			return b.String()
		}
		fmt.Fprintf(&b, "%s=%q ", e.Name, e.Data)
	}
}

func TestReader(t *testing.T) {
	tests := []struct{ name, stream, want string }{
		{"one event", "data: a\n\n", `="a" EOF`},
		{"lines of one event", "data: a\ndata:  b\ndata\n\n", `="a\n b\n" EOF`},
		{"CR, LF, CRLF", "data: a\r\rdata: b\n\ndata: c\r\n\r\n", `="a" ="b" ="c" EOF`},
		{"CRLF inside one event", "data: a\r\ndata: b\r\n\r\n", `="a\nb" EOF`},
		{"comments and unknown fields", ": x\nid: 1\nretry: 5\nfoo\ndata: a\n: y\n\n:\n\n", `="a" EOF`},
		{"event name before and behind", "event: e\ndata: a\n\ndata: b\nevent: f\n\ndata: c\n\n", `e="a" f="b" ="c" EOF`},
		{"a name without data is no event", "event: ping\n\ndata: a\n\n", `="a" EOF`},
		{"empty data is an event", "data:\n\n", `="" EOF`},
		{"no newline at the end", "data: a", `="a" EOF`},
		{"no blank line at the end", "data: a\n", `="a" EOF`},
		{"bare JSON", "{\"error\":1}\ndata: a\n\n", `="{\"error\":1}" ="a" EOF`},
		{"error field", "error: {}\n\n", `error="{}" EOF`},
		{"nothing", "", `EOF`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantText(t, "whole reads", events(strings.NewReader(test.stream)), test.want)
			wantText(t, "one-byte reads", events(iotest.OneByteReader(strings.NewReader(test.stream))), test.want)
			wantText(t, "error with the data", events(iotest.DataErrReader(strings.NewReader(test.stream))), test.want)
		})
	}
}

func TestReaderDistinguishesABreakFromAnEnd(t *testing.T) {
	broken := errors.New("broken")
	wantText(t, "events", events(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken))), `="a" ="b" broken`)
}

// TestReaderDoesNotWaitForTheLineFeed is a server that ends lines in CR alone and then waits.
func TestReaderDoesNotWaitForTheLineFeed(t *testing.T) {
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, "data: a\r\r") }()
	e, err := NewReader(r).Next()
	if err != nil || string(e.Data) != "a" {
		t.Errorf("got %q, %v; want a while the stream is open", e.Data, err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add("data: a\r\n\r\n: x\n{\"a\":1}\nerror: y\n")
	f.Fuzz(func(t *testing.T, stream string) {
		whole, bytewise := events(strings.NewReader(stream)), events(iotest.OneByteReader(strings.NewReader(stream)))
		if whole != bytewise {
			t.Errorf("%q: got %s with whole reads, %s with one-byte reads", stream, whole, bytewise)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	stream := strings.Repeat(`data: {"choices":[{"index":0,"delta":{"content":"some words of an answer"}}]}`+"\n\n", 10_000)
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		s := NewReader(strings.NewReader(stream))
		for {
			if _, err := s.Next(); err != nil {
				break
			}
		}
	}
}

func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
