package llm

import "winnow/history"

// Talk is one conversation of another program with all its branches, or what stands in its place.
type Talk struct {
	Index     int    // its place among the conversations of the file, from 0
	Line      int    // the line it begins in, from 1
	ID        string // what the program knows it by, "" for nothing
	Title     string
	Model     string // the model that it was last held with
	CreatedMS int64  // Unix milliseconds, 0 for not said
	UpdatedMS int64
	Archived  bool
	Pinned    bool
	Messages  []Spoken // every one behind the one that it follows
	Leaf      int      // the place in Messages of the end of the active branch, -1 where there is none
	Odd       []Odd    // what is odd about it, and what of it could not be read
	Broken    *Remark  // why it is no conversation, and all else may be missing; a sentence about the file where Field is file; nil for one
}

// Spoken is one message of a Talk. Its label is its id there, and no two have the same.
type Spoken struct {
	history.Message
	Behind  int    // the place of the message before it on its branch, -1 for none
	Model   string // the model that answered, "" where that is not said
	Ignored bool   // the program keeps it from its model
	Extra   []byte // what of it has no place in a message, as a JSON object under the program's name; nil for nothing
}

// Odd is a remark about one message of a Talk, or about all of it where Label is "".
type Odd struct {
	Label string
	Lost  bool // it is not imported
	Remark
}
