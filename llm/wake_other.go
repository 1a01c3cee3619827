//go:build !linux

package llm

import "net"

// wakeFrom does nothing: every packet wakes the program.
func wakeFrom(net.Conn, int) {}
