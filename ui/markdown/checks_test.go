package markdown

import (
	"flag"
	"os"
	"testing"
)

// A case of this package's random tests costs much more than one of a pure function, so a plain run takes
// 20 instead of rapid's 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "20")
	}
}

// inOneGoroutine skips a test where races are looked for: it has none, and takes twenty times as long there.
func inOneGoroutine(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine")
	}
}

// The styles of a theme, and of a terminal without colours.
var (
	dark = Style{
		Text: "#d5d8de", Strong: "#f4f5f7", Muted: "#9aa0ac", Faint: "#6f7683", Rule: "#343942", Tint: "#1e2127",
		Keyword: "#bba7d6", String: "#b4c08a", Function: "#9fbbd9", Number: "#e8b27a",
		Deleted: "#f2958d", Inserted: "#8ccfa3", Links: true,
	}
	plain     = Style{}
	noColours = Style{Strong: "bold", Muted: "faint", Faint: "faint", Rule: "faint"}
)

// newAt returns a renderer for prose and code of the same width.
func newAt(style Style, width int) *Renderer { return New(style, width, width) }
