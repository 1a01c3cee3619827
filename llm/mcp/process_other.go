//go:build !unix

package mcp

import "os/exec"

// apart does nothing: where there are no process groups, what a program starts is left to that program.
func apart(*exec.Cmd) {}

// endGroup does nothing: the program was asked to end when its standard input was closed.
func endGroup(*exec.Cmd) {}

// killGroup kills a program.
func killGroup(cmd *exec.Cmd) { cmd.Process.Kill() }
