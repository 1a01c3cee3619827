package llm

import (
	"flag"
	"os"
)

// A random history is checked for each of the strict servers, so a plain run takes 40 of them instead of rapid's
// 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "40")
	}
}
