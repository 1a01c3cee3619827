//go:build !unix

package mcp

import "os/exec"

// setGroup does nothing: without process groups, a program has to stop its children itself.
func setGroup(*exec.Cmd) {}

// killGroup does nothing: see setGroup.
func killGroup(*exec.Cmd) {}
