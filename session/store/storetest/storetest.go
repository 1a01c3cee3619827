// Package storetest has helpers for tests. Importing it moves their temporary files into memory if there is room. The
// tests kill programs but never cut the power, so they do not need a disk, and waiting for one would take most of their
// time.
package storetest
