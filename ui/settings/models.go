package settings

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/store"
	"winnow/session/target"
	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Listing is the list of the models, and what went wrong by endpoint.
type Listing struct {
	Models []llm.Model
	Prices map[string]pricing.Prices // what is known of them, by reference
	Recent []string                  // references to the models of the last sessions, the newest first
	Offers []llm.Offer               // the providers that can be added
	Errs   map[string]error
	Err    error // why what was learned of their windows, or what was used last, could not be read
}

// ChooseModel is the command /model: it takes a model, or lists those of every endpoint, and below them the way to
// add a provider.
func (s *Model) ChooseModel(ref string) tea.Cmd {
	if ref != "" {
		return s.useModel(ref)
	}
	s.models = list.New(s.Context, list.Options{
		Title: "models", Prompt: "Choose a model", Does: "use", Also: keymap.Models, Loading: true,
	})
	s.Open(s.models, s.takeModel)
	return s.listModels(true)
}

// AnswerWith lists the models, to have the turn of a message answered again by one of them; 0 is the last turn.
func (s *Model) AnswerWith(message int64) tea.Cmd {
	s.models = list.New(s.Context, list.Options{
		Title: "models", Prompt: "Ask again with another model", Does: "ask this model once", Loading: true,
	})
	s.Open(s.models, func(ref string) tea.Cmd { return s.Ask(message, ref) })
	return s.ListModels()
}

// ListModels asks every endpoint for its models, all at once.
func (s *Model) ListModels() tea.Cmd { return s.listModels(false) }

// lastSessions is how many sessions are looked at for the models that were used last.
const lastSessions = 50

// listModels lists the models, with the providers that can be added if these are wanted.
func (s *Model) listModels(offers bool) tea.Cmd {
	deps := s.With
	return s.Run(func(ctx context.Context) tea.Msg {
		msg := Listing{Prices: map[string]pricing.Prices{}}
		var found []llm.Model
		if offers {
			msg.Offers, found = deps.Models.Offers(ctx)
		}
		msg.Models, msg.Errs = deps.Models.Models(ctx)
		msg.Models = append(msg.Models, found...)
		windows, err := target.ListedWindows(ctx, deps.Store, deps.Models.Endpoints(), msg.Models, time.Now())
		for i, window := range windows {
			msg.Models[i].Window = window
		}
		msg.Err = err
		for _, model := range msg.Models {
			if client, id, err := deps.Models.Resolve(model.Ref()); err == nil {
				msg.Prices[model.Ref()] = client.Prices(id)
			}
		}
		if deps.Store != nil {
			last, err := deps.Store.Sessions(ctx, store.Filter{Limit: lastSessions})
			msg.Err = cmp.Or(msg.Err, err)
			for _, one := range last {
				msg.Recent = append(msg.Recent, one.Endpoint+"/"+one.Model)
			}
		}
		return app.Then(func() tea.Cmd { return s.ModelsListed(msg) })
	})
}

// ModelsListed shows the models that were listed.
func (s *Model) ModelsListed(msg Listing) tea.Cmd {
	s.Models, s.offers = msg.Models, msg.Offers
	if s.models == nil {
		return nil
	}
	if !slices.ContainsFunc(msg.Models, func(m llm.Model) bool { return m.Ref() == s.Ref }) {
		// Its server has no list, or does not list it: it can be chosen all the same, which agrees to its address.
		if client, id, err := s.With.Models.Resolve(s.Ref); err == nil {
			msg.Models = append(slices.Clip(msg.Models), llm.Model{Endpoint: client.Endpoint().Name, ID: id})
		}
	}
	items := modelItems(msg, s.Ref)
	if len(msg.Offers) > 0 {
		items = append(items, list.Item{Label: "Add a provider…", Group: list.Apart, Value: addProvider, Always: true})
	}
	s.models.Fill(items)
	if s.first != "" {
		s.models.Select(s.first)
		s.first = ""
	}
	s.models.Notes = nil
	for _, name := range slices.Sorted(maps.Keys(msg.Errs)) {
		s.models.Notes = append(s.models.Notes, name+": "+theme.Sentence(msg.Errs[name]))
	}
	if msg.Err != nil {
		s.models.Notes = append(s.models.Notes, theme.Sentence(msg.Err))
	}
	for _, p := range msg.Prices {
		if p.Known() && p.In+p.Out > 0 {
			s.models.Remark = "prices are per million tokens"
		}
	}
	return nil
}

// mostRecent is how many of the models that were used last stand in front of the others.
const mostRecent = 3

// modelItems are the models: the one in use, those that were used last, then all others by endpoint. Where all but the
// guide are of one endpoint, their names alone tell them apart.
func modelItems(msg Listing, inUse string) (items []list.Item) {
	endpoints := map[string]bool{llm.Guide: true}
	windows, prices := map[string]string{}, map[string]string{}
	widestWindow, widestPrice := 0, 0
	for _, m := range msg.Models {
		ref := m.Ref()
		endpoints[m.Endpoint] = true
		if m.Window.Tokens > 0 {
			windows[ref] = theme.Thousands(m.Window.Tokens) + " tokens"
		}
		prices[ref] = priceOf(msg.Prices[ref])
		widestWindow, widestPrice = max(widestWindow, len(windows[ref])), max(widestPrice, len(prices[ref]))
	}
	left := slices.Clone(msg.Models)
	take := func(ref, group string) bool {
		i := slices.IndexFunc(left, func(m llm.Model) bool { return m.Ref() == ref })
		if i < 0 {
			return false
		}
		item := list.Item{Label: markdown.OneLine(ref, 200), Group: markdown.OneLine(group, 60), Value: ref}
		if len(endpoints) <= 2 {
			item.Label = markdown.OneLine(left[i].ID, 200)
		}
		if windows[ref]+prices[ref] != "" {
			item.Right = fmt.Sprintf("%*s   %*s", widestWindow, windows[ref], widestPrice, prices[ref])
		}
		items, left = append(items, item), slices.Delete(left, i, i+1)
		return true
	}
	take(inUse, "In use")
	recent := 0
	for _, ref := range msg.Recent {
		if recent < mostRecent && take(ref, "Recent") {
			recent++
		}
	}
	for len(left) > 0 {
		take(left[0].Ref(), left[0].Endpoint)
	}
	return items
}

// priceOf is what a million tokens of a request and of an answer cost, "" where that is not known.
func priceOf(p pricing.Prices) string {
	switch {
	case !p.Known():
		return ""
	case p.In+p.Out == 0:
		return "free"
	}
	return p.In.String() + " in, " + p.Out.String() + " out"
}

// takeModel takes what was chosen in the list of models: a model, or the way to more of them.
func (s *Model) takeModel(value string) tea.Cmd {
	if value == addProvider {
		return s.AddProvider()
	}
	return s.useModel(value)
}
