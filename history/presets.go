package history

import (
	"fmt"
	"strings"
)

// Rules is the version of the rules that Build follows. A stored plan names the version that made
// it, so that an old request can be explained as it was.
const Rules = 4

// Presets lists the names of the presets, the default first.
func Presets() []string {
	return []string{"balanced", "recall", "classic", "assistant-first", "recent", "summary", "full"}
}

// Preset is the policy of that name.
func Preset(name string) (Policy, error) {
	p := balanced()
	p.Preset = name
	switch name {
	case "balanced":
	case "recall":
		p.LastWholeShare, p.RecallShare, p.RecallMaxTokens = 0.05, 0.95, NoLimit
	case "classic":
		p.AssistantRecallChars = 150
		p.LastWholeMaxTokens, p.Elastic, p.RecallShare = 0, false, 0
		p.MaxMessages, p.HistoryBudget = 50, 6000
	case "assistant-first":
		p.UserMaxChars, p.AssistantMaxChars, p.AssistantRecallChars = 150, 8192, 8192
		p.LastWholeMaxTokens, p.Elastic, p.RecallShare = 0, false, 0
		p.MaxMessages, p.MinMessages = 50, 5
		p.Strategy, p.BudgetChars = DropOldest, 15360
	case "recent":
		p = unlimited(p)
		p.LastWholeMaxTokens, p.Elastic = 0, false
		p.MaxMessages, p.Strategy = 50, DropOldest
	case "summary":
		p.RecallShare, p.RecallMaxTokens, p.SummarizeRatio = 0.2, 4096, 0.5
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
		RecallShare:          0.75,
		RecallMaxTokens:      8192,
		MaxMessages:          NoLimit,
		Strategy:             DropMiddle,
		MaxContextTokens:     32000,
		Placement:            Steady,
		ToolHistory:          ToolsKeep,
		Recovery:             RecoverRepair,
		MidSystem:            Hoist,
		Marker:               "[Earlier messages truncated]",
		MarkerCounted:        "[Earlier messages truncated: {n} messages]",
		UserSuffix:           " ... (truncated, original: {n} chars)",
		AssistantSuffix:      " ... (truncated)",
	}
}

// unlimited takes every limit on single messages off, and recall with them.
func unlimited(p Policy) Policy {
	p.UserMaxChars, p.AssistantMaxChars, p.AssistantRecallChars, p.ToolMaxChars = NoLimit, NoLimit, NoLimit, NoLimit
	p.RecallShare = 0
	return p
}

// Check says what is wrong with a policy, in the words of the configuration file.
func (p Policy) Check() error {
	if err := p.checkNumbers(); err != nil {
		return err
	}
	for _, w := range []struct {
		key, value string
		takes      []string
	}{
		{"strategy", string(p.Strategy), []string{"middle", "oldest", "turns", "none"}},
		{"placement", string(p.Placement), []string{"steady", "in-order"}},
		{"tool_history", string(p.ToolHistory), []string{"keep", "text", "drop"}},
		{"recovery", string(p.Recovery), []string{"repair", "strip", "strict"}},
		{"mid_system", string(p.MidSystem), []string{"hoist", "inline"}},
	} {
		if !contains(w.takes, w.value) {
			return fmt.Errorf("context.%s is %q; it takes %s", w.key, w.value, strings.Join(w.takes, ", "))
		}
	}
	if strings.TrimSpace(p.Marker) == "" {
		return fmt.Errorf("context.marker is blank; a gap must show")
	}
	return nil
}

func (p Policy) checkNumbers() error {
	for _, n := range []struct {
		key   string
		value int
	}{
		{"user_max_chars", p.UserMaxChars},
		{"assistant_max_chars", p.AssistantMaxChars},
		{"assistant_recall_chars", p.AssistantRecallChars},
		{"tool_max_chars", p.ToolMaxChars},
		{"last_whole_max_tokens", p.LastWholeMaxTokens},
		{"recall_max_tokens", p.RecallMaxTokens},
		{"max_messages", p.MaxMessages},
		{"min_messages", p.MinMessages},
		{"budget", p.Budget},
		{"history_budget", p.HistoryBudget},
		{"budget_chars", p.BudgetChars},
		{"max_context_tokens", p.MaxContextTokens},
		{"output_reserve", p.OutputReserve},
		{"step_tokens", p.StepTokens},
	} {
		if n.value < 0 {
			return fmt.Errorf("context.%s is %d; it takes 0 or more", n.key, n.value)
		}
	}
	for _, n := range []struct {
		key   string
		value float64
	}{
		{"last_whole_share", p.LastWholeShare},
		{"recall_share", p.RecallShare},
		{"summarize_ratio", p.SummarizeRatio},
	} {
		// Written so that a NaN fails too.
		if !(n.value >= 0 && n.value <= 1) {
			return fmt.Errorf("context.%s is %g; it takes 0 to 1", n.key, n.value)
		}
	}
	if p.Budget == 0 && p.MaxContextTokens == 0 {
		return fmt.Errorf("context.max_context_tokens is 0; with an automatic budget it takes 1 or more")
	}
	return nil
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
