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
	"winnow/session"
	"winnow/session/store"
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
	w, err := p.setup(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	w.fetchKeys(ctx)
	client, model, learned, err := p.findLearned(ctx, w, ref)
	if err != nil {
		return err
	}
	client.Learn(model, learned)
	m := llm.Model{Endpoint: client.Endpoint().Name, ID: model}
	if stated, err := client.StatedWindow(ctx, model); err == nil {
		m.Window = stated
	}
	window := p.windows(ctx, w, []llm.Model{m})[0]
	if asJSON {
		return report.WriteJSON(p.out, []modelJSON{{m.Ref(), window.Tokens, window.Origin(), learned.Ways()}})
	}
	fmt.Fprintf(p.out, "%s\n", report.Line(m.Ref()))
	fmt.Fprintf(p.out, "window   %s  %s\n", report.WindowText(window.Tokens), report.Line(window.Origin()))
	fmt.Fprintf(p.out, "format   %s\n", client.Wire(model))
	fmt.Fprintf(p.out, "learned  %s\n", report.Line(learnedText(learned)))
	return nil
}

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

// forgetLearned forgets what the server of a model refused.
func (p *program) forgetLearned(ctx context.Context, ref string) error {
	w, err := p.setup(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	w.fetchKeys(ctx)
	client, model, learned, err := p.findLearned(ctx, w, ref)
	if err != nil {
		return err
	}
	name := report.Line(client.Endpoint().Name + "/" + model)
	s, err := p.knownStore(ctx, w)
	if err != nil || s == nil {
		fmt.Fprintf(p.out, "Nothing was learned of %s.\n", name)
		return err
	}
	defer s.Close()
	if err := s.ForgetLearned(ctx, client.Endpoint().BaseURL, model); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "Forgotten of %s: %s.\n", name, report.Line(learnedText(learned)))
	return nil
}

// findLearned finds a model, and what was learned of it.
func (p *program) findLearned(
	ctx context.Context, w *setup, ref string,
) (client *llm.Client, model string, l llm.Learned, err error) {
	if ref, err = w.catalog.Find(ctx, ref, ""); err == nil {
		client, model, err = w.catalog.Use(ref)
	}
	if err != nil {
		return nil, "", l, fail(Usage, "%w", err)
	}
	s, err := p.knownStore(ctx, w)
	if err != nil || s == nil {
		return client, model, l, err
	}
	defer s.Close()
	l, err = session.LearnedOf(ctx, s, client.Endpoint(), model)
	return client, model, l, err
}

// knownStore opens the conversations, nil where there are none yet.
func (p *program) knownStore(ctx context.Context, w *setup) (*store.Store, error) {
	path, err := p.dbPath(w.config)
	if err != nil || !exists(path) {
		return nil, err
	}
	return store.Open(ctx, path, store.Options{Now: p.now})
}

// checkLearned says what was learned of the models of an endpoint that the doctor looks at.
func (p *program) checkLearned(ctx context.Context, f *findings, w *setup, e llm.Endpoint, m llm.Model) {
	_, _, l, err := p.findLearned(ctx, w, m.Ref())
	switch text := learnedText(l); {
	case err != nil:
		f.wrong(e.Name, "%s", report.ErrorText(err))
	case text != "nothing":
		f.note(e.Name, "%s: %s; winnow models forget %s tries again", report.Line(m.Ref()), text, report.Line(m.Ref()))
	}
}
