package storetest

import (
	"os"
	"syscall"
)

const (
	memory = "/dev/shm"
	room   = 1 << 30 // bytes that must be free
	noExec = 0x8     // ST_NOEXEC: some tests run programs that they have written
)

func init() {
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) == nil && fs.Flags&noExec == 0 && fs.Bavail*uint64(fs.Bsize) > room &&
		os.Getenv("TMPDIR") == "" {
		os.Setenv("TMPDIR", memory)
	}
}
