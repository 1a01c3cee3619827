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
	ID        string      `db:"id"` // a UUIDv7; any unique prefix finds it
	Title     string      `db:"title"`
	TitleFrom TitleSource `db:"title_from"` // an automatic title never replaces the user's
	Created   time.Time   `db:"created_ms"`
	Updated   time.Time   `db:"updated_ms"`
	Endpoint  string      `db:"endpoint"`  // the name of the endpoint last used
	Address   string      `db:"address"`   // where this machine's requests go, without secrets, "" before the first one
	Model     string      `db:"model"`     // as the endpoint knows it
	Preset    string      `db:"preset"`    // the preset that was chosen for this session, "" for the configured one
	Overrides string      `db:"overrides"` // TOML of the policy keys that this session overrides
	System    string      `db:"system"`    // its system prompt
	// SystemFixed says that System is the session's own even if it is "". Without it, "" is the configured one.
	SystemFixed bool      `db:"system_fixed"`
	Leaf        int64     `db:"leaf"`      // the newest message of the active branch, 0 for none
	Parent      string    `db:"parent"`    // the session it was forked from
	ForkedAt    int64     `db:"forked_at"` // the message it was forked at
	Pinned      bool      `db:"pinned"`
	Archived    bool      `db:"archived"`
	Deleted     time.Time `db:"deleted_ms"` // when it went to the trash, zero otherwise
	Dir         string    `db:"dir"`        // the working directory it was begun in: a facet, never a wall
	Source      string    `db:"source"`     // the program it was imported from, "" for winnow's own and for plain files
	Origin      string    `db:"origin"`     // its id there
	Tags        []string
	Messages    int    `db:"messages"` // all its messages, every branch
	Turns       int    `db:"turns"`    // its user messages
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
	Queued       int64  // of a user's message that is being stored: its id in the session's queue, which it leaves with that; 0 for none
	Fault        string // why its turn failed behind it, where no request failed: JSON as Request.Fault, "" for none
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
	ID         int64 `db:"id,null"`
	Session    string
	Turn       int           `db:"turn"` // the session's turns are numbered from 1
	User       int64         `db:"user"` // the user message that it answers
	Purpose    Purpose       `db:"purpose"`
	Created    time.Time     `db:"created_ms"`
	Endpoint   string        `db:"endpoint"`
	Model      string        `db:"model"`
	Options    []byte        `db:"options,null"` // JSON: everything that decided the plan beside the messages themselves
	Plan       *Verdicts     // of a request that is added: what was decided about each message; Store.Verdicts reads it
	Rules      int           `db:"rules"` // history's version of the rules
	Tokenizer  string        `db:"tokenizer"`
	Estimate   int           `db:"estimate"`      // counted tokens of the whole request
	BodyHash   string        `db:"body_hash"`     // hex SHA-256 of the body sent, which never holds a secret
	Prompt     int           `db:"prompt_tokens"` // tokens as reported, -1 not said
	Cached     int           `db:"cached_tokens"`
	Answer     int           `db:"answer_tokens"`
	Reasoning  int           `db:"reasoning_tokens"`
	Cost       int64         `db:"cost_nano"`      // nanodollars, where CostFrom says that they are known
	CostFrom   string        `db:"cost_from"`      // where the cost comes from, "" where there is nothing to say of it
	FirstToken time.Duration `db:"first_token_us"` // 0 for none
	Took       time.Duration `db:"took_us"`
	Retries    int           `db:"retries"`
	Finish     string        `db:"finish"` // finish_reason as received
	End        RequestEnd    `db:"ended"`
	Error      string        `db:"error"` // the error's sentence and body, "" for none

	CacheWrite  int    `db:"cache_write_tokens"` // tokens of Prompt that the server wrote to its cache, 0 for none or not said
	PriceSource string `db:"price_source"`       // whose prices Cost was computed from, for people, "" for nobody's

	Reusable       int           `db:"reusable_tokens"` // tokens at its beginning that the request before it began with too, as the server counts; 0 for none or not known
	ReusableAge    time.Duration `db:"reusable_us"`     // since that request
	CacheDiagnosis string        `db:"cache_diagnosis"` // what the server says of its cache, JSON as received, "" for nothing

	Fault string `db:"fault"` // of one with which its turn failed: why, as JSON; "" for none

	CutExpected int `db:"cut_expected"` // what the server was expected to count, where Prompt shows that it did not read all; else 0
}

// Verdicts is what the record of a request keeps of its plan.
type Verdicts = verdicts.Plan

// Memory is the path of a store that leaves nothing on disk.
const Memory = sqlite.Memory
