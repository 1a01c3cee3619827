package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"winnow/llm/keys"
)

// Guide is the name of the built-in endpoint, which is chosen only when nothing else is
// there.
const Guide = "guide"

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
	Local bool
}

// Last is the model that the user chose last, with what tells whether its name still means the same place.
type Last struct {
	Ref    string `json:"model"`            // "endpoint/model"
	Server string `json:"server,omitempty"` // the address of the endpoint, without secrets
	Keyed  bool   `json:"keyed,omitempty"`  // the endpoint had a key
}

const (
	howToSwitch = "ctrl+l chooses another model"
	howToBegin  = "to chat with a language model, set OPENAI_API_KEY or another provider's key, " +
		"store one with winnow keys set, or start a local server such as Ollama"
)

// ErrNoModel says that nothing names a model.
var ErrNoModel = errors.New("no model is named or configured, and no API key is set: " +
	"name one with -m ollama/MODEL or -m guide/guide, set OPENAI_API_KEY or another provider's key, " +
	"or store one with winnow keys set NAME")

// Choose finds the model to start with, by the first of these that holds: it is named; it was used last; its endpoint
// is the one that is chosen where nothing is named, with its default model or the first one that it lists. An endpoint
// that the user configured or has a key for is never replaced by another place: where it does not answer and its model
// must be asked for, the choice is closed. Only where there is no such endpoint, and the preference allows it, it
// is the first model of a server on this machine, or the built-in guide. The endpoint that is chosen, and no other, is
// added to the catalog if it is not in it. The error is a sentence for the user.
//
// Where the model that was used last cannot be had any more, the reason of the choice says so.
func Choose(ctx context.Context, c *Catalog, w Preference) (Choice, error) {
	if ref := strings.TrimSpace(w.Ref); ref != "" {
		return c.chooseNamed(ctx, ref, w)
	}
	if w.Last.Ref == "" {
		return c.chooseUnnamed(ctx, w.Local)
	}
	choice, lost := c.again(w.Last)
	if lost == nil {
		return choice, nil
	}
	choice, err := c.chooseUnnamed(ctx, w.Local)
	choice.Reason += fmt.Sprintf("; %s, which you used last, %v", w.Last.Ref, lost)
	return choice, err
}

func (c *Catalog) chooseNamed(ctx context.Context, ref string, w Preference) (Choice, error) {
	found, err := c.Find(ctx, ref, w.Home)
	if err == nil {
		_, _, err = c.Use(found)
	}
	choice := Choice{Ref: found, Reason: "because you named it", Hint: howToSwitch}
	if w.From != "" {
		choice.Reason = "because " + w.From + " names it"
	}
	choice.Dated = c.Endpoint(strings.TrimSuffix(ref, "/")).Dated
	return choice, err
}

func (c *Catalog) chooseUnnamed(ctx context.Context, local bool) (Choice, error) {
	if client := c.preferred(); client != nil {
		return choosePreferred(ctx, client), nil
	}
	if !local {
		return Choice{}, ErrNoModel
	}
	choice, passed := c.chooseLocal(ctx)
	if choice.Ref != "" {
		return choice, nil
	}
	guide := c.client(Guide)
	if guide == nil {
		return Choice{}, errors.New("no model is available" + passed + "; " + howToBegin)
	}
	return Choice{
		Ref:    Guide + "/" + cmp.Or(guide.endpoint.Default, Guide),
		Reason: "because no API key is set and no local server answers" + passed,
		Hint:   howToBegin,
	}, nil
}

// choosePreferred takes an endpoint that the user configured. Only where it has no default model is the
// server asked.
func choosePreferred(ctx context.Context, client *Client) Choice {
	e := client.endpoint
	choice := Choice{Ref: e.Name + "/" + e.Default, Hint: howToSwitch, Dated: e.Dated}
	switch choice.Reason = "because " + e.Name + " is configured"; {
	case e.Key != "" && e.KeyFrom.Kind == keys.Variable:
		choice.Reason = "because " + e.KeyFrom.Name + " is set"
	case e.KeyFrom.Stored() && !e.BaseURLSet:
		choice.Reason = "because a key of " + e.Name + " is stored"
	}
	if e.Default != "" {
		return choice
	}
	model, err := firstModel(ctx, client)
	if err != nil {
		choice.Ref = e.Name
		choice.Closed = fmt.Errorf("no model of %s is chosen (name one as %s/MODEL): %w", e.Name, e.Name, err)
		return choice
	}
	choice.Ref, choice.Listed = e.Name+"/"+model, true
	return choice
}

// chooseLocal takes the first model of a server on this machine. Passed tells of the servers that have none.
func (c *Catalog) chooseLocal(ctx context.Context) (choice Choice, passed string) {
	here := c.unconfigured()
	for i, e := range here {
		here[i] = c.withStored(e)
	}
	lists, errs := c.probe(ctx, here...)
	var empty []string
	for i, e := range here {
		switch {
		case len(lists[i]) > 0:
			e.Default = lists[i][0].ID
			c.Add(e)
			reason := "because a server answers at " + shownURL(e.root()) + also(empty)
			return Choice{Ref: lists[i][0].Ref(), Reason: reason, Hint: howToSwitch, Listed: true}, ""
		case errs[i] == nil: // That nothing runs at a default port is no news.
			empty = append(empty, e.Name+" has no model to chat with yet")
		}
	}
	return Choice{}, also(empty)
}

// also tells what was passed over on the way.
func also(passed []string) string {
	if len(passed) == 0 {
		return ""
	}
	return " (" + strings.Join(passed, "; ") + ")"
}

// firstModel asks an endpoint for its models and gives the first one to chat with.
func firstModel(ctx context.Context, client *Client) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	models, err := client.Models(ctx)
	if err != nil {
		return "", err
	}
	if models = chatModels(models); len(models) == 0 {
		return "", fmt.Errorf("%s has no model to chat with yet", client.endpoint.Name)
	}
	return models[0].ID, nil
}

// Last describes a model for the next start; its Ref is "" where the reference stands for no endpoint.
func (c *Catalog) Last(ref string) Last {
	client, model, err := c.Resolve(ref)
	if err != nil {
		return Last{}
	}
	e := client.endpoint
	return Last{Ref: e.Name + "/" + model, Server: e.ShownURL(), Keyed: e.Keyed()}
}

// again is the choice of the model that was used last. The error, the end of a sentence about that model, says
// why it cannot be chosen: its name must not come to mean another server, and a request without the key is
// refused. No server is asked.
func (c *Catalog) again(last Last) (Choice, error) {
	client, model, err := c.Resolve(last.Ref)
	if err != nil && !last.Keyed {
		return Choice{}, errors.New("is no longer configured")
	}
	if err != nil || last.Keyed && !client.endpoint.Keyed() || client.endpoint.lacksKey() {
		return Choice{}, errors.New("no longer has a key")
	}
	e := client.endpoint
	if last.Server != "" && e.ShownURL() != last.Server {
		return Choice{}, fmt.Errorf("was at %s, and %s is at %s now", last.Server, e.Name, e.ShownURL())
	}
	c.keep(client, false)
	return Choice{Ref: e.Name + "/" + model, Reason: "because you used it last", Hint: howToSwitch}, nil
}

// lacksKey says that the variable that the endpoint takes its key from is not set.
func (e Endpoint) lacksKey() bool { return e.KeyFrom.Kind == keys.Variable && e.Key == "" }
