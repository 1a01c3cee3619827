package mcp

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"
)

var blankLines = regexp.MustCompile(`\n+`)

// Exactly the lines that look like messages are passed on; the others are kept.
func TestOnlyMessagesArePassedOn(t *testing.T) {
	t.Parallel()
	stray := rapid.SampledFrom([]string{
		"", "Server is running!", "[12:00] {not json", `"jsonrpc"`, `{"level":30,"msg":"listening"}`,
	})
	rapid.Check(t, func(t *rapid.T) {
		var stream, messages, others strings.Builder
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			line, kept := stray.Draw(t, "stray")+"\n", &others
			if rapid.Bool().Draw(t, "a message") {
				text := strings.Repeat("0123456789", rapid.SampledFrom([]int{0, 1, 20_000}).Draw(t, "length"))
				line, kept = fmt.Sprintf(`{"result":%q,"jsonrpc":"2.0","id":1}`+"\n", text), &messages
			}
			stream.WriteString(line)
			kept.WriteString(line)
		}
		reader, writer := io.Pipe()
		f := &filter{messages: writer, others: new(printed)}
		piece := rapid.IntRange(1, 40_000).Draw(t, "piece")
		go func() {
			for part := range slices.Chunk([]byte(stream.String()), piece) {
				f.Write(part)
			}
			writer.Close()
		}()
		passed, err := io.ReadAll(reader)
		kept := strings.Split(strings.TrimSpace(blankLines.ReplaceAllString(others.String(), "\n")), "\n")
		want := strings.Join(kept[max(0, len(kept)-4):], " / ")
		got := strings.TrimPrefix(f.others.quote(), "; it printed: ")
		if err != nil || string(passed) != messages.String() || got != want {
			t.Fatalf("%.300q became %.300q and %.300q, %v", stream.String(), passed, got, err)
		}
	})
}

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]ServerConfig{
		"npx -y x":                     {Command: "npx", Args: []string{"-y", "x"}},
		"https://a.example/mcp":        {URL: "https://me:pw@a.example/mcp?key=1#x"},
		"an address that is not a URL": {URL: ":"},
	} {
		if got := s.Address(); got != want {
			t.Errorf("Address() = %q, want %q", got, want)
		}
	}
	lost := errors.New(`standalone SSE stream: failed to reconnect: Get "https://a.example/mcp?key=1": EOF`)
	if got := (&connection{ctx: t.Context()}).explain(lost).Error(); got != "EOF" {
		t.Errorf("an error of a request is %q", got)
	}
}

func TestAResultIsWhatTheModelReads(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]*sdk.CallToolResult{
		"[no output]": {Content: []sdk.Content{&sdk.EmbeddedResource{}}},
		`{"a":"<&>"}`: {StructuredContent: map[string]string{"a": "<&>"}},
		"text\nand more": {
			Content:           []sdk.Content{&sdk.TextContent{Text: "text"}, &sdk.TextContent{Text: "and more"}},
			StructuredContent: 1,
		},
	} {
		if got := resultText(r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
