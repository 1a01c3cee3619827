package history

import "math"

// NoLimit stands for a limit that is not set.
const NoLimit = math.MaxInt

// Policy is everything that decides how a request is cut. A preset fills it; every key can be
// overridden in the configuration, per session and per request. Character limits count Unicode
// code points of the original that are kept before the suffix; token limits count tokens.
type Policy struct {
	Preset               string      `toml:"preset"`                 // the preset this policy started from
	UserMaxChars         int         `toml:"user_max_chars"`         // a user message above this is cut
	AssistantMaxChars    int         `toml:"assistant_max_chars"`    // an older assistant message above this is cut to it
	AssistantRecallChars int         `toml:"assistant_recall_chars"` // a recalled assistant message up to this counts as short
	ToolMaxChars         int         `toml:"tool_max_chars"`         // a tool result above this keeps its head and tail
	LastWholeMaxTokens   int         `toml:"last_whole_max_tokens"`  // the last exchange stays whole up to this; 0 cuts it like any other
	LastWholeShare       float64     `toml:"last_whole_share"`       // and up to this share of what a request may hold, but 200 tokens; 0 is no such limit
	Elastic              bool        `toml:"elastic"`                // false cuts at the limits even when everything fits
	RecallShare          float64     `toml:"recall_share"`           // the share of the spending that recall may take, 0 to 1
	RecallMaxTokens      int         `toml:"recall_max_tokens"`      // and its cap
	SummarizeRatio       float64     `toml:"summarize_ratio"`        // the share of the room that is free again after a model has condensed the oldest messages, 0 to 1; 0 never asks one
	SummaryAlways        bool        `toml:"summary_always"`         // a summary that there is stands even where everything fits
	MaxMessages          int         `toml:"max_messages"`           // most history messages; 0 sends no history
	MinMessages          int         `toml:"min_messages"`           // strategy oldest keeps at least so many
	Strategy             Strategy    `toml:"strategy"`               // what goes when the budget is short
	Budget               int         `toml:"budget"`                 // tokens of the whole request; 0 is auto
	HistoryBudget        int         `toml:"history_budget"`         // tokens of the history alone, already net; 0 is unset
	BudgetChars          int         `toml:"budget_chars"`           // characters of the history alone; 0 is unset
	MaxContextTokens     int         `toml:"max_context_tokens"`     // what an auto budget never exceeds
	OutputReserve        int         `toml:"output_reserve"`         // tokens of the window kept free for the reply; 0 is min(4096, 25 % of the window)
	StepTokens           int         `toml:"step_tokens"`            // the size of a block; 0 is auto
	Placement            Placement   `toml:"placement"`              // where recalled text stands
	ToolHistory          ToolHistory `toml:"tool_history"`           // how tool calls of the past are sent
	Recovery             Recovery    `toml:"recovery"`               // what happens to a damaged history
	MidSystem            MidSystem   `toml:"mid_system"`             // where a system message in the middle goes
	MarkerDetail         bool        `toml:"marker_detail"`          // the gap marker names its count
	Marker               string      `toml:"marker"`                 // stands for a gap
	MarkerCounted        string      `toml:"marker_counted"`         // the same where MarkerDetail is set; {n} is the count
	UserSuffix           string      `toml:"user_suffix"`            // follows a cut user message; {n} is its original length
	AssistantSuffix      string      `toml:"assistant_suffix"`       // follows a cut assistant message
}

// Summarizes says whether a summary may stand for the oldest messages.
func (p Policy) Summarizes() bool { return p.SummarizeRatio > 0 || p.SummaryAlways }

// Strategy says what goes first when the budget is short.
type Strategy string

// The strategies.
const (
	DropMiddle Strategy = "middle" // keep the opener and the newest, drop between them, oldest first
	DropOldest Strategy = "oldest" // drop the oldest message first
	DropTurns  Strategy = "turns"  // drop the oldest exchange first
	DropNone   Strategy = "none"   // send all of it or nothing
)

// Placement says where recalled messages stand in the request.
type Placement string

// The placements.
const (
	Steady  Placement = "steady"   // in one block in front of the current message, so that the body stays the same
	InOrder Placement = "in-order" // in their chronological place
)

// ToolHistory says how tool calls of the past are sent.
type ToolHistory string

// The ways to send tool calls of the past.
const (
	ToolsKeep ToolHistory = "keep"
	ToolsText ToolHistory = "text"
	ToolsDrop ToolHistory = "drop"
)

// Recovery says what happens to a damaged history.
type Recovery string

// The ways to meet a damaged history.
const (
	RecoverRepair Recovery = "repair" // repair what is sent, and say so
	RecoverStrip  Recovery = "strip"  // send text only
	RecoverStrict Recovery = "strict" // refuse, naming message and field
)

// MidSystem says where a system message in the middle of a history goes.
type MidSystem string

// The places for a system message from the middle of a history.
const (
	Hoist  MidSystem = "hoist"  // to the end of the system prompt
	Inline MidSystem = "inline" // in front of the next user message's text
)
