package store

import (
	flags "flag"
	"os"
)

// A case of the random tests of this package is expensive, so they run 15 cases instead of rapid's 100 unless
// RAPID_CHECKS or -rapid.checks says otherwise.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flags.Set("rapid.checks", "15")
	}
}
