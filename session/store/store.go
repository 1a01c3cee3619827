// Package store keeps conversations in one SQLite file. It holds all the SQL of winnow and the
// promises about what is on disk when. It does not decide what a model sees and talks to none.
package store

import (
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"
)

// Session is one conversation's row.
type Session struct {
	ID        string // a UUIDv7; any unique prefix finds it
	Title     string
	TitleFrom TitleSource // an automatic title never replaces the user's
	Created   time.Time
	Updated   time.Time
	Endpoint  string // the name of the endpoint last used
	Model     string // as the endpoint knows it
	Preset    string // the preset that was chosen for this session, "" for the configured one
	Overrides string // TOML of the policy keys that this session overrides
	System    string // its system prompt
	// SystemFixed says that System is the session's own even if it is "". Without it, "" is the configured one.
	SystemFixed bool
	Leaf        int64  // the newest message of the active branch, 0 for none
	Parent      string // the session it was forked from
	ForkedAt    int64  // the message it was forked at
	Pinned      bool
	Archived    bool
	Deleted     time.Time // when it went to the trash, zero otherwise
	Dir         string    // the working directory it was begun in: a facet, never a wall
	Source      string    // the program it was imported from, "" for winnow's own and for plain files
	Origin      string    // its id there
	Tags        []string
	Messages    int    // all its messages, every branch
	Turns       int    // its user messages
	Match       string // in a search: the matching line
}

// TitleSource says where a session's title comes from, "" for no title.
type TitleSource string

// The sources of titles.
const (
	TitleAuto TitleSource = "auto"
	TitleUser TitleSource = "user"
)

// Message is one stored message: what was said, and how it came to be here.
type Message struct {
	history.Message
	Session      string
	Seq          int   // its place in the session, from 1, counting every branch
	Parent       int64 // the message before it on its branch, 0 for the first
	Siblings     int   // how many messages share its parent, itself included
	Sibling      int   // its place among them, from 1
	Request      int64 // the request that asked for it, 0 for none
	Endpoint     string
	Model        string // the model that answered
	FinishReason string
	Tokenizer    string // who counted Tokens, "" where they are not counted
	Extra        []byte // unknown keys of the reply, or of the message in an imported file, raw JSON, nil for none; Replay is read from it and never stored
	Alone        bool   // of a user's message: it is sent without the conversation before it, whenever it is asked again
	Damaged      bool   // its bytes fail their hash: it is quarantined and comes without its text
	Remains      string // what can be read of a damaged message's text: to be shown as damaged, never as said, and never sent
}

// Purpose is what a request is for.
type Purpose string

// The purposes of requests.
const (
	ForAnswer  Purpose = ""        // to answer the user
	ForSummary Purpose = "summary" // to summarize older messages
	ForTitle   Purpose = "title"   // to give the session a title
)

// RequestEnd says how a request ended, "" while it runs or after a crash.
type RequestEnd string

// The ways a request ends. The first three are those of an answer's stream.
const (
	EndDone    RequestEnd = "done"
	EndNoDone  RequestEnd = "no-done" // in order, but nobody said that the answer was over
	EndCut     RequestEnd = "cut"     // the connection broke
	EndStopped RequestEnd = "stopped" // by the user
	EndFailed  RequestEnd = "failed"
)

// Request is the record of one request that was sent.
type Request struct {
	ID         int64
	Session    string
	Turn       int   // the session's turns are numbered from 1
	User       int64 // the user message that it answers
	Purpose    Purpose
	Created    time.Time
	Endpoint   string
	Model      string
	Options    []byte    // JSON: everything that decided the plan beside the messages themselves
	Plan       *Verdicts // of a request that is added: what was decided about each message; Store.Verdicts reads it
	Rules      int       // history's version of the rules
	Tokenizer  string
	Estimate   int    // counted tokens of the whole request
	BodyHash   string // hex SHA-256 of the body sent, which never holds a secret
	Prompt     int    // tokens as reported, -1 not said
	Cached     int
	Answer     int
	Reasoning  int
	Cost       int64         // nanodollars, where CostFrom says that they are known
	CostFrom   string        // where the cost comes from, "" where there is nothing to say of it
	FirstToken time.Duration // 0 for none
	Took       time.Duration
	Retries    int
	Finish     string // finish_reason as received
	End        RequestEnd
	Error      string // the error's sentence and body, "" for none

	CutExpected int // what the server was expected to count, where Prompt shows that it did not read all; else 0
}

// Verdicts is what the record of a request keeps of its plan.
type Verdicts = verdicts.Plan

// Memory is the path of a store that leaves nothing on disk.
const Memory = sqlite.Memory
