package transcript

import "testing"

func TestLastCode(t *testing.T) {
	text := "one\n```go\na\n```\ntwo\n~~~~\nb\n```\nc\n~~~~\nend"
	if got := lastCode(text); got != "b\n```\nc" {
		t.Errorf("got %q", got)
	}
	if got := lastCode("no code"); got != "" {
		t.Errorf("got %q, want none", got)
	}
}
