//go:build unix

package tree

import (
	"io/fs"
	"syscall"
)

// deviceOf tells file systems apart.
func deviceOf(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev)
	}
	return 0
}
