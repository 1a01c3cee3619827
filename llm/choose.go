package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"winnow/llm/keys"
	"winnow/llm/pricing"
)

// Guide is the name of the built-in endpoint, which is chosen only when nothing else is
// there.
const Guide = "guide"

// listTime is how long a hosted server has to list its models when it has to be asked for one.
const listTime = 4 * time.Second

// Choice is the model that a chat starts with, for the first screen: "openai/gpt-5.2", "because
// OPENAI_API_KEY is set", "ctrl+l chooses another model".
type Choice struct {
	Ref    string // "endpoint/model"; only the endpoint where Closed is set
	Reason string
	Hint   string

	Dated  bool  // the model is winnow's own default for the endpoint, and may be out of date
	Listed bool  // the model is the first one that the endpoint lists
	Closed error // why no model of the endpoint could be chosen, nil where one was
}

// Preference says what a model is chosen from.
type Preference struct {
	Ref  string // what the user named, "" for nothing
	From string // where, such as "-m"; "" where it does not matter
	Last Last   // what the user chose last, which counts where nothing is named
	Home string // the endpoint at which a name without an endpoint is looked for; "" is the one that would be chosen

	// Local says that servers on this machine are looked for, and that the guide is taken where there is
	// none. It is for a person who reads the choice before anything is sent.
	Local   bool
	Doer    Doer          // asks the servers on this machine; nil is the network
	Timeout time.Duration // for them to answer; 0 is 150 ms
}

const (
	howToSwitch = "ctrl+l chooses another model"
	howToBegin  = "to chat with a language model, set OPENAI_API_KEY or another provider's key, store one with winnow keys set, or start a local server such as Ollama"
)

// ErrNoModel says that nothing names a model.
var ErrNoModel = errors.New("no model is named or configured, and no API key is set: name one with -m ollama/MODEL or -m guide/guide, set OPENAI_API_KEY or another provider's key, or store one with winnow keys set NAME")

// Choose finds the model to start with: the one that is named; else the endpoint that is chosen where
// nothing is named, with its default model or the first one that it lists. An endpoint that the user
// configured or has a key for is never replaced by another place: where it does not answer and its model
// must be asked for, the choice is closed. Only where there is no such endpoint, and the preference allows it, it
// is the first model of a server on this machine, or the built-in guide. The endpoint that is chosen, and no other, is
// added to the catalog if it is not in it. The error is a sentence for the user.
//
// The model that was used last goes before all that is not named. Where it cannot be had any more, the reason of
// the choice says so.
func Choose(ctx context.Context, c *Catalog, w Preference) (Choice, error) {
	if ref := strings.TrimSpace(w.Ref); ref != "" {
		found, err := c.Find(ctx, ref, w.Home)
		if err == nil {
			_, _, err = c.Use(found)
		}
		at := c.client(strings.TrimSuffix(ref, "/"))
		reason := "because you named it"
		if w.From != "" {
			reason = "because " + w.From + " names it"
		}
		return Choice{Ref: found, Reason: reason, Hint: howToSwitch, Dated: at != nil && at.endpoint.Dated}, err
	}
	if w.Last.Ref != "" {
		choice, lost := c.again(w.Last)
		if lost == nil {
			return choice, nil
		}
		last := w.Last.Ref
		w.Last = Last{}
		choice, err := Choose(ctx, c, w)
		choice.Reason += fmt.Sprintf("; %s, which you used last, %v", last, lost)
		return choice, err
	}
	if client := c.preferred(); client != nil {
		return choosePreferred(ctx, client.endpoint), nil
	}
	if !w.Local {
		return Choice{}, ErrNoModel
	}
	choice, ok, notes := chooseLocal(ctx, c, w)
	if ok {
		choice.Reason += also(notes)
		return choice, nil
	}
	if client := c.client(Guide); client != nil {
		return Choice{
			Ref:    Guide + "/" + cmp.Or(client.endpoint.Default, Guide),
			Reason: "because no API key is set and no local server answers" + also(notes),
			Hint:   howToBegin,
		}, nil
	}
	return Choice{}, errors.New("no model is available" + also(notes) + "; " + howToBegin)
}

// choosePreferred takes an endpoint that the user configured. Only where it has no default model is the
// server asked.
func choosePreferred(ctx context.Context, e Endpoint) Choice {
	choice := Choice{Reason: "because " + e.Name + " is configured", Hint: howToSwitch, Dated: e.Dated}
	switch {
	case e.Key != "" && e.KeyFrom.Kind == keys.Variable:
		choice.Reason = "because " + e.KeyFrom.Name + " is set"
	case e.KeyFrom.Stored() && !e.BaseURLSet:
		choice.Reason = "because a key of " + e.Name + " is stored"
	}
	if e.Default == "" {
		model, err := firstModel(ctx, e, listTime)
		if err != nil {
			choice.Ref = e.Name
			choice.Closed = fmt.Errorf("no model of %s is chosen (name one as %s/MODEL): %w", e.Name, e.Name, err)
			return choice
		}
		e.Default, choice.Listed = model, true
	}
	choice.Ref = e.Name + "/" + e.Default
	return choice
}

// chooseLocal asks the default ports of this machine, all at once.
func chooseLocal(ctx context.Context, c *Catalog, w Preference) (Choice, bool, []string) {
	models := make([]string, len(localServers))
	errs := make([]error, len(localServers))
	var wait sync.WaitGroup
	for i, s := range localServers {
		wait.Go(func() {
			e := c.withStored(Endpoint{Name: s.name, BaseURL: s.base, Doer: w.Doer})
			models[i], errs[i] = firstModel(ctx, e, cmp.Or(w.Timeout, probeTime))
		})
	}
	wait.Wait()
	var notes []string
	for i, s := range localServers {
		var fault *Error
		switch {
		case errs[i] == nil:
			e := c.withStored(Endpoint{Name: s.name, BaseURL: s.base, Doer: w.Doer, Default: models[i]})
			c.Add(e)
			return Choice{Ref: e.Name + "/" + e.Default, Reason: "because a server answers at " + shownURL(e.root()), Hint: howToSwitch, Listed: true}, true, notes
		case !errors.As(errs[i], &fault): // That nothing runs at a default port is no news.
			notes = append(notes, errs[i].Error())
		}
	}
	return Choice{}, false, notes
}

// firstModel asks an endpoint for its models and gives the first one to chat with.
func firstModel(ctx context.Context, e Endpoint, timeout time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	client := NewClient(e)
	models, err := client.Models(ctx)
	client.rest()
	if err != nil {
		return "", err
	}
	if models = chatModels(models); len(models) == 0 {
		return "", fmt.Errorf("%s has no model to chat with yet", e.Name)
	}
	return models[0].ID, nil
}

// also tells what was passed over on the way.
func also(passed []string) string {
	if len(passed) == 0 {
		return ""
	}
	return " (" + strings.Join(passed, "; ") + ")"
}

// probeTime is how long a local server has to answer: it is on this machine and only lists its
// models.
const probeTime = 150 * time.Millisecond

// localServers are the servers people run on their own machine, at their default ports. Only the
// loopback address is asked, never the network.
var localServers = []struct{ name, title, base string }{
	{"ollama", "Ollama", "http://127.0.0.1:11434/v1"},
	{"llama.cpp", "llama.cpp", "http://127.0.0.1:8080/v1"},
	{"lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"},
	{"vllm", "vLLM", "http://127.0.0.1:8000/v1"},
}

// chatModels are the models that are not, by their names, for something else than chatting.
func chatModels(models []Model) []Model {
	return slices.DeleteFunc(slices.Clone(models), func(m Model) bool {
		name := strings.ToLower(m.ID)
		return slices.ContainsFunc([]string{"embed", "rerank", "whisper", "tts", "moderation", "bge-", "dall-e"}, func(other string) bool {
			return strings.Contains(name, other)
		})
	})
}

// Suggest lists references to models that may be meant by what was typed of one, for completion: "NAME/" for each
// endpoint as long as no endpoint is typed, then its models. These are its default, those with settings or list
// prices and, of a server on this machine, those that it lists within 150 ms. Other servers are not asked, and no
// key is fetched: completion must neither wait, nor ask for a password, nor send anything away.
func (c *Catalog) Suggest(ctx context.Context, typed string) []string {
	name, _, named := strings.Cut(typed, "/")
	endpoints := c.Endpoints()
	for _, s := range localServers {
		if c.client(s.name) == nil {
			endpoints = append(endpoints, Endpoint{Name: s.name, BaseURL: s.base, Doer: c.Network})
		}
	}
	suggested := make([][]string, len(endpoints))
	var wait sync.WaitGroup
	for i, e := range endpoints {
		switch {
		case named && !strings.EqualFold(e.Name, name):
		case named:
			wait.Go(func() { suggested[i] = e.suggested(ctx) })
		case i < len(c.Endpoints()):
			suggested[i] = []string{e.Name + "/"}
		default: // A server of this machine is offered if it runs.
			wait.Go(func() {
				if len(e.listed(ctx)) > 0 {
					suggested[i] = []string{e.Name + "/"}
				}
			})
		}
	}
	wait.Wait()
	return slices.Concat(suggested...)
}

// suggested are references to the models of an endpoint that are known at once, each of them once.
func (e Endpoint) suggested(ctx context.Context) []string {
	var models []string
	if e.Default != "" {
		models = append(models, e.Default)
	}
	for _, m := range e.Models {
		if !strings.ContainsAny(m.Match, `*?[\`) {
			models = append(models, strings.TrimPrefix(m.Match, e.Name+"/"))
		}
	}
	models = append(models, pricing.Names(e.BaseURL)...)
	if e.loopback() {
		models = append(models, e.listed(ctx)...)
	}
	var refs []string
	for _, m := range models {
		if ref := e.Name + "/" + m; !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// listed are the models that a server on this machine lists, none where it does not answer soon. A key is sent only
// if it is at hand.
func (e Endpoint) listed(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	e.Stored = nil
	client := NewClient(e)
	defer client.rest()
	models, err := client.Models(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range chatModels(models) {
		names = append(names, m.ID)
	}
	return names
}
