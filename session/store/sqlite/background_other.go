//go:build !linux

package sqlite

// lowerPriority does nothing: on other systems the priority is that of the whole program.
func lowerPriority() {}
