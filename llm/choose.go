package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"winnow/llm/keys"
)

// Guide is the name of the built-in endpoint, which is chosen only when nothing else is
// there.
const Guide = "guide"

// Choice is the model that a chat starts with: "openai/gpt-5.2", "because OPENAI_API_KEY is set".
type Choice struct {
	Ref    string // "endpoint/model"; only the endpoint where Closed is set
	Reason string

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
func Choose(ctx context.Context, c *Catalog, w Preference) (choice Choice, err error) {
	if w.Ref = strings.TrimSpace(w.Ref); w.Ref != "" {
		return c.chooseNamed(ctx, w)
	}
	lost := ""
	if w.Last.Ref != "" {
		if lost = c.lost(w.Last); lost == "" {
			client, model, err := c.Use(w.Last.Ref)
			return Choice{Ref: client.endpoint.Name + "/" + model, Reason: "you used it last"}, err
		}
		lost = "; " + w.Last.Ref + ", which you used last, " + lost
	}
	client := c.preferred()
	switch {
	case client != nil:
		choice = choosePreferred(ctx, client)
	case w.Local:
		choice, err = c.chooseLocal(ctx)
	default:
		err = ErrNoModel
	}
	choice.Reason += lost
	return choice, err
}

func (c *Catalog) chooseNamed(ctx context.Context, w Preference) (choice Choice, err error) {
	choice.Reason = "you named it"
	if w.From != "" {
		choice.Reason = "set with " + w.From
	}
	if choice.Ref, err = c.Find(ctx, w.Ref, w.Home); err == nil {
		_, _, err = c.Use(choice.Ref)
	}
	choice.Dated = c.Endpoint(strings.TrimSuffix(w.Ref, "/")).Dated
	return choice, err
}

// choosePreferred takes an endpoint that the user configured. Only where it has no default model is the
// server asked.
func choosePreferred(ctx context.Context, client *Client) Choice {
	e := client.endpoint
	choice := Choice{Ref: e.Name + "/" + e.Default, Reason: e.Name + " is configured", Dated: e.Dated}
	switch {
	case e.Key != "" && e.KeyFrom.Kind == keys.Variable:
		choice.Reason = e.KeyFrom.Name + " is set"
	case e.KeyFrom.Stored() && !e.BaseURLSet:
		choice.Reason = "a key of " + e.Name + " is stored"
	}
	if e.Default != "" {
		return choice
	}
	model, err := client.firstModel(ctx)
	if err != nil {
		choice.Ref = e.Name
		choice.Closed = fmt.Errorf("no model of %s is chosen (name one as %s/MODEL): %w", e.Name, e.Name, err)
		return choice
	}
	choice.Ref, choice.Listed = e.Name+"/"+model, true
	return choice
}

// chooseLocal takes the first model of a server on this machine, else the guide. The reason tells of the servers that
// run without a model.
func (c *Catalog) chooseLocal(ctx context.Context) (Choice, error) {
	here := c.unconfigured()
	for i, e := range here {
		here[i] = c.withStored(e)
	}
	lists, errs := c.probe(ctx, here...)
	var empty []string
	passed := func() string {
		if len(empty) == 0 {
			return ""
		}
		return " (" + strings.Join(empty, "; ") + ")"
	}
	for i, e := range here {
		switch {
		case len(lists[i]) > 0:
			e.Default = lists[i][0].ID
			c.Add(e)
			reason := "a server answers at " + shownURL(e.root()) + passed()
			return Choice{Ref: lists[i][0].Ref(), Reason: reason, Listed: true}, nil
		case errs[i] == nil: // That nothing runs at a default port is no news.
			empty = append(empty, e.Name+" has no model to chat with yet")
		}
	}
	guide := c.client(Guide)
	if guide == nil {
		return Choice{}, errors.New("no model is available" + passed() + "; to chat with a language model, set " +
			"OPENAI_API_KEY or another provider's key, store one with winnow keys set, or start a local server " +
			"such as Ollama")
	}
	return Choice{
		Ref:    Guide + "/" + cmp.Or(guide.endpoint.Default, Guide),
		Reason: "no API key is set and no local server answers" + passed(),
	}, nil
}

// listTime is how long a server may take to list its models where it has to be asked for one.
const listTime = 4 * time.Second

// firstModel asks an endpoint for its models and gives the first one to chat with.
func (c *Client) firstModel(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	models, err := c.list(ctx)
	if err != nil {
		return "", err
	}
	if models = chatModels(models); len(models) == 0 {
		return "", fmt.Errorf("%s has no model to chat with yet", c.endpoint.Name)
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

// lost is the end of a sentence about the model that was used last, which says why it cannot be chosen again: its name
// must not come to mean another server, and a request without the key is refused. It is "" where the model can be had.
// No server is asked.
func (c *Catalog) lost(last Last) string {
	client, _, err := c.Resolve(last.Ref)
	if err != nil && !last.Keyed {
		return "is no longer configured"
	}
	if err != nil || last.Keyed && !client.endpoint.Keyed() || client.endpoint.lacksKey() {
		return "no longer has a key"
	}
	if e := client.endpoint; last.Server != "" && e.ShownURL() != last.Server {
		return fmt.Sprintf("was at %s, and %s is at %s now", last.Server, e.Name, e.ShownURL())
	}
	return ""
}

// lacksKey says that the variable that the endpoint takes its key from is not set.
func (e Endpoint) lacksKey() bool { return e.KeyFrom.Kind == keys.Variable && e.Key == "" }
