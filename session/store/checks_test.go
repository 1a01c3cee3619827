package store

import (
	flags "flag"
	"os"
)

// A case of this package's random tests costs much more than one of a pure function, so a plain run takes
// 15 instead of rapid's 100. RAPID_CHECKS or -rapid.checks takes more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flags.Set("rapid.checks", "15")
	}
}
