package llm

import (
	"errors"
	"strings"
	"testing"
)

// net/http says in two ways that a server speaks another protocol: a server that says something before it is asked may
// be heard before the request is written, or after.
func TestAServerOfAnotherProtocolIsNamedHoweverItIsHeard(t *testing.T) {
	for _, text := range []string{
		`malformed HTTP response "SSH-2.0-OpenSSH_9.7"`, "readLoopPeekFailLocked: %!w(<nil>)",
	} {
		e := NewClient(Endpoint{Name: "x"}).unreached(errors.New(text), "m")
		if e.Retryable() || !strings.Contains(e.Error(), "does not use HTTP") {
			t.Errorf("%s: %v, again %v", text, e, e.Retryable())
		}
	}
}
