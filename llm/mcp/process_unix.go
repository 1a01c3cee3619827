//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// setGroup gives a program a session of its own: it cannot read the terminal, and signals reach it with everything
// that it starts. To be ended it is asked first.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killGroup kills everything that a program started.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
