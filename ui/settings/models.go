package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/llm/keys"
	"winnow/llm/pricing"
	"winnow/session"
	"winnow/session/store"
	"winnow/session/target"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// ModelListing is what was read for the list of models.
type ModelListing struct {
	Models []llm.Model
	Prices map[string]pricing.Prices  // known prices by model reference
	Recent []string                   // references of recently used models, newest first
	Offers []llm.UnconfiguredProvider // providers that can be added
	Notes  []string                   // errors, a sentence each
}

// addProvider is the value of the item "Add a provider…". It is not a model reference.
const addProvider = "+"

// ModelCommand is the command /model. It selects a model, or without an argument lists the models of all endpoints and
// the way to add a provider.
func (s *Model) ModelCommand(ref string) tea.Cmd {
	switch {
	case ref == addProvider:
		return s.listProviders()
	case ref != "" && s.Busy:
		return s.Fail(s.Keys.ExplainNeed(keymap.NeedIdle))
	case ref != "":
		return s.Apply(session.Settings{Model: ref}, "")
	}
	return s.listFor("Choose a model", "use", true, s.ModelCommand)
}

// AskAnotherModel lists the models; the chosen one answers the turn of a message again. Message 0 is the last turn.
func (s *Model) AskAnotherModel(message int64) tea.Cmd {
	ask := func(ref string) tea.Cmd { return s.AskAgain(message, ref) }
	return s.listFor("Ask again with another model", "ask this model once", false, ask)
}

// listFor opens a list of models, with offers also the way to add a provider.
func (s *Model) listFor(
	prompt, does string, offers bool, chosen func(ref string) tea.Cmd,
) tea.Cmd {
	s.models = list.New(s.Context, list.Options{
		Title: "models", Placeholder: prompt, ChooseHint: does, CloseAction: keymap.Models, Loading: true,
	})
	s.Dialogs.OpenList(s.models, chosen)
	return s.listModels(offers)
}

// ListModels asks all endpoints for their models, in parallel.
func (s *Model) ListModels() tea.Cmd { return s.listModels(false) }

// lastSessions is how many sessions are read to find recently used models.
const lastSessions = 50

// listModels reads a ModelListing, with offers if they are wanted.
func (s *Model) listModels(offers bool) tea.Cmd {
	deps := s.Deps
	return s.Run(func(ctx context.Context) tea.Msg {
		msg := ModelListing{Prices: map[string]pricing.Prices{}}
		var found []llm.Model
		if offers {
			msg.Offers, found = deps.Models.UnconfiguredProviders(ctx)
		}
		models, errs := deps.Models.Models(ctx)
		for _, name := range slices.Sorted(maps.Keys(errs)) {
			msg.Notes = append(msg.Notes, name+": "+theme.Sentence(errs[name]))
		}
		msg.Models = append(models, found...)
		windows, err := target.ListedWindows(ctx, deps.Store, deps.Models.Endpoints(), msg.Models, time.Now())
		for i, model := range msg.Models {
			msg.Models[i].Window = windows[i]
			if client, id, err := deps.Models.Resolve(model.Ref()); err == nil {
				msg.Prices[model.Ref()] = client.Prices(id)
			}
		}
		if deps.Store != nil {
			last, more := deps.Store.Sessions(ctx, store.SessionFilter{Limit: lastSessions})
			err = cmp.Or(err, more)
			for _, one := range last {
				msg.Recent = append(msg.Recent, one.Endpoint+"/"+one.Model)
			}
		}
		if err != nil {
			msg.Notes = append(msg.Notes, theme.Sentence(err))
		}
		return app.Then(func() tea.Cmd { return s.ShowModels(msg) })
	})
}

// ShowModels shows the models that were read.
func (s *Model) ShowModels(msg ModelListing) tea.Cmd {
	s.Models, s.offers = msg.Models, msg.Offers
	if s.models == nil {
		return nil
	}
	if !slices.ContainsFunc(msg.Models, func(m llm.Model) bool { return m.Ref() == s.Ref }) {
		// The server does not list its model; it can be chosen anyway.
		if client, id, err := s.Deps.Models.Resolve(s.Ref); err == nil {
			msg.Models = append(slices.Clip(msg.Models), llm.Model{
				Endpoint: client.Endpoint().Name, ID: id,
			})
		}
	}
	items := modelItems(msg, s.Ref)
	if len(msg.Offers) > 0 {
		items = append(items, list.Item{
			Label: "Add a provider…", Group: "More", Value: addProvider, Always: true,
		})
	}
	s.models.SetItems(items)
	s.models.Select(s.selectRef)
	s.selectRef, s.models.Notes = "", msg.Notes
	return nil
}

// maxRecent is how many recently used models are listed first.
const maxRecent = 3

// modelItems returns the list items: the model in use, recently used ones, then all others by endpoint.
func modelItems(msg ModelListing, inUse string) (items []list.Item) {
	left, widest := slices.Clone(msg.Models), 0
	for _, m := range left {
		widest = max(widest, len(priceOf(msg.Prices[m.Ref()])))
	}
	take := func(ref, group string) {
		i := slices.IndexFunc(left, func(m llm.Model) bool { return m.Ref() == ref })
		if i < 0 {
			return
		}
		item := list.Item{
			Label: markdown.OneLine(ref, 200), Group: markdown.OneLine(group, 60), Value: ref,
		}
		price := priceOf(msg.Prices[ref])
		if tokens := left[i].Window.Tokens; tokens > 0 {
			item.Right = theme.Thousands(tokens) + " tokens"
		}
		if widest > 0 && item.Right+price != "" {
			item.Right += fmt.Sprintf("   %*s", widest, price)
		}
		items, left = append(items, item), slices.Delete(left, i, i+1)
	}
	take(inUse, "In use")
	most := len(items) + maxRecent
	for _, ref := range msg.Recent {
		if len(items) < most {
			take(ref, "Recent")
		}
	}
	for len(left) > 0 {
		take(left[0].Ref(), left[0].Endpoint)
	}
	return items
}

// priceOf formats the prices of a million prompt and answer tokens, "" if unknown.
func priceOf(p pricing.Prices) string {
	switch {
	case !p.Known():
		return ""
	case p.In+p.Out == 0:
		return "free"
	}
	return p.In.String() + "/M in, " + p.Out.String() + "/M out"
}

// listProviders lists the hosted services that can be added, and says how to add other servers.
func (s *Model) listProviders() tea.Cmd {
	l := list.New(s.Context, list.Options{
		Title: "providers", Placeholder: "Add a provider", ChooseHint: "add",
	})
	var items []list.Item
	for _, o := range s.offers {
		if o.KeyVariable == "" {
			l.Notes = append(l.Notes, o.Title+" is listed once it runs at "+o.Host+".")
			continue
		}
		items = append(items, list.Item{
			Label: o.Title, Description: "needs an API key", Value: o.Name,
		})
	}
	l.Notes = append(l.Notes, "Other servers: [endpoints.NAME] in "+theme.TildePath(s.ConfigPath))
	l.SetItems(items)
	s.Dialogs.OpenList(l, s.takeProvider)
	return nil
}

// takeProvider asks for the API key of a hosted service.
func (s *Model) takeProvider(name string) tea.Cmd {
	at := slices.IndexFunc(s.offers, func(o llm.UnconfiguredProvider) bool { return o.Name == name })
	s.askForKey(s.offers[at], nil)
	return nil
}

// askForKey opens a field for the API key of a hosted service. Fault is the error of the previous try.
func (s *Model) askForKey(o llm.UnconfiguredProvider, fault error) {
	place, from := s.keyPlace(o.Name)
	form := list.New(s.Context, list.Options{
		Title: "key", Placeholder: "Paste the " + o.Title + " API key", ChooseHint: "add " + o.Title,
		Footnote: "the key is sent to " + o.Host + " only",
	}, list.Item{Label: "Save the key in " + place, Always: true})
	form.Filter.Masked = true
	if fault != nil {
		form.Notes = []string{theme.Sentence(fault)}
	}
	s.Dialogs.OpenList(form, func(string) tea.Cmd { return s.addService(o, from, form.Filter.Text()) })
}

// keyPlace returns where the key of an endpoint is saved, as text and for the key store: the system keyring if there is
// one, else a file that only the user can read.
func (s *Model) keyPlace(name string) (text string, place keys.Origin) {
	if keys.CheckKeyring() == nil {
		return "the system keyring", keys.Origin{Kind: keys.Keyring}
	}
	path := s.KeyStore.Path(name)
	return theme.TildePath(path) + ", which only you can read", keys.Origin{
		Kind: keys.File, Name: path,
	}
}

// addService adds a hosted service with the typed key, saves the key, and lists the models.
func (s *Model) addService(
	o llm.UnconfiguredProvider, from keys.Origin, typed string,
) tea.Cmd {
	key, err := keys.Parse(typed)
	if err != nil {
		s.askForKey(o, err)
		return nil
	}
	models, store := s.Deps.Models, s.KeyStore
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
				s.askForKey(o, err)
				return nil
			}
			said := s.Say(o.Title + " is added.")
			if unsaved != nil {
				said = s.Fail("The key works until winnow ends, but it could not be saved: " + theme.Sentence(unsaved))
			}
			listed := s.ModelCommand("")
			s.selectRef = first
			return tea.Batch(said, listed)
		})
	}))
}
