// Package terminal draws views on the terminal, and takes and gives back the terminal. It stands in for the renderer of
// Bubble Tea, which wakes up for each frame as long as the program runs, whether anything has changed or not, and which
// takes the whole view apart when one line of it has changed.
package terminal
