package history

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"winnow/history/repair"
)

// NoLimit is the value of a limit that is not set.
const NoLimit = math.MaxInt

// Policy holds the settings that decide how a request is cut. A preset fills it; the configuration, a session and a
// single request can override each key. Fields without a key are set by the preset alone. Character limits count the
// Unicode code points of the original that are kept in front of the suffix.
type Policy struct {
	// the preset that sets the other keys
	Preset string `toml:"preset"`
	// a longer user message is cut to this
	UserMaxChars int `toml:"user_max_chars"`
	// an older assistant message that is longer is cut to this
	AssistantMaxChars int `toml:"assistant_max_chars"`
	// a longer assistant message must match better to be recalled
	AssistantRecallChars int `toml:"-"`
	// a longer tool result keeps its beginning and end
	ToolMaxChars int `toml:"tool_max_chars"`
	// the last turn is sent whole up to this size; 0 cuts it like any other
	LastWholeMaxTokens int `toml:"last_whole_max_tokens"`
	// and up to this share of the budget, but at least 200 tokens; 0 sets no such limit
	LastWholeShare float64 `toml:"-"`
	// false cuts at these limits even if everything fits
	Elastic bool `toml:"elastic"`
	// the most tokens that recalled messages may use; 0 recalls nothing
	RecallMaxTokens int `toml:"recall_max_tokens"`
	// the share of the budget that is free after the model has summarised the oldest messages, 0 to 1; 0 turns
	// summaries off
	SummarizeRatio float64 `toml:"summarize_ratio"`
	// use a summary even if everything would fit
	SummaryAlways bool `toml:"summary_always"`
	// the most messages of the history; 0 sends no history
	MaxMessages int `toml:"max_messages"`
	// the strategy oldest keeps at least this many
	MinMessages int `toml:"-"`
	// what is dropped if the budget is too small
	Strategy Strategy `toml:"strategy" takes:"middle oldest turns none"`
	// tokens of the whole request; 0 is auto
	Budget int `toml:"budget"`
	// tokens of the history alone; 0 is unset
	HistoryBudget int `toml:"-"`
	// characters of the history alone; 0 is unset
	BudgetChars int `toml:"-"`
	// the upper limit of an automatic budget; at least 8 plus the system prompt
	MaxContextTokens int `toml:"max_context_tokens"`
	// tokens of the window reserved for the reply; 0 is min(4096, 25 % of the window)
	OutputReserve int `toml:"output_reserve"`
	// the size of a block of turns that is dropped at once; 0 is auto
	StepTokens int `toml:"-"`
	// how past tool calls are sent
	ToolHistory ToolHistory `toml:"tool_history" takes:"keep text drop"`
	// how a damaged history is handled
	Recovery Recovery `toml:"recovery" takes:"repair strip strict"`
	// if the budget is too small, replace an older image by a note with its name
	ImageNotes bool `toml:"-"`
	// use marker_counted instead of marker
	MarkerDetail bool `toml:"marker_detail"`
	// replaces dropped messages
	Marker string `toml:"marker"`
	// the same with their number, {n}
	MarkerCounted string `toml:"-"`
	// follows a cut user message; {n} is its original length
	UserSuffix string `toml:"user_suffix"`
	// follows a cut assistant message
	AssistantSuffix string `toml:"assistant_suffix"`
}

// Summarizes reports whether a summary may replace the oldest messages.
func (p Policy) Summarizes() bool { return p.SummarizeRatio > 0 || p.SummaryAlways }

// Strategy says what is dropped first if the budget is too small.
type Strategy string

// The strategies.
const (
	DropMiddle Strategy = "middle" // keep the opening turn and the newest messages; drop the oldest of those between
	DropOldest Strategy = "oldest" // drop the oldest message first
	DropTurns  Strategy = "turns"  // drop the oldest turn first
	DropNone   Strategy = "none"   // send the whole history or nothing
)

// ToolHistory says how tool calls of the past are sent.
type ToolHistory = repair.ToolHistory

// The ways to send tool calls of the past.
const (
	ToolsKeep = repair.ToolsKeep
	ToolsText = repair.ToolsText
	ToolsDrop = repair.ToolsDrop
)

// Recovery says how a damaged history is handled.
type Recovery string

// The ways to handle a damaged history.
const (
	RecoverRepair Recovery = "repair" // repair what is sent, and report it
	RecoverStrip  Recovery = "strip"  // send text only
	RecoverStrict Recovery = "strict" // refuse, naming the message and the field
)

// AllowsRemedies reports whether the user can choose remedies. With strip and strict there is nothing to choose.
func (r Recovery) AllowsRemedies() bool { return r != RecoverStrip && r != RecoverStrict }

// RulesVersion is the version of the rules that Build follows. A recorded request names the version that made it; under
// another version it may be rebuilt differently.
const RulesVersion = 1

// Presets returns the names of the presets, the default first.
func Presets() []string {
	return []string{"balanced", "recall", "classic", "assistant-first", "recent", "summary", "full"}
}

// Preset returns the policy of the named preset.
func Preset(name string) (Policy, error) {
	p := balanced()
	p.Preset = name
	switch name {
	case "balanced":
	case "recall":
		p.LastWholeShare, p.RecallMaxTokens = 0.05, NoLimit
	case "classic":
		p.AssistantRecallChars = 150
		p.LastWholeMaxTokens, p.Elastic, p.RecallMaxTokens, p.ImageNotes = 0, false, 0, false
		p.MaxMessages, p.HistoryBudget = 50, 6000
	case "assistant-first":
		p.UserMaxChars, p.AssistantMaxChars, p.AssistantRecallChars = 150, 8192, 8192
		p.LastWholeMaxTokens, p.Elastic, p.RecallMaxTokens, p.ImageNotes = 0, false, 0, false
		p.MaxMessages, p.MinMessages = 50, 5
		p.Strategy, p.BudgetChars = DropOldest, 15360
	case "recent":
		p = unlimited(p)
		p.LastWholeMaxTokens, p.Elastic = 0, false
		p.MaxMessages, p.Strategy = 50, DropOldest
	case "summary":
		p.RecallMaxTokens, p.SummarizeRatio = 4096, 0.5
	case "full":
		p = unlimited(p)
		p.LastWholeMaxTokens, p.Strategy = NoLimit, DropNone
	default:
		return Policy{}, fmt.Errorf("there is no preset %q; there are %s", name, strings.Join(Presets(), ", "))
	}
	return p, nil
}

func balanced() Policy {
	return Policy{
		Preset:               "balanced",
		UserMaxChars:         8000,
		AssistantMaxChars:    150,
		AssistantRecallChars: 600,
		ToolMaxChars:         2000,
		LastWholeMaxTokens:   2000,
		LastWholeShare:       0.125,
		Elastic:              true,
		RecallMaxTokens:      8192,
		MaxMessages:          NoLimit,
		Strategy:             DropMiddle,
		MaxContextTokens:     32000,
		ToolHistory:          ToolsKeep,
		Recovery:             RecoverRepair,
		ImageNotes:           true,
		Marker:               "[Earlier messages truncated]",
		MarkerCounted:        "[Earlier messages truncated: {n} messages]",
		UserSuffix:           " ... (truncated, original: {n} chars)",
		AssistantSuffix:      " ... (truncated)",
	}
}

// unlimited returns p without limits on single messages, with all images and without recall.
func unlimited(p Policy) Policy {
	p.UserMaxChars, p.AssistantMaxChars, p.AssistantRecallChars, p.ToolMaxChars = NoLimit, NoLimit, NoLimit, NoLimit
	p.RecallMaxTokens, p.ImageNotes = 0, false
	return p
}

// Check returns an error that names the first key of the configuration with an invalid value. Numbers must be 0 or
// more, and shares 0 to 1.
func (p Policy) Check() error {
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		key, takes := tag.Get("toml"), strings.Fields(tag.Get("takes"))
		switch value := v.Field(i); {
		case value.CanInt() && value.Int() < 0:
			return fmt.Errorf("context.%s is %d; must be 0 or more", key, value.Int())
		case value.CanFloat() && !(value.Float() >= 0 && value.Float() <= 1): // a NaN fails too
			return fmt.Errorf("context.%s is %g; must be 0 to 1", key, value.Float())
		case len(takes) > 0 && !slices.Contains(takes, value.String()):
			return fmt.Errorf("context.%s is %q; must be %s", key, value, strings.Join(takes, ", "))
		}
	}
	if p.Budget == 0 && p.MaxContextTokens == 0 {
		return fmt.Errorf("context.max_context_tokens is 0; with an automatic budget it takes 1 or more")
	}
	if strings.TrimSpace(p.Marker) == "" {
		return fmt.Errorf("context.marker is blank; it must contain text")
	}
	return nil
}
