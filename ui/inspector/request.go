package inspector

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/settings"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// settings says which settings decide the next request, and where each was set; "" of another request.
func (in *Model) settings() string {
	list, err := in.Session.Try(in.Program(), session.Settings{}).Settings()
	if err != nil || in.Past != nil || in.Tried {
		return ""
	}
	return settings.Text(list)
}

// readBody shows the body of the request, byte for byte but for its layout and its secrets.
func (in *Model) readBody() tea.Cmd {
	s, r, hidden := in.Session, in.Request, in.Secrets
	return in.later(func(ctx context.Context) (func(), error) {
		var raw []byte
		var err error
		if r.Past != nil {
			raw = r.Past.Body
		} else {
			raw, err = s.Try(ctx, session.Settings{}).Body(r.Plan)
		}
		return func() { in.ShowBody(raw, hidden) }, err
	})
}

// ShowBody shows a body, laid out for reading and without its secrets, with what the proof says of it.
func (in *Model) ShowBody(raw []byte, hidden theme.Secrets) {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Write(raw)
	}
	text, secrets := hidden.Hide(b.String())
	var p Page
	switch body := theme.Plural(len(raw), "byte"); {
	case in.Past == nil && in.Note != "":
		p.line(Warning, "! This request would not be sent: %s", theme.OneSentence(in.Note))
	case in.Past == nil && in.Busy:
		p.line(Quiet, "The body of the request that is being answered: %s, formatted for reading.", body)
	case in.Past == nil:
		p.line(Quiet, "The body of the request as it would be sent now: %s, formatted for reading.", body)
	case in.Past.Proven:
		p.line(Quiet, "✓ proven by hash: these %s were sent. They are formatted for reading.", body)
	default:
		p.line(Warning, "! not proven to be what was sent: %s", theme.OneSentence(in.Past.Doubt))
	}
	if secrets > 0 {
		p.line(Warning, "! %s hidden in this view; the request contains them.",
			theme.PluralOf(secrets, "secret is", "secrets are"))
	}
	p.add(Quiet, "\n")
	p.block(Plain, text)
	in.put(&view{head: p, pager: pager{wide: true}})
}

// readChanges compares the request on show with the one before it, or with the one that was chosen.
func (in *Model) readChanges() tea.Cmd {
	if in.On.From != nil {
		in.ShowChanges(in.On.From)
		return nil
	}
	read := in.Before(in.Request)
	return in.later(func(ctx context.Context) (func(), error) {
		before, err := read(ctx)
		return func() { in.ShowChanges(before) }, err
	})
}

// ShowChanges lists what is otherwise between another request and the one on show; nil is that there is none.
func (in *Model) ShowChanges(other *Request) {
	v := &view{list: true, none: "Nothing changed: every message is sent as before.", pager: pager{wide: true}}
	switch {
	case other == nil:
		v.none = "Nothing was sent before this request: there is nothing to compare it with."
	case order(other) == order(&in.Request):
		v.none = "This is " + in.Name + " itself: " + in.Keys.First(keymap.Earlier) + " and " +
			in.Keys.First(keymap.Later) + " select the request to compare it with."
	default:
		in.listChanges(v, other)
	}
	in.put(v)
}

// listChanges lists what is otherwise in the later one of two requests.
func (in *Model) listChanges(v *view, other *Request) {
	from, to := inOrder(other, &in.Request)
	before, after := &from.Plan, &to.Plan
	list := history.Compare(before.Entries, after.Entries)
	v.head.line(Title, "from %s to %s", from.Name, to.Name)
	v.head.line(Quiet, "%s to %s tokens · %s", about(before.Sum.Used()), about(after.Sum.Used()),
		theme.Plural(len(list), "change"))
	for _, c := range list {
		e := c.Entry()
		row := Page{{Plain, fmt.Sprintf("%-9s  %3s %s", c.Kind, theme.Thousands(e.Index+1),
			theme.Fit(theme.Speaker(e.Role), 6))}}
		if c.After.Disposition != "" {
			row.add(Glyph, theme.Glyph(c.After))
			row.add(Verdict, "  "+theme.Word(c.After))
		}
		row.add(Aside, theme.Thousands(before.Sum.Tokens(c.Before.TokensAfter))+" → "+
			theme.Thousands(after.Sum.Tokens(c.After.TokensAfter)))
		v.items = append(v.items, item{row: row, reason: c.Reason(), message: e.ID})
	}
}

// inOrder is two requests, the one that was sent first in front.
func inOrder(a, b *Request) (before, after *Request) {
	if order(b) < order(a) {
		return b, a
	}
	return a, b
}

// order is where a request stands among those that were sent: the next one is the last.
func order(r *Request) int64 {
	if r.Past == nil {
		return math.MaxInt64
	}
	return r.Past.Request.ID
}

// openItem opens the item under the cursor of a list: the request of the past, or the message that changed.
func (in *Model) openItem() tea.Cmd {
	v := in.shown
	switch {
	case len(v.items) == 0:
		return in.Say(v.none)
	case in.At == PastView:
		past := in.verdicts[v.at]
		return tea.Batch(in.show(TextView), in.Open(past.Turn, past.Request))
	}
	in.On.Message, in.changes, in.verdicts = v.items[v.at].message, v, nil
	return in.show(TextView)
}
