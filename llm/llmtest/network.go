package llmtest

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
)

// pipe is a connection in memory. Waiting on it is no waiting for the world, so that the clock of a synctest bubble
// goes on.
func pipe() (client, server net.Conn) {
	near, far := net.Pipe()
	wire := new(wire)
	return &clientEnd{near, wire}, &serverEnd{far, wire}
}

// wire is what both ends of a connection share.
type wire struct{ reset atomic.Bool }

// serverEnd can reset the connection.
type serverEnd struct {
	net.Conn
	wire *wire
}

func reset(c net.Conn) {
	c.(*serverEnd).wire.reset.Store(true)
	c.Close()
}

// clientEnd sees a reset as a client on a network does.
type clientEnd struct {
	net.Conn
	wire *wire
}

func (c *clientEnd) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, c.seen("read", err)
}

func (c *clientEnd) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if errors.Is(err, io.ErrClosedPipe) {
		err = &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	}
	return n, c.seen("write", err)
}

func (c *clientEnd) seen(doing string, err error) error {
	if err == nil || !c.wire.reset.Load() {
		return err
	}
	return &net.OpError{Op: doing, Net: "tcp", Err: os.NewSyscallError(doing, syscall.ECONNRESET)}
}

func drain(r io.Reader) { _, _ = io.Copy(io.Discard, r) }
