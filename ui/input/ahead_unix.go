//go:build unix && !linux

package input

// bytesWaiting asks a terminal how many bytes there are to read: FIONREAD, which is the same number on macOS and the BSDs.
const bytesWaiting = 0x4004667f
