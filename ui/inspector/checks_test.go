package inspector

import (
	"flag"
	"os"
)

// A case of these random tests draws a text of many rows again and again, so a plain run takes 40 cases
// instead of rapid's 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "40")
	}
}
