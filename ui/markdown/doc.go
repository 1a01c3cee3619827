// Package markdown turns text that others wrote (a model, a tool, a file name, a paste) into lines for a terminal.
//
// Visible makes every control character of a text visible before anything else, so that no text is ever executed by
// the terminal; OneLine, Truncate and Gist make titles and rows of lists of it.
//
// A Renderer renders a whole text at one width, and a Stream a text that grows. goldmark reads the text, glamour
// renders the words of each paragraph, heading, cell and item, and chroma tells the parts of code apart. This package
// lays out the rest: lists, quotes, tables, code on its ground, and formulas.
//
// The package does not scroll, cache by message or know what a message is.
package markdown
