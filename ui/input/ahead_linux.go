package input

import "golang.org/x/sys/unix"

// bytesWaiting asks a terminal how many bytes there are to read.
const bytesWaiting = unix.TIOCINQ
