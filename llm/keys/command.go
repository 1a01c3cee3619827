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

// FromCommand runs a program with its arguments and returns the first line that it prints.
func FromCommand(ctx context.Context, command []string) (Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = &stderr
	cmd.Env = os.Environ()
	out, err := cmd.Output()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("%s took longer than %s", command[0], commandTime)
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s was stopped: %w", command[0], ctx.Err())
	case err != nil:
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
