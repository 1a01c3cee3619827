package wire

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// read describes what is read: the lines without "data: " and line end, and the final error.
func read(body io.Reader) string {
	r := NewSSEReader(body)
	lines, err := io.ReadAll(r)
	if err == nil {
		err = io.EOF
	}
	var b strings.Builder
	for line := range strings.Lines(string(lines)) {
		data, found := strings.CutPrefix(line, "data: ")
		if !found || !strings.HasSuffix(data, "\n") {
			return fmt.Sprintf("%q is not a line", line)
		}
		fmt.Fprintf(&b, "%s|", strings.TrimSuffix(data, "\n"))
	}
	if r.Done {
		b.WriteString("done ")
	}
	fmt.Fprint(&b, err)
	return b.String()
}

func TestReader(t *testing.T) {
	tests := []struct{ name, stream, want string }{
		{"one event", "data: a\n\n", "a|EOF"},
		{"lines of one event", "data: a\ndata:  b\ndata: c\n\n", "a  b c|EOF"},
		{"CR, LF, CRLF", "data: a\r\rdata: b\n\ndata: c\r\n\r\n", "a|b|c|EOF"},
		{"CRLF inside one event", "data: a\r\ndata: b\r\n\r\n", "a b|EOF"},
		{"comments and unknown fields", ": x\nid: 1\nretry: 5\nfoo\ndata: a\n: y\n\n:\n\n", "a|EOF"},
		{"a name without data is no event", "event: ping\n\ndata: a\n\n", "a|EOF"},
		{"empty data", "data:\n\ndata: a\n\n", "a|EOF"},
		{"no newline at the end", "data: a", "a|EOF"},
		{"no blank line at the end", "data: a\n", "a|EOF"},
		{"JSON without blank lines", "data: ping\ndata: {\"a\":1}\ndata: {\"b\":2}\n", `{"a":1}|{"b":2}|EOF`},
		{"JSON on two lines", "data: {\"a\":\ndata: 1}\n\ndata: {}\n", `{"a": 1}|{}|EOF`},
		{"[DONE] and more", "data: [DONE]\n\ndata: a\n\n", "[DONE]|done EOF"},
		{"an end inside JSON", "data: {}\n\ndata: {\"a", "{}|unexpected EOF"},

		{"error", "data: {\"error\":{\"message\":\"no\"}}\n\n", `{ "error":{"message":"no"}}|EOF`},
		{"bare JSON", "data: a\n\n{\"error\":1}\ndata: a\n\n", `a|{ "error":1}|a|EOF`},
		{
			"an event of the name error", "event: error\ndata: no\n\nevent: error\ndata: {\"a\":1}\n\ndata: b\n\n",
			`{ "error":"no"}|{ "error":{"a":1}}|b|EOF`,
		},
		{"a field of the name error", "error: {\"a\":1}\n\n", `{ "error":{"a":1}}|EOF`},

		{"one JSON value", "\ufeff \n{\n \"a\": 1\n}\n", `{  "a": 1 }|EOF`},
		{"JSON values", "{\"a\":1}\n{\"b\":2}", `{"a":1}|{"b":2}|EOF`},
		{"JSON values, cut", "{\"a\":1}\n{\"b\":", `{"a":1}|unexpected EOF`},
		{"JSON and something else", "{\"error\":1}\ndata: [DONE]\n\n", `{ "error":1}|[DONE]|done EOF`},
		{"no JSON after all", "{\"a\":}\ndata: b\n\n", `{"a":} data: b|EOF`},
		{"a page", "<html>\n<p>no\n", "<html> <p>no|EOF"},
		{"a page, up to its title", "<html>\n<title>Sign in</title>\n<p>no", "<html> <title>Sign in</title>|EOF"},
		{"blanks", "\n\n \n", "EOF"},
		{"nothing", "", "EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantText(t, "whole reads", read(strings.NewReader(test.stream)), test.want)
			wantText(t, "one-byte reads", read(iotest.OneByteReader(strings.NewReader(test.stream))), test.want)
			wantText(t, "error with the data", read(iotest.DataErrReader(strings.NewReader(test.stream))), test.want)
		})
	}
}

func TestReaderDistinguishesABreakFromAnEnd(t *testing.T) {
	broken := errors.New("broken")
	wantText(
		t, "lines", read(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken))),
		"a|b|broken",
	)
}

func FuzzReader(f *testing.F) {
	f.Add("data: a\r\n\r\n: x\n{\"a\":1}\nerror: y\n")
	f.Add("{\"a\":1}\n[2] x")
	f.Fuzz(func(t *testing.T, stream string) {
		whole, bytewise := read(strings.NewReader(stream)), read(iotest.OneByteReader(strings.NewReader(stream)))
		if whole != bytewise {
			t.Errorf("%q: got %s with whole reads, %s with one-byte reads", stream, whole, bytewise)
		}
	})
}

func wantText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}
