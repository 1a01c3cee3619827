package mcp

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// ignoreSignals makes this program outlive everything but a kill, together with a child that holds its output.
func ignoreSignals() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	child := exec.Command("sleep", "600")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	child.Start()
}
