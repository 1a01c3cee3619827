package cli

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"

	"winnow/llm"
	"winnow/session"
	"winnow/session/record"
	"winnow/session/store"
)

// Exit is what the process ends with.
type Exit int

// The exit codes. Scripts may count on them.
const (
	OK       Exit = 0 // it worked
	Failed   Exit = 1 // it did not
	Usage    Exit = 2 // a flag, an argument or the configuration file is wrong
	NotFound Exit = 3 // no such session, or no such turn in it
	// The endpoint refused, failed, could not be reached or stopped in the middle, or a limit kept the request back.
	Provider    Exit = 4
	Interrupted Exit = 130 // stopped by SIGINT, or by a terminal that went away
	Terminated  Exit = 143 // stopped by SIGTERM
)

// failure is an error with the exit code it leads to and a sentence for the user.
type failure struct {
	exit Exit
	text string
	err  error
}

func (f *failure) Error() string { return f.text }

func (f *failure) Unwrap() error { return f.err }

// fail makes an error for the user that ends the program with the given code.
func fail(exit Exit, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &failure{exit: exit, text: err.Error(), err: errors.Unwrap(err)}
}

// exitOf is the exit code an error leads to.
func exitOf(err error) Exit {
	var f *failure
	var provider *llm.Error
	var tool *session.ToolError
	var over *session.LimitError
	var missing *record.NoRequestError
	switch {
	case errors.As(err, &f):
		return f.exit
	case errors.As(err, &provider), errors.As(err, &tool), errors.As(err, &over):
		return Provider
	case errors.Is(err, store.ErrNotFound), errors.As(err, &missing):
		return NotFound
	case errors.Is(err, context.Canceled):
		return Interrupted
	}
	return Failed
}

// untilStopped returns a context that ends with the first SIGINT or SIGTERM, and a function that stops listening.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
}

// stopped is the error of a command that a signal ended, with what it left behind in words; it is err where none did.
func stopped(ctx context.Context, err error, left string) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &failure{exit: stoppedBy(ctx), text: left, err: ctx.Err()}
}

// stoppedBy is the exit code of a program that a signal has stopped, by the context that the signal ended.
func stoppedBy(ctx context.Context) Exit {
	if cause := context.Cause(ctx); cause != nil && strings.HasPrefix(cause.Error(), syscall.SIGTERM.String()) {
		return Terminated
	}
	return Interrupted
}
