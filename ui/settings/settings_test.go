package settings

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"winnow/ui/event"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/llm/pricing"
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
		Around: Around{Ref: ref},
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
		{"a budget in words", bare, func(s *Model) tea.Cmd { return s.Budget("much") }, event.Notice{
			Text: "A budget is a number of tokens, or auto.", Error: true,
		}},
		{"a window in words", bare, func(s *Model) tea.Cmd { return s.Window("wide") }, event.Notice{
			Text: "A window is a number of tokens, or auto.", Error: true,
		}},
		{"a model while an answer arrives", busy, func(s *Model) tea.Cmd { return s.ChooseModel("c/d") }, Refused{}},
		{"a title of nothing", bare, func(s *Model) tea.Cmd { return s.Retitle("") }, event.Notice{
			Text: "There is no message to make a title from yet.", Error: true,
		}},
		{"an export to nowhere", bare, func(s *Model) tea.Cmd { return s.ExportTo("md") }, event.Notice{
			Text: "Nothing can be exported here.", Error: true,
		}},
		{"a persona without a folder", bare, func(s *Model) tea.Cmd { return s.ChoosePersona("brief") }, event.Notice{
			Text: "There is no folder for personas here.", Error: true,
		}},
		{"a theme without colours", plain, func(s *Model) tea.Cmd { return s.Theme("dark") }, event.Notice{
			Text: "This terminal has no colours, or NO_COLOR is set: all themes look the same.", Error: true,
		}},
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
	list.Chosen(&s, "dark")
	if got = s.Events(); got[0] != (Themed{"dark"}) {
		t.Errorf("dark is chosen, and %+v is told", got)
	}
}

func TestTheModelsAreListedWithWhatIsKnownOfThem(t *testing.T) {
	s := inUseIs("here/small")
	s.Take(ModelsMsg{
		Models: []llm.Model{
			{Endpoint: "there", ID: "large"},
			{Endpoint: "there", ID: "dear", Window: llm.Window{Tokens: 128_000}},
			{Endpoint: "here", ID: "small", Window: llm.Window{Tokens: 8192, Source: "the server's n_ctx"}},
			{Endpoint: "here", ID: "other"},
		},
		Prices: map[string]pricing.Prices{
			"here/small": {Source: "the server's list"},
			"there/dear": {Rates: pricing.PlainRates(pricing.Dollar, 2*pricing.Dollar), Source: "the list"},
		},
		Recent: []string{"here/small", "gone/model", "there/large", "there/large"},
		Errs:   map[string]error{"far": errors.New("it does not answer")},
	})
	got := s.Events()
	want := Filled{
		Kind: Models, Remark: "prices are per million tokens", Notes: []string{"far: it does not answer."},
		Choices: []Choice{
			{Label: "here/small", Group: "In use", Right: "  8,192 tokens                  free", Value: "here/small"},
			{Label: "there/large", Group: "Recent", Value: "there/large"},
			{Label: "there/dear", Group: "there", Right: "128,000 tokens   $1.00 in, $2.00 out", Value: "there/dear"},
			{Label: "here/other", Group: "here", Value: "here/other"},
		},
	}
	if !reflect.DeepEqual(got, []event.Event{want}) || len(s.Models) != 4 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTheListOfModelsSaysHowToGetMore(t *testing.T) {
	s := inUseIs("guide/guide")
	s.Keys, s.Config = keymap.Default(), "~/.config/winnow/config.toml"
	s.Take(ModelsMsg{
		Models: []llm.Model{{Endpoint: "guide", ID: "guide"}},
		Offers: []llm.Offer{
			{Name: "openai", Title: "OpenAI", Variable: "OPENAI_API_KEY", Host: "api.openai.com"},
			{Name: "ollama", Title: "Ollama", Host: "127.0.0.1:11434"},
		},
	})
	filled := s.Events()[0].(Filled)
	want := []Choice{
		{Label: "guide", Group: "In use", Value: "guide/guide"},
		{Label: "OpenAI", About: "add a key: winnow keys set openai", Group: "Add a provider", Value: "add openai"},
		{Label: "Ollama", About: "not running at 127.0.0.1:11434", Group: "Add a provider", Value: "add ollama"},
		{
			Label: "Another server", About: "add it to ~/.config/winnow/config.toml", Group: "Add a provider",
			Value: "add another",
		},
	}
	if !reflect.DeepEqual(filled.Choices, want) {
		t.Errorf("got %+v, want %+v", filled.Choices, want)
	}
	for value, says := range map[string]string{
		"add openai":  "export OPENAI_API_KEY=…",
		"add ollama":  "Start Ollama and press ctrl+l again",
		"add another": "~/.config/winnow/config.toml",
	} {
		s.takeModel(value)
		if page, ok := s.Events()[0].(Explained); !ok || !strings.Contains(page.Text, says) {
			t.Errorf("%q opens %+v, want a page with %q", value, page, says)
		}
	}
}

func TestTheDoctorsReportIsAPage(t *testing.T) {
	s := inUseIs("a/b")
	s.Run = func(do func(context.Context) tea.Msg) tea.Cmd { return func() tea.Msg { return do(t.Context()) } }
	s.Examine("")
	if got := s.Events(); got[0] != (event.Notice{Text: "Nothing can be checked here.", Error: true}) {
		t.Errorf("without a doctor: %+v", got)
	}
	s.Doctor = func(context.Context) (string, error) { return "ok  all\n", nil }
	report := s.Examine("")()
	s.Events()
	s.Take(report.(Msg))
	if got := s.Events(); len(got) != 1 || got[0] != (Explained{"Doctor", "ok  all\n"}) {
		t.Errorf("the report is shown as %+v", got)
	}
}

func TestAPersonaThatIsNotThereNamesThoseThatAre(t *testing.T) {
	s := inUseIs("a/b")
	s.Take(PersonasMsg{name: "brave", personas: []Persona{{"brief", "Answer in one word."}}})
	got := s.Events()
	if want := (event.Notice{
		Text:  "There is no persona brave. Yours: brief; none uses the configured system prompt.",
		Error: true,
	}); got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAPersonaThatCannotBeReadIsSaid(t *testing.T) {
	s := inUseIs("a/b")
	s.Take(PersonasMsg{
		name: "brave", personas: []Persona{{"brief", "Answer in one word."}}, err: errors.New("cannot read brave"),
	})
	if got := s.Events(); got[0] != (event.Notice{Text: "cannot read brave.", Error: true}) {
		t.Errorf("got %+v, want why it cannot be read", got)
	}
}
