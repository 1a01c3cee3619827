package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const (
	// commandTime is how long a command may take. It may wait for the user's fingerprint.
	commandTime = 30 * time.Second

	// outputTime is how long output is read after the command has exited, if a child process keeps it
	// open.
	outputTime = 500 * time.Millisecond
)

// FromCommand runs a command with its arguments and returns the first line of its output.
func FromCommand(ctx context.Context, command []string) (Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = &stderr
	cmd.WaitDelay = outputTime
	out, err := cmd.Output()
	key := firstLine(string(out))
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s was stopped: %w", command[0], ctx.Err())
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", fmt.Errorf("%s: %w %s", command[0], err, firstLine(stderr.String()))
	case key == "":
		return "", fmt.Errorf("%s printed nothing", command[0])
	}
	return Secret(key), nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
