package settings

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/llm/keys"
	"winnow/ui/app"
	"winnow/ui/list"
	"winnow/ui/theme"
)

// addProvider is the value of the row that opens the providers. It is no reference to a model.
const addProvider = "+"

// anotherServer is the value of the row that explains how any other server is added.
const anotherServer = "+another"

// AddProvider lists the providers that can be added: hosted services, which need a key, and servers of this machine
// that do not run.
func (s *Model) AddProvider() tea.Cmd {
	var items []list.Item
	for _, o := range s.offers {
		item := list.Item{Label: o.Title, About: "needs an API key", Group: "Hosted", Value: o.Name}
		if o.Variable == "" {
			item.About, item.Group = "not running at "+o.Host, "On this machine"
		}
		items = append(items, item)
	}
	items = append(items, list.Item{
		Label: "Another server", About: "any OpenAI-compatible API", Group: "Other", Value: anotherServer,
	})
	s.Open(list.New(s.Context, list.Options{Title: "providers", Prompt: "Add a provider", Does: "add"},
		items...), s.takeProvider)
	return nil
}

// takeProvider asks for the key of a hosted service, or says how another server is added.
func (s *Model) takeProvider(name string) tea.Cmd {
	if name == anotherServer {
		return s.Say("Add a table [endpoints.NAME] with its base_url to " + s.Config + "; winnow config init explains.")
	}
	for _, o := range s.offers {
		switch {
		case o.Name != name:
		case o.Variable == "":
			return s.Say("Start " + o.Title + ", then open /model again: winnow looks for it at " + o.Host + ".")
		default:
			s.askForKey(o, "")
		}
	}
	return nil
}

// askForKey opens a field for the key of a hosted service. Fault is why the one before did not do, "" for none.
func (s *Model) askForKey(o llm.Offer, fault string) {
	place, _ := s.keyPlace(o.Name)
	form := list.New(s.Context, list.Options{
		Title: "key", Prompt: "Paste the " + o.Title + " API key", Does: "add " + o.Title,
		Masked: true, Remark: "the key is sent to " + o.Host + " only",
	}, list.Item{Label: "Save the key in " + place, Always: true})
	if fault != "" {
		form.Notes = []string{fault}
	}
	s.Open(form, func(string) tea.Cmd { return s.addService(o, form.Filter.Text()) })
}

// keyPlace is where the key of an endpoint is saved, for people and for the store: the system keyring where there is
// one, else a file that only the user can read.
func (s *Model) keyPlace(name string) (text string, place keys.Origin) {
	if keys.CheckKeyring() == nil {
		return "the system keyring", keys.Origin{Kind: keys.Keyring}
	}
	path := s.KeyStore.Path(name)
	return s.Short(path) + ", which only you can read", keys.Origin{Kind: keys.File, Name: path}
}

// addService adds a hosted service with the key that was typed, saves the key, and lists the models.
func (s *Model) addService(o llm.Offer, typed string) tea.Cmd {
	key, err := keys.Parse(typed)
	if err != nil {
		s.askForKey(o, theme.Sentence(err))
		return nil
	}
	models, store := s.With.Models, s.KeyStore
	_, from := s.keyPlace(o.Name)
	return tea.Batch(s.Say("Asking "+o.Title+" for its models…"), s.Run(func(ctx context.Context) tea.Msg {
		first, err := models.AddService(ctx, o.Name, key, from)
		var unsaved error
		if err == nil {
			unsaved = store.Set(ctx, o.Name, key, from.Kind)
		}
		return app.Then(func() tea.Cmd {
			switch {
			case errors.Is(err, context.Canceled):
				return nil
			case err != nil:
				s.askForKey(o, theme.Sentence(err))
				return nil
			}
			said := s.Say(o.Title + " is added.")
			if unsaved != nil {
				said = s.Fail("The key works until winnow ends, but it could not be saved: " + theme.Sentence(unsaved))
			}
			listed := s.ChooseModel("")
			s.first = first
			return tea.Batch(said, listed)
		})
	}))
}
