package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/llm"
	"winnow/session/store"
	"winnow/session/target"
)

func (p *program) modelsCommand() *cobra.Command {
	var forget bool
	c := p.withJSON(p.command("models [MODEL]", "List the models of all endpoints, or show what is known of one",
		func(ctx context.Context, args []string) error {
			if forget && len(args) == 0 {
				return fail(Usage, "--forget needs a model")
			}
			return p.with(ctx, toLook, func(a *app) error {
				a.fetchKeys(ctx) // A server whose key is missing says so itself.
				if len(args) == 0 {
					return a.listModels(ctx)
				}
				k, err := a.findModel(ctx, args[0])
				switch {
				case err != nil:
					return err
				case forget:
					return a.forgetModel(ctx, k)
				}
				return a.show(k)
			})
		}))
	c.Flags().BoolVar(&forget, "forget", false, "forget what the model's server refused, and try it again")
	return c
}

// modelRow is a model with its window.
type modelRow struct {
	Model  string // endpoint/model, what -m takes
	Window int    // tokens; 0 unknown
	Source string `json:"window_source"` // who says so and since when, "" where it is unknown
}

type modelRows []modelRow

// Table writes a line for each model.
func (rows modelRows) Table(page *report.Page) {
	for _, r := range rows {
		page.Row(report.Line(r.Model), report.WindowText(r.Window), report.Line(r.Source))
	}
}

// listModels lists what answered. An endpoint that did not is named on standard error; the command fails only where
// none answered.
func (a *app) listModels(ctx context.Context) error {
	list, errs := a.catalog.Models(ctx)
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		a.reportError(errs[name])
	}
	if err := a.show(a.modelRows(ctx, list)); err != nil || len(list) > 0 {
		return err
	}
	return fail(Provider, "no endpoint lists any models")
}

// modelRows are models with what is known of their windows.
func (a *app) modelRows(ctx context.Context, list []llm.Model) modelRows {
	windows, err := target.ListedWindows(ctx, a.store, a.catalog.Endpoints(), list, a.now())
	if err != nil {
		a.reportError(err)
	}
	rows := modelRows{}
	for i, window := range windows {
		rows = append(rows, modelRow{list[i].Ref(), window.Tokens, window.Origin()})
	}
	return rows
}

// knownModel is a model with what was learned of it.
type knownModel struct {
	modelRow
	Format  llm.Wire // of its requests
	Learned []string // how it has to be asked otherwise than usual

	client  *llm.Client
	id      string
	learned llm.Learned
}

// Table writes a line for each thing that is known.
func (k *knownModel) Table(page *report.Page) {
	page.Line("%s", report.Line(k.Model))
	page.Row("window", report.WindowText(k.Window)+"  "+report.Line(k.Source))
	page.Row("format", string(k.Format))
	page.Row("learned", report.Sentence(k.lessons()))
}

// lessons says what was learned of the model, and since when.
func (k *knownModel) lessons() string {
	var facts []string
	if len(k.Learned) > 0 {
		facts = append(facts, fmt.Sprintf("asked %s, since %s", strings.Join(k.Learned, " and "),
			k.learned.Since.Local().Format(time.DateOnly)))
	}
	if k.learned.AnyName {
		facts = append(facts, "the server answers for it, but does not list it")
	}
	return cmp.Or(strings.Join(facts, "; "), "nothing")
}

// findModel finds a model: its window, the format of its requests, and what was learned of it.
func (a *app) findModel(ctx context.Context, ref string) (*knownModel, error) {
	k := new(knownModel)
	ref, err := a.catalog.Find(ctx, ref, "")
	if err == nil {
		k.client, k.id, err = a.catalog.Use(ref)
	}
	if err != nil {
		return nil, fail(Usage, "%w", err)
	}
	if k.learned, err = target.LoadLearned(ctx, a.store, k.client.Endpoint(), k.id); err != nil {
		return nil, err
	}
	k.client.Learn(k.id, k.learned)
	m := llm.Model{Endpoint: k.client.Endpoint().Name, ID: k.id}
	if stated, err := k.client.StatedWindow(ctx, k.id); err == nil {
		m.Window = stated
	}
	k.modelRow = a.modelRows(ctx, []llm.Model{m})[0]
	k.Learned, k.Format = k.learned.Ways(), k.client.Wire(k.id)
	return k, nil
}

// forgetModel forgets what the refusals of a model's server taught: its window, and how the model is asked.
func (a *app) forgetModel(ctx context.Context, k *knownModel) error {
	err := a.store.Learn(ctx, k.client.Endpoint().BaseURL, k.id, func(l *store.Learned) {
		l.Window, l.WindowAt, l.Asked = 0, time.Time{}, nil
	})
	if err == nil {
		fmt.Fprintf(a.out, "Forgotten of %s: %s.\n", report.Line(k.Model), report.Sentence(k.lessons()))
	}
	return err
}
