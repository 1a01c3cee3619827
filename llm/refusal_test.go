package llm

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what comes out into the fixtures; read the difference")

// checkFixtures reads a file of fixtures, each of a head, what a server says, and what winnow makes of it, with a blank
// line between.
func checkFixtures(t *testing.T, path string, make func(t *testing.T, head, body string) string) {
	t.Helper()
	all, err := txtar.ParseFile(path)
	if err != nil || len(all.Files) == 0 {
		t.Fatalf("%d fixtures in %s: %v", len(all.Files), path, err)
	}
	for i, f := range all.Files {
		t.Run(f.Name, func(t *testing.T) {
			head, rest, _ := strings.Cut(string(f.Data), "\n\n")
			body, want, _ := strings.Cut(rest, "\n\n")
			got := make(t, head, body)
			all.Files[i].Data = []byte(head + "\n\n" + body + "\n\n" + got)
			if !*update {
				wantText(t, body, got, want)
			}
		})
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(all), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRefusalsOfServers reads each body of refusals.txtar as the answer to a request.
func TestRefusalsOfServers(t *testing.T) {
	checkFixtures(t, "testdata/refusals.txtar", func(t *testing.T, head, body string) string {
		number, headers, _ := strings.Cut(head, "\n")
		status, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		server := step{status: status, say: []string{body}, header: map[string]string{}}
		for line := range strings.Lines(headers) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			server.header[name] = value
		}
		_, _, err = heard(script(server).client(tries(1)), hello())
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("got %v, want an *Error", err)
		}
		return refusalText(e)
	})
}

// refusalText is an error as refusals.txtar has it.
func refusalText(e *Error) string {
	line := string(e.Kind)
	for _, n := range []struct {
		name   string
		tokens int
	}{{"limit", e.Limit}, {"prompt", e.Prompt}, {"output", e.Output}} {
		if n.tokens > 0 {
			line += fmt.Sprintf(", %s %d", n.name, n.tokens)
		}
	}
	if e.AtLeast {
		line += " or more"
	}
	if e.Retryable() {
		line += ", again"
	}
	return line + "\n" + e.Error() + "\n"
}
