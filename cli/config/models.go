package config

import (
	"fmt"
	"maps"
	"slices"

	"winnow/llm"
	"winnow/session"
	"winnow/session/record"
)

// ModelSettings returns the settings of a model: for each key, the value of the most specific table that sets it.
func (c Config) ModelSettings(endpoint, model string) session.ModelDefaults {
	s := session.ModelDefaults{Tables: make(map[string]string)}
	for _, pattern := range c.patterns() {
		t := c.Models[pattern]
		if match, err := llm.MatchModel(pattern, endpoint, model); !match || err != nil {
			continue
		}
		for key, said := range map[string]bool{
			"system": t.System != nil, "max_tokens": t.Sampling.MaxTokens > 0, "effort": t.Sampling.Effort != "",
			"temperature": t.Sampling.Temperature != nil, "top_p": t.Sampling.TopP != nil,
		} {
			if _, known := s.Tables[key]; said && !known {
				s.Tables[key] = patternTable(pattern)
			}
		}
		if s.System == nil {
			s.System = t.System
		}
		s.Sampling = s.Sampling.WithDefaults(record.Sampling(t.Sampling))
	}
	return s
}

// ModelTables returns the valid [models] tables, most specific first, as package llm needs them.
func (c Config) ModelTables() []llm.ModelConfig {
	var list []llm.ModelConfig
	for _, pattern := range c.patterns() {
		m := c.Models[pattern]
		s := llm.ModelConfig{
			Pattern: pattern, Table: patternTable(pattern), Window: m.Window, Tools: m.Tools,
		}
		if m.Prices != nil {
			s.Prices = m.Prices.prices()
		}
		list = append(list, s)
	}
	return list
}

func (c Config) patterns() []string {
	return slices.SortedFunc(maps.Keys(c.Models), llm.ComparePatterns)
}

func patternTable(pattern string) string { return fmt.Sprintf("[models.%q]", pattern) }
