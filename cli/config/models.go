package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"winnow/llm"
)

// Table is a table of the configuration that says something of a model.
type Table struct {
	Name string // as the file writes it
	Model
}

// Tables are the tables that say something of a model, the one that goes over the others first: its own, those of
// patterns, the sampling of its endpoint.
func (c Config) Tables(endpoint, model string) []Table {
	var own, shared []Table
	for _, name := range slices.Sorted(maps.Keys(c.Endpoints)) {
		if !strings.EqualFold(name, endpoint) {
			continue
		}
		e := c.Endpoints[name]
		for _, m := range slices.Sorted(maps.Keys(e.Models)) {
			if llm.SameModel(m, model) {
				own = append(own, Table{fmt.Sprintf("[endpoints.%s.models.%q]", name, m), e.Models[m]})
			}
		}
		if e.Sampling != (Sampling{}) {
			shared = append(shared, Table{fmt.Sprintf("[endpoints.%s.sampling]", name), Model{Sampling: e.Sampling}})
		}
	}
	for _, pattern := range c.patterns() {
		if match, err := llm.MatchModel(pattern, endpoint, model); match && err == nil {
			own = append(own, Table{patternTable(pattern), c.Models[pattern]})
		}
	}
	return append(own, shared...)
}

// Patterns are the settings of models of any endpoint, the most specific pattern first.
func (c Config) Patterns() []llm.ModelSettings {
	var list []llm.ModelSettings
	for _, pattern := range c.patterns() {
		s := c.Models[pattern].settings(pattern)
		s.Table = patternTable(pattern)
		list = append(list, s)
	}
	return list
}

func (c Config) patterns() []string {
	return slices.SortedFunc(maps.Keys(c.Models), llm.SpecificFirst)
}

func patternTable(pattern string) string { return fmt.Sprintf("[models.%q]", pattern) }

// settingsOf are the settings of an endpoint's own models.
func settingsOf(endpoint string, tables map[string]Model) []llm.ModelSettings {
	var list []llm.ModelSettings
	for _, model := range slices.Sorted(maps.Keys(tables)) {
		list = append(list, tables[model].settings(llm.ExactModel(endpoint, model)))
	}
	return list
}

// settings are what a table says to the client of an endpoint. The table was checked.
func (m Model) settings(pattern string) llm.ModelSettings {
	s := llm.ModelSettings{Match: pattern, Wire: llm.Wire(m.Wire), Window: m.Window, Tools: m.Tools}
	if m.Prices != nil {
		s.Prices = m.Prices.prices()
	}
	return s
}
