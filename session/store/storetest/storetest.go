// Package storetest is imported by tests for what it does when the program begins: their temporary files are in
// memory where the system has room for that. Programs are killed in these tests, but never the power cut, so that
// nothing depends on a disk having kept what was written, and waiting for it is most of their time.
package storetest
