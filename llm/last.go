package llm

import (
	"errors"
	"fmt"

	"winnow/llm/keys"
)

// Last is the model that the user chose last, with what tells whether its name still means the same place.
type Last struct {
	Ref    string `json:"model"`            // "endpoint/model"
	Server string `json:"server,omitempty"` // the address of the endpoint, without secrets
	Keyed  bool   `json:"keyed,omitempty"`  // the endpoint had a key
}

// Last describes a model for the next start; its Ref is "" where the reference stands for no endpoint.
func (c *Catalog) Last(ref string) Last {
	client, model, err := c.Resolve(ref)
	if err != nil {
		return Last{}
	}
	e := client.endpoint
	return Last{Ref: e.Name + "/" + model, Server: shownURL(e.BaseURL), Keyed: e.Keyed()}
}

// again is the choice of the model that was used last. The error, the end of a sentence about that model, says
// why it cannot be chosen: its name must not come to mean another server, and a request without the key is
// refused. No server is asked.
func (c *Catalog) again(last Last) (Choice, error) {
	client, model, err := c.Resolve(last.Ref)
	var unknown *UnknownError
	switch {
	case errors.As(err, &unknown) && last.Keyed:
		return Choice{}, errors.New("no longer has a key")
	case err != nil:
		return Choice{}, errors.New("is no longer configured")
	}
	e := client.endpoint
	if last.Keyed && !e.Keyed() || e.KeyFrom.Kind == keys.Variable && e.Key == "" {
		return Choice{}, errors.New("no longer has a key")
	}
	if now := shownURL(e.BaseURL); last.Server != "" && now != last.Server {
		return Choice{}, fmt.Errorf("was at %s, and %s is at %s now", last.Server, e.Name, now)
	}
	_, _, err = c.Use(last.Ref)
	return Choice{Ref: e.Name + "/" + model, Reason: "because you used it last", Hint: howToSwitch}, err
}
