//go:build cgo

package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/llm"
	"winnow/session/store"
	"winnow/session/target"
)

func (p *program) modelsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "models [MODEL]",
		Short: "List the models of all endpoints, or show what is known of one",
		Args:  takes("at most one model", 0, 1),
		RunE: p.do(func(ctx context.Context, args []string) error {
			if len(args) > 0 {
				return p.model(ctx, args[0], asJSON)
			}
			return p.models(ctx, asJSON)
		}),
		ValidArgsFunction: p.completeModel,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	c.AddCommand(p.forgetCommand())
	return c
}

// modelJSON is a model in models --json. It is a contract: fields are added, never renamed or removed.
type modelJSON struct {
	Model  string `json:"model"`         // endpoint/model, what -m takes
	Window int    `json:"window"`        // tokens; 0 unknown
	Source string `json:"window_source"` // who says so and since when, "" where it is unknown

	Learned []string `json:"learned,omitempty"` // of one model: see llm.Learned.Ways
}

// models lists what answered. An endpoint that did not is named on standard error; the command
// fails only where none answered.
func (p *program) models(ctx context.Context, asJSON bool) error {
	w, err := p.setup(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	w.fetchKeys(ctx)
	list, errs := w.catalog.Models(ctx)
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		p.reportError(p.err, errs[name])
	}
	windows := p.windows(ctx, w, list)
	if asJSON {
		out := make([]modelJSON, 0, len(list))
		for i, m := range list {
			out = append(out, modelJSON{Model: m.Ref(), Window: windows[i].Tokens, Source: windows[i].Origin()})
		}
		err = report.WriteJSON(p.out, out)
	} else {
		t := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
		for i, m := range list {
			fmt.Fprintf(t, "%s\t%s\t%s\n", report.Line(m.Ref()), report.WindowText(windows[i].Tokens),
				report.Line(windows[i].Origin()))
		}
		err = t.Flush()
	}
	if err == nil && len(list) == 0 {
		return fail(Provider, "no endpoint lists any models")
	}
	return err
}

// windows are what is known of the models' windows, empty where that is nothing.
func (p *program) windows(ctx context.Context, w *setup, list []llm.Model) []llm.Window {
	var s *store.Store
	if path, err := p.dbPath(w.config); err == nil && exists(path) {
		if s, err = store.Open(ctx, path, store.Options{Now: p.now}); err != nil {
			p.reportError(p.err, err)
			s = nil
		} else {
			defer s.Close()
		}
	}
	windows, err := target.ListedWindows(ctx, s, w.catalog.Endpoints(), list, p.now())
	if err != nil {
		p.reportError(p.err, err)
	}
	return windows
}

// completeModel offers the endpoints that -m can name, and then the models of one: those that are known without
// asking a server elsewhere, and those that sessions have used.
func (p *program) completeModel(
	c *cobra.Command, _ []string, typed string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	catalog := &llm.Catalog{Network: p.network}
	if config, err := p.readConfig(); err == nil {
		catalog.Patterns = config.Patterns()
		catalog = catalog.With(p.endpoints(config)...)
	}
	out := append(catalog.Suggest(typed), llm.Guide+"/"+llm.Guide)
	if !strings.Contains(typed, "/") {
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	list, _ := p.recentSessions(c.Context()) // Without them there is still what the catalog knows.
	for _, s := range list {
		if ref := s.Endpoint + "/" + s.Model; s.Endpoint != "" && s.Model != "" && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
