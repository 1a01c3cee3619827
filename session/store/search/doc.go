// Package search finds messages by their words. It says what a typed text asks for, where it is in a message and which
// line to show of it; and it keeps the full-text index, which is SQLite's FTS4.
//
//	q := search.Parse(`"sourdough starter" flour`)
//	// SELECT docid FROM found WHERE found MATCH q.Match() ORDER BY docid DESC
//	if _, ok := q.Find(search.Text(message)); ok {
//		line, marks := q.Snippet(search.Text(message))
//	}
//
// # Words
//
// A text is a sequence of words, and the index, a query and the marks in a snippet all take them from one function. A
// word is a run of letters and digits in lower case and without accents. Of scripts without spaces every character is a
// word, so that what hangs together is found as a phrase, wherever it is.
//
// # The index
//
// The table found has the words of every message that is whole, and gets and loses them in the transaction that writes
// or removes the message. It keeps no copy of the text (found_text is empty, but for a moment in Remove). What was
// imported in too great a number to wait for is in the backlog, the view unfound, and is indexed in short steps. The
// messages do not depend on the index: where it is damaged, Renew makes a new one and all of them are in the backlog.
//
// The package does not read messages: their texts are passed to it.
package search
