//go:build !cgo

// Package cli is the rim of winnow. Built without cgo it holds only this file: SQLite is C, and
// a build without it would stop with errors about SQLite's names instead of saying what is missing.
package cli

import (
	"fmt"
	"os"
)

// Main says what the build is missing and returns 1.
func Main([]string, []byte) int {
	fmt.Fprintln(os.Stderr, "winnow: this build has no SQLite, because it was made without cgo. Install a C compiler "+
		"(gcc or clang), set CGO_ENABLED=1 and build again.")
	return 1
}
