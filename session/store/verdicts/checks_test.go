package verdicts

import (
	"flag"
	"os"
)

// A case of these random tests writes two databases, so a plain run takes 30 cases
// instead of rapid's 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "30")
	}
}
