//go:build unix

package mcp

import (
	"os/exec"
	"syscall"
)

// apart gives a program a session of its own: it cannot read the terminal, and signals reach it with everything
// that it starts.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// endGroup asks a program and everything that it started to end.
func endGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup kills a program and everything that it started.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
