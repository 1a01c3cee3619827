package llm

import (
	"context"
	"errors"

	"winnow/llm/keys"
)

// AddService adds a hosted service to the catalog with a key, once the service has listed its models with it, and
// returns the reference of the model to begin with. A service that refuses the key is not added. One that cannot be
// reached is: its key may be right, and a request will tell.
func (c *Catalog) AddService(ctx context.Context, name string, key keys.Secret, from keys.Origin) (string, error) {
	e := serviceNamed(name).endpoint()
	e.Key, e.KeyFrom = key, from
	client := c.newClient(e)
	_, err := client.list(ctx)
	if errors.Is(err, Auth) || ctx.Err() != nil {
		return "", err
	}
	c.keep(client, true)
	return e.Name + "/" + e.Default, nil
}
