//go:build !(linux || darwin || freebsd || openbsd || netbsd || dragonfly)

package backup

import "os"

// lockExclusively opens the file. Where there are no locks on ranges of bytes, a file that another program has open
// cannot be renamed either, and so stays where it is.
func lockExclusively(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }
