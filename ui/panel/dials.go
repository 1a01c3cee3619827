package panel

import (
	"slices"

	"winnow/history"
	"winnow/llm"
	"winnow/session"
	"winnow/ui/theme"
)

// Dial is one setting that can be tried out.
type Dial int

// The dials, from above.
const (
	budgetDial Dial = iota
	presetDial
	placementDial
	modelDial
	windowDial
	dialCount
)

// Name is what a dial is called.
func (d Dial) Name() string {
	return [...]string{"budget", "preset", "placement", "model", "window"}[d]
}

// Settings are the dials' values.
type Settings struct {
	Budget    int // 0 is auto
	Preset    string
	Placement history.Placement
	Model     string // "endpoint/model"
	Window    int    // as set; 0 is auto
}

// settingsOf are the values that a policy and a model make.
func settingsOf(p history.Policy, ref string, window int) Settings {
	return Settings{p.Budget, p.Preset, p.Placement, ref, window}
}

// Text is the value of a dial.
func (s Settings) Text(d Dial) string {
	switch d {
	case budgetDial:
		if s.Budget == 0 {
			return "auto"
		}
		return theme.Thousands(s.Budget)
	case presetDial:
		return s.Preset
	case placementDial:
		return string(s.Placement)
	case windowDial:
		if s.Window == 0 {
			return "auto"
		}
		return theme.Thousands(s.Window)
	}
	return s.Model
}

// from are the settings with a trial in place of some of them.
func (s Settings) from(t session.Settings) Settings {
	if t.Budget != nil {
		s.Budget = *t.Budget
	}
	if t.Preset != "" {
		s.Preset = t.Preset
	}
	if t.Placement != "" {
		s.Placement = t.Placement
	}
	if t.Model != "" {
		s.Model = t.Model
	}
	if t.Window != nil {
		s.Window = *t.Window
	}
	return s
}

// With is a trial with a dial at another value; was are the settings without any trial. What a trial
// does not change it leaves alone, so that nothing is set which was not turned.
func With(t session.Settings, d Dial, to, was Settings) session.Settings {
	switch d {
	case budgetDial:
		n := to.Budget
		t.Budget = &n
	case presetDial:
		t.Preset = to.Preset
		if to.Preset == was.Preset {
			t.Preset = ""
		}
	case placementDial:
		t.Placement = to.Placement
	case modelDial:
		t.Model = to.Model
		if to.Model == was.Model {
			t.Model = ""
		}
		t.Window = nil // That was another model's.
	case windowDial:
		n := to.Window
		if t.Window = &n; n == was.Window && t.Model == "" {
			t.Window = nil
		}
	}
	// Another preset drops what was set by hand, so only without one these are as they were.
	if t.Preset == "" && t.Budget != nil && *t.Budget == was.Budget {
		t.Budget = nil
	}
	if t.Preset == "" && t.Placement == was.Placement {
		t.Placement = ""
	}
	return t
}

// budgets are the steps of the budget's dial; 0 is auto.
var budgets = [...]int{
	0, 1000, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000, 24_000, 32_000, 48_000, 64_000, 96_000,
	128_000, 192_000, 256_000, 384_000, 512_000, 768_000, 1_000_000,
}

// windows are the steps of the window's dial; 0 is auto.
var windows = [...]int{
	0, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 200_000, 262_144, 400_000, 1_048_576,
}

// budgetBy is the budget a step below or above one, and false where there is none. The last step is
// the window, 0 where that is not known.
func budgetBy(at, by, window int) (int, bool) {
	var steps []int
	for _, n := range budgets {
		if window == 0 || n < window {
			steps = append(steps, n)
		}
	}
	if window > 0 {
		steps = append(steps, window)
	}
	return stepBy(steps, at, by)
}

// stepBy is the step below or above a number in a sorted list, and false where there is none.
func stepBy(steps []int, at, by int) (int, bool) {
	i, on := slices.BinarySearch(steps, at)
	if by > 0 && on {
		i++
	}
	if by < 0 {
		i--
	}
	if i < 0 || i >= len(steps) {
		return at, false
	}
	return steps[i], true
}

// turned is the value of a list a step before or after another, and false where there is none.
func turned[T comparable](list []T, at T, by int) (T, bool) {
	i := slices.Index(list, at) + by
	if i < 0 || i >= len(list) {
		return at, false
	}
	return list[i], true
}

// Refs are the models that are known: the one in use, what the endpoints answer with by default, and
// what they list, in the order of the endpoints.
func Refs(inUse string, endpoints []llm.Endpoint, listed []llm.Model) []string {
	var list []string
	for _, e := range endpoints {
		if e.Default != "" {
			list = append(list, e.Name+"/"+e.Default)
		}
		for _, m := range listed {
			if ref := m.Ref(); m.Endpoint == e.Name && !slices.Contains(list, ref) {
				list = append(list, ref)
			}
		}
	}
	if !slices.Contains(list, inUse) {
		list = append([]string{inUse}, list...)
	}
	return list
}
