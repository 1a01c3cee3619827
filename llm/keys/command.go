package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// commandTime is how long a command for a key may take: it may wait for a person's fingerprint.
const commandTime = 30 * time.Second

// outputTime is how long the output is read after the command has ended, if a program that it started keeps it open.
const outputTime = 500 * time.Millisecond

// FromCommand runs a program with its arguments and returns the first line that it prints.
func FromCommand(ctx context.Context, command []string) (Secret, error) {
	return fromCommand(ctx, command, commandTime, outputTime)
}

func fromCommand(ctx context.Context, command []string, limit, delay time.Duration) (Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = &stderr
	cmd.Env = os.Environ()
	cmd.WaitDelay = delay
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // The command succeeded; only a program that it left behind keeps the output open.
	}
	switch {
	case err == nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("%s took longer than %s", command[0], limit)
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s was stopped: %w", command[0], ctx.Err())
	default:
		return "", fmt.Errorf("%s: %w %s", command[0], err, firstLine(stderr.String()))
	}
	key := firstLine(string(out))
	if key == "" {
		return "", fmt.Errorf("%s printed nothing", command[0])
	}
	return Secret(key), nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
