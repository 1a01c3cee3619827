package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is the connection to a program: one JSON-RPC message a line. What is no message is dropped.
type stdio struct {
	process *process
	lines   *lineReader
	filter  *filter
	writing chan struct{} // holds one token: who has it may write
}

func newStdio(p *process, f *filter) *stdio {
	c := &stdio{process: p, lines: newLineReader(p.out, mostMessage), filter: f, writing: make(chan struct{}, 1)}
	c.writing <- struct{}{}
	return c
}

// Connect makes the connection its own transport.
func (c *stdio) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID is "": a program has one session.
func (c *stdio) SessionID() string { return "" }

// Read returns the next message.
func (c *stdio) Read(context.Context) (jsonrpc.Message, error) {
	for {
		l, err := c.lines.next()
		if err != nil {
			return nil, err
		}
		var msg jsonrpc.Message
		if l.long {
			_, msg = c.filter.tooLong(l)
		} else {
			_, msg = c.filter.judge(l.text)
		}
		if msg != nil {
			return msg, nil
		}
	}
}

// Write sends a message. A program that does not read makes it wait until ctx ends; where a part of the message
// is gone by then, the connection is of no more use.
func (c *stdio) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	if _, ok := msg.(*jsonrpc.Response); ok {
		defer c.filter.answered()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.writing:
	}
	defer func() { c.writing <- struct{}{} }()
	late := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(late)
		c.process.in.SetWriteDeadline(time.Unix(1, 0))
	})
	n, err := c.process.in.Write(append(data, '\n'))
	if !unwatch() {
		<-late
		c.process.in.SetWriteDeadline(time.Time{})
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ctx.Err()
		if n > 0 {
			go c.process.end()
		}
	}
	return err
}

// Close ends the program, without waiting for its end.
func (c *stdio) Close() error {
	go c.process.end()
	return nil
}
