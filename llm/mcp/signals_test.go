package mcp

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// ignoreSignals makes this program ignore signals, and starts a child that keeps its output open.
func ignoreSignals() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	child := exec.Command("sleep", "600")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	child.Start()
}
