//go:build cgo

package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"winnow/cli/report"
	"winnow/llm"
	"winnow/session/store"
	"winnow/session/target"
)

// forgetCommand is winnow models forget.
func (p *program) forgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "forget MODEL",
		Short: "Forget what a model's server refused, and try it again",
		Args:  takes("a model", 1, 1),
		RunE:  p.do(func(ctx context.Context, args []string) error { return p.forgetLearned(ctx, args[0]) }),

		ValidArgsFunction: p.completeModel,
	}
}

// model shows one model: its window, the format of its requests, and what was learned of it.
func (p *program) model(ctx context.Context, ref string, asJSON bool) error {
	return p.withModel(ctx, ref, func(w *setup, of *knownModel) error {
		of.client.Learn(of.model, of.learned)
		m := llm.Model{Endpoint: of.client.Endpoint().Name, ID: of.model}
		if stated, err := of.client.StatedWindow(ctx, of.model); err == nil {
			m.Window = stated
		}
		window := p.windows(ctx, w, []llm.Model{m})[0]
		if asJSON {
			return report.WriteJSON(p.out, []modelJSON{{m.Ref(), window.Tokens, window.Origin(), of.learned.Ways()}})
		}
		fmt.Fprintf(p.out, "%s\n", report.Line(m.Ref()))
		fmt.Fprintf(p.out, "window   %s  %s\n", report.WindowText(window.Tokens), report.Line(window.Origin()))
		fmt.Fprintf(p.out, "format   %s\n", of.client.Wire(of.model))
		fmt.Fprintf(p.out, "learned  %s\n", report.Line(learnedText(of.learned)))
		return nil
	})
}

// forgetLearned forgets what the server of a model refused.
func (p *program) forgetLearned(ctx context.Context, ref string) error {
	return p.withModel(ctx, ref, func(_ *setup, of *knownModel) error {
		name := report.Line(of.client.Endpoint().Name + "/" + of.model)
		if of.store == nil {
			fmt.Fprintf(p.out, "Nothing was learned of %s.\n", name)
			return nil
		}
		if err := of.store.Learn(ctx, of.client.Endpoint().BaseURL, of.model, forget); err != nil {
			return err
		}
		fmt.Fprintf(p.out, "Forgotten of %s: %s.\n", name, report.Line(learnedText(of.learned)))
		return nil
	})
}

// forget takes out what the refusals of a model's server taught: its window, and how the model is asked.
func forget(l *store.Learned) { l.Window, l.WindowAt, l.Asked = 0, time.Time{}, nil }

// learnedText says what was learned of a model, and since when.
func learnedText(l llm.Learned) string {
	var facts []string
	if ways := l.Ways(); len(ways) > 0 {
		since := l.Since.Local().Format(time.DateOnly)
		facts = append(facts, fmt.Sprintf("asked %s, since %s", strings.Join(ways, " and "), since))
	}
	if l.AnyName {
		facts = append(facts, "the server answers for it, but does not list it")
	}
	if len(facts) == 0 {
		return "nothing"
	}
	return strings.Join(facts, "; ")
}

// knownModel is a model with what was learned of it.
type knownModel struct {
	client  *llm.Client
	model   string
	learned llm.Learned
	store   *store.Store // has what was learned, nil where there are no conversations yet
}

// withModel finds a model for do, with its keys.
func (p *program) withModel(ctx context.Context, ref string, do func(*setup, *knownModel) error) error {
	w, err := p.setup(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	w.fetchKeys(ctx)
	of, err := p.findModel(ctx, w, ref)
	if err != nil {
		return err
	}
	defer of.close()
	return do(w, of)
}

// findModel finds a model, and what was learned of it. The caller closes it.
func (p *program) findModel(ctx context.Context, w *setup, ref string) (*knownModel, error) {
	var of knownModel
	ref, err := w.catalog.Find(ctx, ref, "")
	if err == nil {
		of.client, of.model, err = w.catalog.Use(ref)
	}
	if err != nil {
		return nil, fail(Usage, "%w", err)
	}
	path, err := p.dbPath(w.config)
	if err != nil || !exists(path) {
		return &of, err
	}
	if of.store, err = store.Open(ctx, path, store.Options{Now: p.now}); err != nil {
		return nil, err
	}
	if of.learned, err = target.LearnedOf(ctx, of.store, of.client.Endpoint(), of.model); err != nil {
		of.close()
		return nil, err
	}
	return &of, nil
}

func (k *knownModel) close() {
	if k.store != nil {
		k.store.Close()
	}
}

// checkLearned says what was learned of the model of an endpoint that the doctor looks at.
func (p *program) checkLearned(ctx context.Context, f *findings, w *setup, e llm.Endpoint, m llm.Model) {
	of, err := p.findModel(ctx, w, m.Ref())
	if err != nil {
		f.wrong(e.Name, "%s", report.ErrorText(err))
		return
	}
	defer of.close()
	if text := learnedText(of.learned); text != "nothing" {
		f.note(e.Name, "%s: %s; winnow models forget %s tries again", report.Line(m.Ref()), text, report.Line(m.Ref()))
	}
}
