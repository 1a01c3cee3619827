//go:build !linux

package footprint

func dropCode() {}
