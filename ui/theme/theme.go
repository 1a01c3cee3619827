// Package theme holds what every part of the screen draws with: colours by role, styles, the arithmetic of
// cells, numbers and plurals in words, the signs of verdicts, and a line to type in. It knows no session, no
// keys and no part of the screen.
package theme
