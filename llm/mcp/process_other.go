//go:build !unix

package mcp

import "os/exec"

// setGroup does nothing: where there are no process groups, what a program starts is left to that program.
func setGroup(*exec.Cmd) {}

// killGroup does nothing: see setGroup.
func killGroup(*exec.Cmd) {}
