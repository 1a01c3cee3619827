package markdown

import (
	"flag"
	"os"
)

// A case of this package's random tests costs much more than one of a pure function, so a plain run takes
// 20 instead of rapid's 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "20")
	}
}

// The styles of two themes.
var (
	dark  = Style{Heading: "#8ab4f8", Code: "#f2b880", Link: "#7fc8c8", Quote: "#a0a8b8", Muted: "#8a8f98", Syntax: "github-dark"}
	light = Style{Heading: "#1a4fa3", Code: "#9a3d00", Link: "#00666b", Quote: "#555f6b", Muted: "#6a717a", Syntax: "github"}
)
