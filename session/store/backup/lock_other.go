//go:build !(linux || darwin || freebsd || openbsd || netbsd || dragonfly)

package backup

import "os"

// lockExclusively opens the file. On systems without byte-range locks, a file that another program has open cannot be
// renamed, so it stays in place.
func lockExclusively(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }
