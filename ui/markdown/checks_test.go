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

// The styles of two themes, and of a terminal without colours.
var (
	dark = Style{
		Text: "#d5d8de", Strong: "#f4f5f7", Muted: "#9aa0ac", Faint: "#6f7683", Rule: "#343942", Tint: "#1e2127",
		Keyword: "#bba7d6", String: "#b4c08a", Function: "#9fbbd9", Number: "#e8b27a",
		Deleted: "#f2958d", Inserted: "#8ccfa3", Links: true,
	}
	light = Style{
		Text: "#2b2e34", Strong: "#0e1013", Muted: "#5f6570", Faint: "#858b95", Rule: "#d6d8dc", Tint: "#f2f2ef",
		Keyword: "#6d4f9c", String: "#566712", Function: "#2f5d8c", Number: "#8a4b00",
		Deleted: "#b53730", Inserted: "#1c7546",
	}
	plain     = Style{}
	noColours = Style{Strong: "bold", Muted: "faint", Faint: "faint", Rule: "faint"}
)

// newAt returns a renderer for prose and code of the same width.
func newAt(style Style, width int) *Renderer { return New(style, width, width) }
