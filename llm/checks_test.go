package llm

import (
	"flag"
	"os"
)

// A random history is checked for each strict server, so the default is 40 instead of rapid's 100. RAPID_CHECKS or
// -rapid.checks changes it.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "40")
	}
}
