// Package search finds words in the texts of messages: it says what a typed text asks for, where it is in a message and
// which line to show of it. The full-text index is SQLite's, in the table found, and is given the words of this
// package.
//
//	q := search.Parse(`"sourdough starter" flour`)
//	// SELECT docid FROM found WHERE found MATCH q.Match() ORDER BY docid DESC
//	if _, ok := q.Find(search.MessageText(message)); ok {
//		line, marks := q.Snippet(search.MessageText(message))
//	}
//
// A text is a sequence of words, and the index, a query and the marks in a snippet all take them from one function. A
// word is a run of letters and digits in lower case and without accents. Of scripts without spaces every character is a
// word, so that what hangs together is found as a phrase, wherever it is.
//
// The package does no I/O: texts and messages are passed to it.
package search
