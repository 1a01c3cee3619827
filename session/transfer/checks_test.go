package transfer

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
