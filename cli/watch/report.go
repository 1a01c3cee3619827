package watch

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pmezard/go-difflib/difflib"

	"winnow/cli/report"
	recorded "winnow/session/watch"
	"winnow/ui/theme"
)

// list prints the recorded requests.
func (c *commands) list(ctx context.Context, _ []string) error {
	return c.with(ctx, func(o *Opened) error {
		all, err := o.Requests(ctx)
		if n := o.Lost(); n > 0 {
			fmt.Fprintf(c.Err, "%s could not be recorded.\n", theme.Plural(n, "request"))
		}
		return c.print(requestList(all), err)
	})
}

// requestList is the result of winnow watch list.
type requestList []recorded.Request

// Table writes a row for each request.
func (l requestList) Table(p *report.Page) {
	if len(l) == 0 {
		p.Line("No requests are recorded yet; winnow watch -- codex records those of Codex.")
	}
	for _, r := range l {
		p.Row(fmt.Sprint(r.ID), r.At.Local().Format(time.DateTime), r.Client, string(r.Lane),
			tokensOf(r), r.Cost.String(), noteOf(r))
	}
}

// tokensOf returns the tokens of a request, and how many of them the server read from its cache.
func tokensOf(r recorded.Request) string {
	switch n := r.Usage.Prompt; {
	case n <= 0:
		return "~" + theme.Thousands(r.Tokens.Sum())
	case r.Usage.Cached < 0:
		return theme.Thousands(n)
	default:
		return fmt.Sprintf("%s, %d%% cached", theme.Thousands(n), r.Usage.Cached*100/n)
	}
}

// noteOf returns what is most important about a request.
func noteOf(r recorded.Request) string {
	switch {
	case r.Failed != "":
		return "failed: " + report.ShortLine(r.Failed)
	case r.Break != nil:
		return "cache broke: " + report.ShortLine(r.Break.What)
	case r.Wire == "":
		return "not read: " + report.ShortLine(r.Path)
	case !r.Answered:
		return "no answer yet"
	}
	return report.ShortLine(r.Model)
}

// show prints a request beside the one before it, or its bytes.
func (c *commands) show(ctx context.Context, args []string) error {
	return c.withIDs(ctx, args, func(o *Opened, ids []int64) error {
		if !c.raw {
			view, err := o.View(ctx, ids[0], 0)
			return c.print(comparison{View: view}, err)
		}
		body, err := o.Raw(ctx, ids[0])
		if err == nil {
			_, err = c.Out.Write(body)
		}
		return err
	})
}

// diff prints what changed between two requests.
func (c *commands) diff(ctx context.Context, args []string) error {
	return c.withIDs(ctx, args, func(o *Opened, ids []int64) error {
		view, err := o.View(ctx, ids[0], append(ids, 0)[1])
		return c.print(comparison{view, true}, err)
	})
}

// print prints the result of a command, unless the command failed.
func (c *commands) print(result any, err error) error {
	if err != nil {
		return err
	}
	return c.Show(result)
}

// withIDs opens the recorded requests for a command whose arguments are requests.
func (c *commands) withIDs(ctx context.Context, args []string, do func(o *Opened, ids []int64) error) error {
	var ids []int64
	for _, arg := range args {
		id, err := strconv.ParseInt(arg, 10, 64)
		if err != nil {
			return c.Fail(usage, "%q is not the number of a request; winnow watch list prints them", arg)
		}
		ids = append(ids, id)
	}
	return c.with(ctx, func(o *Opened) error { return do(o, ids) })
}

// comparison is the result of winnow watch show, and of winnow watch diff, which prints the lines of what changed.
type comparison struct {
	recorded.View
	lines bool
}

// Table writes what the request was, and a row for each block.
func (v comparison) Table(p *report.Page) {
	r := v.Request
	p.Line("Request %d of %s to %s: %s", r.ID, r.Client, cmp.Or(r.Model, r.Path), tokensOf(r))
	if v.Against != nil {
		p.Line("Compared with request %d: %s", v.Against.ID, v.Head)
	}
	if r.Break != nil {
		p.Line("The cache broke (%s): %s", r.Break.Class, r.Break.What)
	}
	if r.Word != "" {
		p.Line("The server says: %s", r.Word)
	}
	for _, sentence := range append(v.Params, r.Damage...) {
		p.Line("%s", sentence)
	}
	for _, b := range v.Blocks {
		row := []string{string(b.Verdict), theme.Thousands(b.Tokens), b.Place, string(b.Kind), b.Name}
		switch {
		case v.lines && b.Verdict == recorded.Same:
			continue
		case v.lines && b.Reason != "":
			p.Row(append(row, b.Reason)...)
			p.Text(lineDiff(b.Was.Text, b.Text))
		default:
			p.Row(append(row, strings.TrimPrefix(b.Reason+": "+report.ShortLine(b.Text), ": "))...)
		}
	}
}

// sentences breaks long lines of JSON and of prose.
var sentences = strings.NewReplacer(`\n`, "\n", ". ", ".\n", `,"`, ",\n\"")

// lineDiff returns the sentences in which two texts differ.
func lineDiff(before, now string) string {
	was, is := difflib.SplitLines(sentences.Replace(before)), difflib.SplitLines(sentences.Replace(now))
	text, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: was, B: is}) // writing to memory cannot fail
	return text
}

// search prints the blocks that contain a text.
func (c *commands) search(ctx context.Context, args []string) error {
	return c.with(ctx, func(o *Opened) error {
		hits, err := o.Search(ctx, strings.Join(args, " "))
		if err == nil && len(hits) == 0 {
			fmt.Fprintln(c.Err, "No request contains this text.")
		}
		return c.print(hitList(hits), err)
	})
}

// hitList is the result of winnow watch search.
type hitList []recorded.Hit

// Table writes a row for each block.
func (l hitList) Table(p *report.Page) {
	for _, hit := range l {
		p.Row(fmt.Sprint(hit.Request.ID), hit.Request.Client, hit.Place, hit.Snippet)
	}
}

// export prints the body of a request and its answer.
func (c *commands) export(ctx context.Context, args []string) error {
	return c.withIDs(ctx, args, func(o *Opened, ids []int64) error {
		body, answer, err := o.Texts(ctx, ids[0])
		if err == nil {
			fmt.Fprintf(c.Out, "%s\n%s\n", c.Redact(string(body)), c.Redact(string(answer)))
		}
		return err
	})
}

// forget deletes requests.
func (c *commands) forget(ctx context.Context, args []string) error {
	if len(args) == 0 && !c.all {
		return c.Fail(usage, "name the requests to delete, or delete all with --all")
	}
	return c.withIDs(ctx, args, func(o *Opened, ids []int64) error {
		if c.all {
			return o.ForgetAll(ctx)
		}
		return o.Forget(ctx, ids...)
	})
}
