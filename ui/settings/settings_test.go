package settings

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"winnow/ui/event"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// inUseIs are settings of which no command is run.
func inUseIs(ref string) Model {
	return Model{
		Deps: Deps{
			Keys: keymap.Default(), Run: func(func(context.Context) tea.Msg) tea.Cmd { return nil },
			Personas: func() ([]Persona, error) { return nil, nil }, PersonasIn: "/home/me/personas",
		},
		Around: Around{Ref: ref, ListW: 80},
	}
}

func TestWhatCannotBeSetIsSaid(t *testing.T) {
	busy, bare, plain := inUseIs("a/b"), inUseIs("a/b"), inUseIs("a/b")
	busy.Busy, bare.Personas, plain.Themes.Plain = true, nil, true
	for _, c := range []struct {
		name string
		in   Model
		do   func(*Model) tea.Cmd
		want event.Event
	}{
		{"a budget in words", bare, func(s *Model) tea.Cmd { return s.Budget("much") }, event.Notice{Text: "A budget is a number of tokens, or auto.", Error: true}},
		{"a window in words", bare, func(s *Model) tea.Cmd { return s.Window("wide") }, event.Notice{Text: "A window is a number of tokens, or auto.", Error: true}},
		{"a model while an answer arrives", busy, func(s *Model) tea.Cmd { return s.ChooseModel("c/d") }, Refused{}},
		{"a title of nothing", bare, func(s *Model) tea.Cmd { return s.Retitle("") }, event.Notice{Text: "There is no message to make a title from yet.", Error: true}},
		{"an export to nowhere", bare, func(s *Model) tea.Cmd { return s.ExportTo("md") }, event.Notice{Text: "Nothing can be exported here.", Error: true}},
		{"a persona without a folder", bare, func(s *Model) tea.Cmd { return s.ChoosePersona("brief") }, event.Notice{Text: "There is no folder for personas here.", Error: true}},
		{"a theme without colours", plain, func(s *Model) tea.Cmd { return s.Theme("nord") }, event.Notice{Text: "This terminal has no colours, or NO_COLOR is set: all themes look the same.", Error: true}},
	} {
		c.do(&c.in)
		if got := c.in.Events(); !reflect.DeepEqual(got, []event.Event{c.want}) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestAThemeIsChosenByNameOrInAList(t *testing.T) {
	s := inUseIs("a/b")
	s.Themes.Wanted = theme.Light
	s.Theme("")
	got := s.Events()
	list, ok := got[0].(Listed)
	if !ok || list.At != "light" || len(list.Choices) != len(s.Themes.Names()) {
		t.Fatalf("/theme lists %+v", got)
	}
	list.Chosen(&s, "nord")
	if got = s.Events(); got[0] != (Themed{"nord"}) {
		t.Errorf("nord is chosen, and %+v is told", got)
	}
}

func TestTheModelsAreListedWithWhatIsKnownOfThem(t *testing.T) {
	s := inUseIs("here/small")
	s.Take(ModelsMsg{
		Models: []llm.Model{{Endpoint: "here", ID: "small", Window: llm.Window{Tokens: 8192}}, {Endpoint: "there", ID: "large"}},
		Errs:   map[string]error{"far": errors.New("it does not answer")},
	})
	got := s.Events()
	want := Filled{Models, "", []Choice{{Label: "here/small", Right: "8,192 tokens · in use", Value: "here/small"}, {Label: "there/large", Value: "there/large"}}, []string{"far: it does not answer."}}
	if !reflect.DeepEqual(got, []event.Event{want}) || len(s.Models) != 2 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAPersonaThatIsNotThereNamesThoseThatAre(t *testing.T) {
	s := inUseIs("a/b")
	s.Take(PersonasMsg{name: "brave", personas: []Persona{{"brief", "Answer in one word."}}})
	got := s.Events()
	if want := (event.Notice{Text: "There is no persona brave. Yours: brief; none uses the configured system prompt.", Error: true}); got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
