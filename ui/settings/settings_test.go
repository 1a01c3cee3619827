package settings

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/llm/keys"
	"winnow/llm/pricing"
	"winnow/ui/app"
	"winnow/ui/dialog"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// fixture is settings whose screen notes what they have it do.
type fixture struct {
	*Model
	said   string // the last sentence
	styled int
}

// opened is the list that is open.
func (f *fixture) opened() *dialog.Picker { return f.Dialogs.Top().(*dialog.Picker) }

func inUseIs(ref string) *fixture {
	f := new(fixture)
	say := func(text string) tea.Cmd { f.said = text; return nil }
	shared := &app.Shared{
		ProgramContext: context.Background, Keys: keymap.Default(), Themes: new(theme.Selection), Say: say, Fail: say,
	}
	f.Model = &Model{
		Context: &app.Context{Ref: ref, Shared: shared},
		Options: Options{
			Personas: func() ([]Persona, error) { return nil, nil }, PersonaFolder: "/home/me/personas",
		},
		Hooks: Hooks{
			Dialogs: &dialog.Stack{Shared: shared, Closed: func(dialog.Dialog) {}},
			Restyle: func() { f.styled++ },
		},
	}
	return f
}

func TestWhatCannotBeSetIsSaid(t *testing.T) {
	busy, bare, plain := inUseIs("a/b"), inUseIs("a/b"), inUseIs("a/b")
	busy.Busy, plain.Themes.NoColour = true, true
	for _, c := range []struct {
		in   *fixture
		do   func(*Model, string) tea.Cmd
		args string
		want string
	}{
		{bare, (*Model).BudgetCommand, "much", "A budget is a number of tokens, or auto."},
		{bare, (*Model).WindowCommand, "wide", "A window is a number of tokens, or auto."},
		{busy, (*Model).ModelCommand, "c/d", "An answer is still arriving: esc stops it."},
		{bare, (*Model).TitleCommand, "", "There is no message to make a title from yet."},
		{
			plain, (*Model).ThemeCommand, "dark",
			"This terminal has no colours, or NO_COLOR is set: all themes look the same.",
		},
	} {
		if c.do(c.in.Model, c.args); c.in.said != c.want {
			t.Errorf("with %q it says %q, want %q", c.args, c.in.said, c.want)
		}
	}
}

func TestAThemeIsChosenByNameOrInAList(t *testing.T) {
	s := inUseIs("a/b")
	s.Themes.Wanted = theme.Light
	s.ThemeCommand("")
	l := s.opened()
	if at, _ := l.SelectedItem(); at.Value != "light" || l.Len() != len(theme.Names(nil)) {
		t.Fatalf("/theme lists %d themes with the cursor on %q", l.Len(), at.Value)
	}
	l.Select("dark")
	if l.Update(uitest.Key("enter")); s.Themes.Wanted != theme.Dark || s.styled != 1 {
		t.Errorf("dark is chosen, and %q is wanted", s.Themes.Wanted)
	}
}

// drawn are the lines of a list, and below them the values of its items.
func drawn(l *list.Model) (lines []string) {
	l.Resize(90, 20)
	lines, _ = l.View()
	for _, item := range l.Items() {
		lines = append(lines, item.Value)
	}
	return append(lines, l.Footnote)
}

func TestTheModelsAreListedWithWhatIsKnownOfThemAndTheWayToMore(t *testing.T) {
	s := inUseIs("here/small")
	s.ConfigPath = "~/.config/winnow/config.toml"
	s.models = list.New(s.Context, list.Options{})
	s.ShowModels(ModelListing{
		Models: []llm.Model{
			{Endpoint: "there", ID: "large"},
			{Endpoint: "there", ID: "dear", Window: llm.Window{Tokens: 128_000}},
			{Endpoint: "here", ID: "small", Window: llm.Window{Tokens: 8192, Source: "the server's n_ctx"}},
			{Endpoint: "here", ID: "other"},
		},
		Prices: map[string]pricing.Prices{
			"here/small": {Source: "the server's list"},
			"there/dear": {Rates: pricing.UncachedRates(pricing.Dollar, 2*pricing.Dollar), Source: "the list"},
		},
		Recent: []string{"here/small", "gone/model", "there/large", "there/large"},
		Notes:  []string{"far: it does not answer."},
	})
	var screens uitest.Screens
	screens.Add("two endpoints", drawn(s.models))
	s.Ref = "guide/guide"
	s.ShowModels(ModelListing{
		Models: []llm.Model{{Endpoint: "guide", ID: "guide"}},
		Offers: []llm.UnconfiguredProvider{
			{Name: "openai", Title: "OpenAI", KeyVariable: "OPENAI_API_KEY", Host: "api.openai.com"},
			{Name: "ollama", Title: "Ollama", Host: "127.0.0.1:11434"},
		},
	})
	screens.Add("the guide alone", drawn(s.models))
	s.ModelCommand(addProvider)
	screens.Add("the providers", drawn(s.opened().Model))
	screens.Golden(t)
}

func TestTheDoctorsReportIsAPage(t *testing.T) {
	s := inUseIs("a/b")
	s.Doctor = func(context.Context) (string, error) { return "ok  all\n", nil }
	s.DoctorCommand("")().(app.Then)()
	page := s.Dialogs.Top().(*dialog.Reader)
	page.Resize(20, 1)
	if lines, _ := page.View(); !strings.Contains(lines[0], "ok  all") {
		t.Errorf("the report is shown as %q", lines)
	}
}

// refuses is a service that takes no key but one.
type refuses struct{ key string }

func (r refuses) Do(req *http.Request) (*http.Response, error) {
	status, body := http.StatusOK, `{"data":[{"id":"gpt-5.2"}]}`
	if req.Header.Get("Authorization") != "Bearer "+r.key {
		status, body = http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided"}}`
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: req,
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func TestAnEndpointThatRefusesIsNamedBelowTheModels(t *testing.T) {
	s := inUseIs("guide/guide")
	s.Deps.Models = (&llm.Catalog{Doer: refuses{"right"}}).With(
		llm.Endpoint{Name: "far", BaseURL: "http://127.0.0.1:1/v1", Key: "wrong"})
	s.models = list.New(s.Context, list.Options{})
	s.ListModels()().(app.Then)()
	if notes := strings.Join(s.models.Notes, "\n"); !strings.HasPrefix(notes, "far: ") ||
		!strings.Contains(notes, "Incorrect API key provided") {
		t.Errorf("the notes are %q, want the endpoint's name and the server's words", notes)
	}
}

func TestAProviderIsAddedWithItsKeyAndItsModelsAreThereAtOnce(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "disabled:") // this machine has no keyring
	const right = "sk-right-000000000000"
	s := inUseIs("guide/guide")
	s.Deps.Models = (&llm.Catalog{Doer: refuses{right}}).With()
	s.KeyStore = keys.Store{Folder: t.TempDir()}
	s.offers = []llm.UnconfiguredProvider{{Name: "openai", Title: "OpenAI", KeyVariable: "OPENAI_API_KEY", Host: "api.openai.com"}}
	enter := func(key string) {
		t.Helper()
		s.takeProvider("openai")
		form := s.opened()
		form.Filter.Insert(key)
		form.Resize(80, 10)
		if lines, _ := form.View(); strings.Contains(strings.Join(lines, "\n"), key) {
			t.Errorf("the key stands on the screen:\n%s", strings.Join(lines, "\n"))
		}
		form.Update(uitest.Key("enter"))().(app.Then)()
	}

	enter("sk-wrong-000000000000")
	if notes := strings.Join(s.opened().Notes, "\n"); !strings.Contains(notes, "Incorrect API key provided") {
		t.Errorf("a key that is refused: the form says %q, want the server's words", notes)
	}
	if names := s.KeyStore.Names(); len(names) != 0 {
		t.Errorf("a key that is refused is saved: %v", names)
	}
	enter(right)
	if s.opened().Title != "models" || s.said != "OpenAI is added." || s.selectRef != "openai/gpt-5.2" {
		t.Errorf("after the key: %q, and %q with the cursor on %q", s.said, s.opened().Title, s.selectRef)
	}
	if key, err := s.KeyStore.Get(t.Context(), "openai"); err != nil || key != right {
		t.Errorf("the saved key: %v", err)
	}
}
