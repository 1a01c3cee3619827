package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Guide is the name of the built-in endpoint, which is chosen only when nothing else is
// there.
const Guide = "guide"

// listTime is how long a hosted server has to list its models when it has to be asked for one.
const listTime = 4 * time.Second

// Choice is the model that a chat starts with, for the first screen: "openai/gpt-5.2", "because
// OPENAI_API_KEY is set", "ctrl+l chooses another model".
type Choice struct {
	Ref string
	Why string
	How string
}

// Probe says how local servers are looked for.
type Probe struct {
	Doer    Doer          // nil is the network
	Timeout time.Duration // 0 is 150 ms
	Off     bool          // do not look
}

const (
	howToSwitch = "ctrl+l chooses another model"
	howToBegin  = "to talk to a language model, set OPENAI_API_KEY or another provider's key, or start a local server such as Ollama"
)

// Choose finds the model to start with: the one that is wanted; else the default of the first
// endpoint with a key; else the first model of a server on this machine, which is then added to
// the catalog; else the built-in guide, if the catalog has it. Want is a reference or "". The
// error is a sentence for the user.
func Choose(ctx context.Context, want string, c *Catalog, p Probe) (Choice, error) {
	if want = strings.TrimSpace(want); want != "" {
		return chooseWanted(ctx, want, c, p)
	}
	var passed []string
	for _, e := range c.Endpoints() {
		if e.Key == "" || e.Name == Guide {
			continue
		}
		choice, err := chooseKeyed(ctx, e)
		if err == nil {
			choice.Why += also(passed)
			return choice, nil
		}
		passed = append(passed, err.Error())
	}
	if !p.Off {
		choice, ok, notes := chooseLocal(ctx, c, p)
		passed = append(passed, notes...)
		if ok {
			choice.Why += also(passed)
			return choice, nil
		}
	}
	if client := c.client(Guide); client != nil {
		model := client.endpoint.Default
		if model == "" {
			model = Guide
		}
		return Choice{
			Ref: Guide + "/" + model,
			Why: "because no API key is set and no local server answers" + also(passed),
			How: howToBegin,
		}, nil
	}
	return Choice{}, errors.New("there is no model to talk to" + also(passed) + "; " + howToBegin)
}

// chooseWanted takes what was asked for. An endpoint without a default is asked for its models, and
// where there is no server at all, those of this machine are looked for.
func chooseWanted(ctx context.Context, want string, c *Catalog, p Probe) (Choice, error) {
	chosen := Choice{Why: "because it was asked for", How: howToSwitch}
	if !p.Off && !slices.ContainsFunc(c.Endpoints(), func(e Endpoint) bool { return e.Name != Guide }) {
		chooseLocal(ctx, c, p)
	}
	if client := c.known(want); client != nil && client.endpoint.Default == "" {
		a := ask(ctx, []Endpoint{client.endpoint}, listTime)[0]
		if err := usable(a); err != nil {
			return Choice{}, err
		}
		chosen.Ref = a.endpoint.Name + "/" + a.endpoint.Default
		return chosen, nil
	}
	client, model, err := c.Resolve(want)
	if err != nil {
		return Choice{}, err
	}
	chosen.Ref = client.endpoint.Name + "/" + model
	return chosen, nil
}

// chooseKeyed takes an endpoint with a key. Only where no default is known is the server asked.
func chooseKeyed(ctx context.Context, e Endpoint) (Choice, error) {
	if e.Default == "" {
		a := ask(ctx, []Endpoint{e}, listTime)[0]
		if err := usable(a); err != nil {
			return Choice{}, err
		}
		e = a.endpoint
	}
	why := "because " + e.KeyFrom + " is set"
	if e.KeyFrom == "" || e.KeyFrom == "config" {
		why = "because " + e.Name + " is configured"
	}
	return Choice{Ref: e.Name + "/" + e.Default, Why: why, How: howToSwitch}, nil
}

// chooseLocal asks the endpoints without a key, and the default ports that none of them is at.
func chooseLocal(ctx context.Context, c *Catalog, p Probe) (Choice, bool, []string) {
	var candidates []Endpoint
	taken := make(map[string]bool)
	configured := 0
	for _, e := range c.Endpoints() {
		if e.Key == "" && e.Name != Guide {
			if e.Doer == nil {
				e.Doer = p.Doer
			}
			candidates = append(candidates, e)
			configured++
		}
		taken[strings.Replace(e.BaseURL, "localhost", "127.0.0.1", 1)] = true
		taken[e.Name] = true
	}
	for _, s := range localServers {
		if !taken[s.base] && !taken[s.name] {
			candidates = append(candidates, Endpoint{Name: s.name, BaseURL: s.base, Doer: p.Doer})
		}
	}
	var notes []string
	for i, a := range ask(ctx, candidates, p.Timeout) {
		err := usable(a)
		if err == nil {
			if i >= configured {
				c.Add(a.endpoint)
			}
			return Choice{
				Ref: a.endpoint.Name + "/" + a.endpoint.Default,
				Why: "because a server answers at " + shownURL(a.endpoint.root()),
				How: howToSwitch,
			}, true, notes
		}
		// That nothing runs at a default port is no news.
		if i < configured || a.err == nil {
			notes = append(notes, err.Error())
		}
	}
	return Choice{}, false, notes
}

// usable says why an endpoint that was asked for its models cannot be chosen, nil where it can.
func usable(a asked) error {
	if a.err != nil {
		return a.err
	}
	if a.endpoint.Default == "" {
		return fmt.Errorf("%s has no model to chat with yet", a.endpoint.Name)
	}
	return nil
}

// also tells what was passed over on the way.
func also(passed []string) string {
	if len(passed) == 0 {
		return ""
	}
	return " (" + strings.Join(passed, "; ") + ")"
}
