package ollama

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Model is what /api/show says of a model.
type Model struct {
	Trained int // the window in tokens that it was trained for, 0 where that is not said
	NumCtx  int // the window in tokens that its own file asks for, 0 for none

	Known    bool // the server says what the model can do: old ones do not
	Vision   bool
	Tools    bool
	Thinking bool
	Levels   bool // it takes levels of thinking, and not only on and off
}

// ReadModel reads an answer of /api/show. It is false for an answer that does not describe a model.
func ReadModel(raw []byte) (m Model, ok bool) {
	var shown struct {
		Parameters string `json:"parameters"`
		Details    struct {
			Family string `json:"family"`
		} `json:"details"`
		Info         map[string]json.RawMessage `json:"model_info"`
		Capabilities *[]string                  `json:"capabilities"`
	}
	if json.Unmarshal(raw, &shown) != nil || shown.Info == nil && shown.Capabilities == nil {
		return Model{}, false
	}
	m.NumCtx = parameter(shown.Parameters, "num_ctx")
	var architecture string
	_ = json.Unmarshal(shown.Info["general.architecture"], &architecture) // "" where it is missing
	m.Trained = number(shown.Info[architecture+".context_length"])
	if shown.Capabilities != nil {
		can := func(what string) bool { return slices.Contains(*shown.Capabilities, what) }
		m.Known, m.Vision, m.Tools, m.Thinking = true, can("vision"), can("tools"), can("thinking")
	}
	m.Levels = strings.ReplaceAll(shown.Details.Family, "-", "") == "gptoss"
	return m, true
}

// parameter is a number among the parameters of a model, which are a line each: a name, blanks and a value.
func parameter(text, name string) int {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == name {
			return number([]byte(fields[1]))
		}
	}
	return 0
}

// number is a whole number of tokens, 0 for anything else.
func number(raw []byte) int {
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
