//go:build cgo

package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func (p *program) modelsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "models",
		Short: "List the models of every endpoint",
		Args:  takes("no arguments", 0, 0),
		RunE:  p.do(func(ctx context.Context, _ []string) error { return p.models(ctx, asJSON) }),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	return c
}

// modelJSON is a model in models --json. It is a contract: fields are added, never renamed or removed.
type modelJSON struct {
	Model  string `json:"model"`  // endpoint/model, what -m takes
	Window int    `json:"window"` // tokens; 0 unknown
}

// models lists what answered. An endpoint that did not is named on standard error; the command
// fails only where none answered.
func (p *program) models(ctx context.Context, asJSON bool) error {
	w, err := p.world(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	w.fetchKeys(ctx)
	list, errs := w.catalog.Models(ctx)
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		p.complain(p.err, errs[name])
	}
	if asJSON {
		out := make([]modelJSON, 0, len(list))
		for _, m := range list {
			out = append(out, modelJSON{m.Ref(), m.Window.Tokens})
		}
		err = writeJSON(p.out, out)
	} else {
		t := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
		for _, m := range list {
			fmt.Fprintf(t, "%s\t%s\n", p.line(m.Ref()), windowText(m.Window.Tokens))
		}
		err = t.Flush()
	}
	if err == nil && len(list) == 0 {
		return fail(Provider, "no endpoint named a model")
	}
	return err
}
