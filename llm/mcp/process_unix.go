//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// setGroup starts a program in a session of its own, so that it cannot read the terminal and signals reach its children
// too. Canceling the command sends SIGTERM.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killGroup kills a program's remaining children.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
