package inspector

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/history/cause"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/panel"
	"winnow/ui/theme"
	"winnow/ui/transcript"
)

// message writes a message with its verdict: what of it the model gets, what it does not get, and what it gets instead.
func (r *request) message(p *Page, id int64, stored store.Message) {
	e, judged := r.Plan.EntryByID(id)
	switch {
	case judged:
		r.verdict(p, stored, e)
	case r.Ready:
		p.line(Warning, "This request does not contain the message: it came later, or is on another branch.")
	default:
		p.line(Quiet, "This message has no verdict yet.")
	}
	p.line(Quiet, "")
	switch {
	case stored.Damaged:
		p.line(Warning, "This message is damaged. The readable part differs from what was stored, and is never sent:")
		p.block(Unsent, stored.Remains)
	case stored.Content == "" && len(stored.ToolCalls)+len(stored.Parts) == 0:
		p.line(Quiet, "The message has no text.")
	case judged:
		p.message(stored.Content, e)
	default:
		p.block(Plain, stored.Content)
	}
	kind := Plain
	if judged && !e.Sent() {
		kind = Unsent
	}
	if len(stored.Parts)+len(stored.ToolCalls) > 0 || stored.Reasoning != "" {
		p.line(Quiet, "")
	}
	r.holds(p, kind, stored.Message)
}

// verdict writes what became of a message, why, and what it costs.
func (r *request) verdict(p *Page, stored store.Message, e history.Entry) {
	glyph, verdict := theme.Glyph(e), cmp.Or(theme.Verdict(e), "whole")
	reason, size := theme.UpperFirst(why(e)), theme.Plural(e.CharsBefore, "character")
	if strings.HasSuffix(verdict, why(e)) {
		reason = ""
	}
	if glyph == "◐" {
		verdict, size = verdict+" characters", ""
	}
	who := theme.Speaker(e.Role)
	if e.Role == history.Assistant && stored.Model != "" {
		who = transcript.ModelName(stored.Model)
	}
	p.add(Paragraph{Kind: Verdict, Mark: glyph, Title: who, Text: "  " + verdict, Aside: r.tokens(e)})
	p.add(Paragraph{Kind: Quiet, Text: reason, Aside: size})
	for _, repair := range e.Repairs {
		p.line(Quiet, "%s", theme.OneSentence(repair.Sentence()))
	}
	if r.proof(p); r.Past != nil && !r.Past.Proven {
		p.line(Quiet, "The verdict is the recorded one.")
	}
}

// tokens are the tokens of a message, and what is saved where less than all of it is sent.
func (r *request) tokens(e history.Entry) string {
	before, after := r.Plan.Sum.Tokens(e.TokensBefore), r.Plan.Sum.Tokens(e.TokensAfter)
	if after < before {
		return about(after) + " of " + about(before) + " tokens, saves " + about(before-after)
	}
	return about(after) + strings.TrimLeft(theme.Plural(after, "token"), "0123456789,")
}

// about is an estimate.
func about(n int) string {
	if n == 0 {
		return "0"
	}
	return "~" + theme.Thousands(n)
}

// why is the reason of a verdict without the verdict, "" where that says it all: a message is whole because it fits.
func why(e history.Entry) string {
	if e.Cause.Code == cause.Fits || e.Cause.Code == cause.FreeBudget {
		return ""
	}
	sentence := theme.OneSentence(e.Cause.Sentence())
	if _, reason, ok := strings.Cut(sentence, ": "); ok {
		return reason
	}
	return sentence
}

// proof says of a past request when it was sent, and whether that is what is shown.
func (r *request) proof(p *Page) {
	if r.Past == nil {
		return
	}
	q, proof := r.Past.Request, ""
	if r.Past.Proven {
		proof = " · ✓ proven by hash"
	}
	p.line(Quiet, "%s · sent %s · %s%s", panel.TurnName(r.Past.RecordedRequest),
		q.Created.Local().Format(time.DateTime), theme.OneLine(q.Endpoint+"/"+q.Model), proof)
	if !r.Past.Proven {
		p.line(Warning, "! Not proven to be what was sent: %s", theme.OneSentence(r.Past.Doubt))
	}
}

// holds writes what a message has beside its text.
func (r *request) holds(p *Page, k Kind, m history.Message) {
	for _, part := range m.Parts {
		p.line(Quiet, "%s", theme.FileLabel(part, r.Plan.Sum.Tokens(part.Tokens)))
		p.block(k, part.AsText())
	}
	if m.Reasoning != "" {
		p.line(Quiet, "reasoning · %s", theme.Plural(utf8.RuneCountInString(m.Reasoning), "character"))
		p.block(k, m.Reasoning)
	}
	for _, call := range m.ToolCalls {
		p.line(Quiet, "calls %s · id %s", theme.OneLine(call.Name), theme.QuotedID(call.ID))
		p.block(k, call.Arguments)
	}
}

// asSent writes what of the request carries a message, as it is sent.
func (r *request) asSent(p *Page, id int64) {
	r.proof(p)
	shown, at := r.Plan.EntriesByMessage(), carriersOf(&r.Plan, id)
	for _, i := range at {
		r.writeMessage(p, i, shown[i])
	}
	if len(at) == 0 {
		p.line(Plain, "Nothing of this message is in its place in the request.")
	}
}

// whole writes the request as it is sent, below what is said of all of it.
func (r *request) whole(p *Page) {
	used := theme.Thousands(r.Plan.Sum.Used())
	if limit := r.Plan.Sum.Limit; limit > 0 {
		used += " of " + theme.Thousands(limit)
	}
	p.line(Plain, "%s · ~%s tokens", theme.Plural(len(r.Plan.Messages), "message"), used)
	if r.Note != "" {
		p.line(Warning, "! %s", theme.OneSentence(r.Note))
	}
	r.proof(p)
	for i, entries := range r.Plan.EntriesByMessage() {
		r.writeMessage(p, i, entries)
	}
}

// writeMessage writes a message of the request, whose text is that of some entries: its role, whose text it is, its
// ids, and what it holds.
func (r *request) writeMessage(p *Page, i int, entries []int) {
	sent := r.Plan.Messages[i]
	facts := []string{r.whose(i, entries)}
	if sent.Role == history.Tool {
		facts = append(facts, "answers the call "+theme.QuotedID(sent.ToolCallID))
	}
	number := fmt.Sprintf("%*s  ", len(theme.Thousands(len(r.Plan.Messages))), theme.Thousands(i+1))
	p.line(Quiet, "")
	p.add(Paragraph{
		Kind: Quiet, Title: number + theme.OneLine(string(sent.Role)), Text: "  " + strings.Join(facts, " · "),
	})
	r.holds(p, Plain, history.Message{Parts: sent.Parts})
	p.block(Plain, sent.Content)
	if sent.Content == "" && len(sent.ToolCalls)+len(sent.Parts) == 0 {
		p.line(Quiet, "(no text)")
	}
	sent.Parts = nil
	r.holds(p, Plain, sent)
}

// whose says whose text a message of the request is: that of some entries, or of nobody.
func (r *request) whose(i int, entries []int) string {
	var names []string
	for _, k := range entries {
		names = append(names, theme.Thousands(r.Plan.Entries[k].Index+1))
	}
	sent := r.Plan.Messages[i]
	switch {
	case len(names) == 1:
		return "message " + names[0]
	case len(names) > 1:
		return "messages " + theme.InWords(names)
	case sent.Role == history.System:
		return "system prompt"
	}
	for _, a := range r.Plan.Added {
		if a.Before == i && a.Text == sent.Content {
			return "added: " + string(a.Kind)
		}
	}
	return "your draft"
}

// carriersOf are the messages of a request that have something of some messages in its place: themselves, or what they
// are joined with.
func carriersOf(plan *history.Plan, ids ...int64) (at []int) {
	for _, span := range plan.Spans {
		if span.Entry < 0 || span.Recalled {
			continue
		}
		if e := &plan.Entries[span.Entry]; e.Sent() && slices.Contains(ids, e.ID) {
			at = append(at, span.Message)
		}
	}
	return slices.Compact(at)
}

// readBody shows the body of the request, byte for byte but for its layout and its secrets.
func (in *Model) readBody() tea.Cmd {
	s, r := in.Session, in.request
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		if r.Past != nil {
			return func() tea.Cmd { return in.ShowBody(r.Past.Body) }, nil
		}
		raw, err := s.Try(ctx, session.Settings{}).Body(r.Plan)
		return func() tea.Cmd { return in.ShowBody(raw) }, err
	})
}

// ShowBody shows a body, laid out for reading, with what the proof says of it.
func (in *Model) ShowBody(raw []byte) tea.Cmd {
	r, name := in.request, in.Panel.Name(in.Panel.Shown())
	return in.write(len(raw), func(p *Page) {
		p.line(Quiet, "%s: %s, formatted for reading.", theme.UpperFirst(name), theme.Plural(len(raw), "byte"))
		if r.Note != "" {
			p.line(Warning, "! This request would not be sent: %s", theme.OneSentence(r.Note))
		}
		r.proof(p)
		var laidOut bytes.Buffer
		if json.Indent(&laidOut, raw, "", "  ") != nil {
			laidOut.Write(raw)
		}
		p.line(Quiet, "")
		p.block(Plain, laidOut.String())
	})
}

// readVerdicts reads what became of the message in past requests, for the history below its text.
func (in *Model) readVerdicts() tea.Cmd {
	const most = 500 // the newest
	db, message := in.Session.Store(), in.On.Message
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		list, err := db.VerdictHistory(ctx, message, most)
		return func() tea.Cmd { return in.ShowVerdicts(list) }, err
	})
}

// ShowVerdicts shows what became of the message in past requests, the newest first.
func (in *Model) ShowVerdicts(list []store.PastVerdict) tea.Cmd {
	in.verdicts = list
	if in.shown != nil {
		in.shown.fit()
	}
	return nil
}

// The sizes of the history below a message.
const (
	mostRuns   = 5 // rows
	mostGlyphs = 6 // in a row
	labelCells = 8 // of a verdict in a word, such as recalled
)

// history is what past requests made of the message, below a rule and the oldest first: a row for several requests in
// turn with the same verdict, with a glyph for each of them.
func (in *Model) history() (lines []string) {
	st, w, edge := &in.Themes.Styles, in.w, strings.Repeat(" ", theme.Gutter(in.w))
	for rest := in.verdicts; len(rest) > 0 && len(lines) < mostRuns; {
		newest, n := rest[0], 1
		for n < len(rest) && theme.Verdict(rest[n].Entry) == theme.Verdict(newest.Entry) {
			n++
		}
		turns, oldest := "turn "+theme.Thousands(newest.Turn), rest[n-1]
		if oldest.Turn != newest.Turn {
			turns = "turns " + theme.Thousands(oldest.Turn) + " to " + theme.Thousands(newest.Turn)
		}
		label, _, _ := strings.Cut(cmp.Or(theme.Word(newest.Entry), "whole"), " ")
		glyph := theme.Glyph(newest.Entry)
		lines = append(lines, theme.Fit(edge+st.Muted.Render(theme.Fit(label, labelCells+2))+
			st.OfGlyph(glyph).Render(theme.Fit(strings.Repeat(glyph+" ", min(n, mostGlyphs)), 2*mostGlyphs))+
			" "+st.Text.Render(strings.TrimSuffix(turns+": "+why(newest.Entry), ": ")), w))
		rest = rest[n:]
	}
	if len(lines) == 0 {
		return nil
	}
	lines = append(lines, edge+st.Strong.Render("History"), "", edge+st.Rule(w-2*len(edge)))
	slices.Reverse(lines)
	return lines
}
