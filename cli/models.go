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
				return fail(exitUsage, "--forget needs a model")
			}
			return p.withApp(ctx, purposeLook, func(a *app) error {
				a.fetchKeys(ctx) // a server whose key is missing reports that itself
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

// modelRow is a model with its context window.
type modelRow struct {
	Model  string // endpoint/model, as -m takes it
	Window int    // in tokens, 0 if unknown
	Source string `json:"window_source"` // who reported the window and when, "" if it is unknown
}

type modelRows []modelRow

// Table implements report.TableWriter.
func (rows modelRows) Table(page *report.Page) {
	for _, r := range rows {
		page.Row(report.ShortLine(r.Model), report.WindowText(r.Window), report.ShortLine(r.Source))
	}
}

// listModels lists the models of the endpoints that answer and reports the others on standard error. It fails only if
// no endpoint answers.
func (a *app) listModels(ctx context.Context) error {
	list, errs := a.catalog.Models(ctx)
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		a.reportError(errs[name])
	}
	if err := a.show(a.modelRows(ctx, list)); err != nil || len(list) > 0 {
		return err
	}
	return fail(exitProvider, "no endpoint lists any models")
}

// modelRows returns models with their context windows.
func (a *app) modelRows(ctx context.Context, list []llm.Model) modelRows {
	windows, err := target.ListedWindows(ctx, a.store, a.catalog.Endpoints(), list, a.now())
	if err != nil {
		a.reportError(err)
	}
	rows := modelRows{}
	for i, window := range windows {
		rows = append(rows, modelRow{list[i].Ref(), window.Tokens, window.DatedSource()})
	}
	return rows
}

// knownModel is a model with what was learned about it.
type knownModel struct {
	modelRow
	Format  llm.Wire // the API of its requests
	Learned []string // how its requests differ from the default

	client  *llm.Client
	id      string
	learned llm.Learned
}

// Table implements report.TableWriter.
func (k *knownModel) Table(page *report.Page) {
	page.Line("%s", report.ShortLine(k.Model))
	page.Row("window", report.WindowText(k.Window)+"  "+report.ShortLine(k.Source))
	page.Row("format", string(k.Format))
	page.Row("learned", report.SafeLine(k.learnedText()))
}

// learnedText says what was learned about the model, and since when.
func (k *knownModel) learnedText() string {
	var facts []string
	if len(k.Learned) > 0 {
		facts = append(facts, fmt.Sprintf("asked %s, since %s", strings.Join(k.Learned, " and "),
			k.learned.Since.Local().Format(time.DateOnly)))
	}
	if k.learned.AnswersUnlisted {
		facts = append(facts, "the server answers for it, but does not list it")
	}
	return cmp.Or(strings.Join(facts, "; "), "nothing")
}

// findModel finds a model, its window, the API of its requests and what was learned about it.
func (a *app) findModel(ctx context.Context, ref string) (*knownModel, error) {
	k := new(knownModel)
	ref, err := a.catalog.FindModel(ctx, ref, "")
	if err == nil {
		k.client, k.id, err = a.catalog.ResolveAndAdd(ref)
	}
	if err != nil {
		return nil, fail(exitUsage, "%w", err)
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
	k.Learned, k.Format = k.learned.Describe(), k.client.Wire(k.id)
	return k, nil
}

// forgetModel deletes what errors of the model's server taught: its window and how requests must differ.
func (a *app) forgetModel(ctx context.Context, k *knownModel) error {
	err := a.store.UpdateModelFacts(ctx, k.client.Endpoint().BaseURL, k.id, func(l *store.ModelFacts) {
		l.Window, l.WindowAt, l.Asked = 0, time.Time{}, nil
	})
	if err == nil {
		fmt.Fprintf(a.out, "Forgot what was learned about %s: %s.\n", report.ShortLine(k.Model),
			report.SafeLine(k.learnedText()))
	}
	return err
}
