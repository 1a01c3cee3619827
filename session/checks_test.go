package session

import (
	"flag"
	"os"

	_ "winnow/session/store/storetest"
)

// A case of this package's random tests costs much more than one of a pure function, so a plain run takes 25 of
// them with 15 steps each instead of rapid's 100 with 30. RAPID_CHECKS and RAPID_STEPS take more.
func init() {
	if os.Getenv("RAPID_CHECKS") == "" {
		flag.Set("rapid.checks", "25")
	}
	if os.Getenv("RAPID_STEPS") == "" {
		flag.Set("rapid.steps", "15")
	}
}
