package llm

import (
	"net"
	"syscall"
)

// wakeFrom has the system wake the program for a connection when so many bytes have arrived, or its end. It may not work,
// and then every packet wakes: the runtime listens on all connections, whether somebody reads or not.
func wakeFrom(conn net.Conn, bytes int) {
	for {
		wrapped, is := conn.(interface{ NetConn() net.Conn }) // one that is encrypted
		if !is {
			break
		}
		conn = wrapped.NetConn()
	}
	socket, is := conn.(syscall.Conn)
	if !is {
		return
	}
	if raw, err := socket.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, bytes)
		})
	}
}
