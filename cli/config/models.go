package config

import (
	"fmt"
	"maps"
	"slices"

	"winnow/llm"
)

// Table is a table of the configuration that says something of a model.
type Table struct {
	Name string // as the file writes it
	Model
}

// Tables are the tables that say something of a model, the most specific pattern first.
func (c Config) Tables(endpoint, model string) []Table {
	var out []Table
	for _, pattern := range c.patterns() {
		if match, err := llm.MatchModel(pattern, endpoint, model); match && err == nil {
			out = append(out, Table{patternTable(pattern), c.Models[pattern]})
		}
	}
	return out
}

// Patterns are what the tables of models say to the clients of endpoints. They were checked.
func (c Config) Patterns() []llm.ModelSettings {
	var list []llm.ModelSettings
	for _, pattern := range c.patterns() {
		m := c.Models[pattern]
		s := llm.ModelSettings{
			Match: pattern, Table: patternTable(pattern), Wire: llm.Wire(m.Wire), Window: m.Window, Tools: m.Tools,
		}
		if m.Prices != nil {
			s.Prices = m.Prices.prices()
		}
		list = append(list, s)
	}
	return list
}

func (c Config) patterns() []string {
	return slices.SortedFunc(maps.Keys(c.Models), llm.SpecificFirst)
}

func patternTable(pattern string) string { return fmt.Sprintf("[models.%q]", pattern) }
