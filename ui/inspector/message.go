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

// message writes a message with its verdict: what is sent of it, what is not, and what is sent instead.
func (r *request) message(p *page, id int64, stored store.Message) {
	e, judged := r.Plan.EntryByID(id)
	switch {
	case judged:
		r.verdict(p, stored, e)
	case r.Ready:
		p.line(KindWarning, "This request does not contain the message: it came later, or is on another branch.")
	default:
		p.line(KindRemark, "This message has no verdict yet.")
	}
	p.line(KindRemark, "")
	switch {
	case stored.Damaged:
		p.line(KindWarning, "This message is damaged. The readable part below is never sent:")
		p.block(KindUnsent, stored.Remains)
	case stored.Content == "" && len(stored.ToolCalls)+len(stored.Parts) == 0:
		p.line(KindRemark, "The message has no text.")
	case judged:
		p.message(stored.Content, e)
	default:
		p.block(KindPlain, stored.Content)
	}
	kind := KindPlain
	if judged && !e.Sent() {
		kind = KindUnsent
	}
	if len(stored.Parts)+len(stored.ToolCalls) > 0 || stored.Reasoning != "" {
		p.line(KindRemark, "")
	}
	r.holds(p, kind, stored.Message)
}

// verdict writes the verdict on a message, its reason, and its tokens.
func (r *request) verdict(p *page, stored store.Message, e history.Entry) {
	glyph, verdict := theme.Glyph(e), cmp.Or(theme.VerdictText(e), "whole")
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
	p.add(Paragraph{
		Kind: KindVerdict, Mark: glyph, Title: who, Text: "  " + verdict, Aside: r.tokens(e),
	})
	p.add(Paragraph{Kind: KindRemark, Text: reason, Aside: size})
	for _, repair := range e.Repairs {
		p.line(KindRemark, "%s", theme.OneSentence(repair.Sentence()))
	}
	if r.proof(p); r.Past != nil && !r.Past.Proven {
		p.line(KindRemark, "The verdict is the recorded one.")
	}
}

// tokens says how many tokens a message takes, and how many a cut saves.
func (r *request) tokens(e history.Entry) string {
	before, after := r.Plan.Sum.Tokens(e.TokensBefore), r.Plan.Sum.Tokens(e.TokensAfter)
	if after < before {
		return about(after) + " of " + about(before) + " tokens, saves " + about(before-after)
	}
	return about(after) + strings.TrimLeft(theme.Plural(after, "token"), "0123456789,")
}

// about formats an estimate.
func about(n int) string {
	if n == 0 {
		return "0"
	}
	return "~" + theme.Thousands(n)
}

// why returns the reason of a verdict without the verdict itself, "" if the verdict says it all.
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

// proof writes when a past request was sent, and whether its rebuilt body is proven.
func (r *request) proof(p *page) {
	if r.Past == nil {
		return
	}
	q, proof := r.Past.Request, ""
	if r.Past.Proven {
		proof = " · ✓ proven by hash"
	}
	p.line(KindRemark, "%s · sent %s · %s%s", panel.TurnName(r.Past.RecordedRequest),
		q.Created.Local().Format(time.DateTime), theme.OneLine(q.Endpoint+"/"+q.Model), proof)
	if !r.Past.Proven {
		p.line(KindWarning, "! Not proven to be what was sent: %s", theme.OneSentence(r.Past.Doubt))
	}
}

// holds writes what a message has besides its text.
func (r *request) holds(p *page, k ParagraphKind, m history.Message) {
	for _, part := range m.Parts {
		p.line(KindRemark, "%s", theme.FileLabel(part, r.Plan.Sum.Tokens(part.Tokens)))
		p.block(k, part.AsText())
	}
	if m.Reasoning != "" {
		p.line(KindRemark, "reasoning · %s", theme.Plural(utf8.RuneCountInString(m.Reasoning), "character"))
		p.block(k, m.Reasoning)
	}
	for _, call := range m.ToolCalls {
		p.line(KindRemark, "calls %s · id %s", theme.OneLine(call.Name), theme.QuotedID(call.ID))
		p.block(k, call.Arguments)
	}
}

// asSent writes the messages of the request that carry a stored message.
func (r *request) asSent(p *page, id int64) {
	r.proof(p)
	shown, at := r.Plan.EntriesByMessage(), carriersOf(&r.Plan, id)
	for _, i := range at {
		r.writeMessage(p, i, shown[i])
	}
	if len(at) == 0 {
		p.line(KindPlain, "This message is not in its place in the request.")
	}
}

// whole writes the whole request as it is sent, below its totals.
func (r *request) whole(p *page) {
	used := theme.Thousands(r.Plan.Sum.Used())
	if limit := r.Plan.Sum.Limit; limit > 0 {
		used += " of " + theme.Thousands(limit)
	}
	p.line(KindPlain, "%s · ~%s tokens", theme.Plural(len(r.Plan.Messages), "message"), used)
	if r.Problem != "" {
		p.line(KindWarning, "! %s", theme.OneSentence(r.Problem))
	}
	r.proof(p)
	for i, entries := range r.Plan.EntriesByMessage() {
		r.writeMessage(p, i, entries)
	}
}

// writeMessage writes a message of the request: its role, the entries that it comes from, its ids, and its content.
func (r *request) writeMessage(p *page, i int, entries []int) {
	sent := r.Plan.Messages[i]
	facts := []string{r.whose(i, entries)}
	if sent.Role == history.Tool {
		facts = append(facts, "answers the call "+theme.QuotedID(sent.ToolCallID))
	}
	number := fmt.Sprintf("%*s  ", len(theme.Thousands(len(r.Plan.Messages))), theme.Thousands(i+1))
	p.line(KindRemark, "")
	p.add(Paragraph{
		Kind: KindRemark, Title: number + theme.OneLine(string(sent.Role)), Text: "  " + strings.Join(facts, " · "),
	})
	r.holds(p, KindPlain, history.Message{Parts: sent.Parts})
	p.block(KindPlain, sent.Content)
	if sent.Content == "" && len(sent.ToolCalls)+len(sent.Parts) == 0 {
		p.line(KindRemark, "(no text)")
	}
	sent.Parts = nil
	r.holds(p, KindPlain, sent)
}

// whose says where a message of the request comes from: from entries of the plan, or from winnow.
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
		return "messages " + theme.JoinAnd(names)
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

// carriersOf returns the indexes of the request's messages that carry stored messages in their place, alone or joined
// with others.
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

// readBody shows the JSON body of the request, reformatted and redacted.
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

// ShowBody shows a request body, indented, with its proof.
func (in *Model) ShowBody(raw []byte) tea.Cmd {
	r, name := in.request, in.Panel.RequestName(in.Panel.ShownRequest())
	return in.write(len(raw), func(p *page) {
		p.line(KindRemark, "%s: %s, formatted for reading.", theme.UpperFirst(name), theme.Plural(len(raw), "byte"))
		if r.Problem != "" {
			p.line(KindWarning, "! This request would not be sent: %s", theme.OneSentence(r.Problem))
		}
		r.proof(p)
		var laidOut bytes.Buffer
		if json.Indent(&laidOut, raw, "", "  ") != nil {
			laidOut.Write(raw)
		}
		p.line(KindRemark, "")
		p.block(KindPlain, laidOut.String())
	})
}

// readVerdicts reads the verdicts of past requests on the message.
func (in *Model) readVerdicts() tea.Cmd {
	const most = 500 // the newest
	db, message := in.Session.Store(), in.Subject.Message
	return in.later(func(ctx context.Context) (func() tea.Cmd, error) {
		list, err := db.VerdictHistory(ctx, message, most)
		return func() tea.Cmd { return in.ShowVerdicts(list) }, err
	})
}

// ShowVerdicts shows the verdicts of past requests on the message, newest first.
func (in *Model) ShowVerdicts(list []store.PastVerdict) tea.Cmd {
	in.verdicts = list
	if in.shown != nil {
		in.shown.fit()
	}
	return nil
}

// Limits of the history below a message.
const (
	maxHistoryRows = 5 // rows
	maxGlyphs      = 6 // in a row
	labelCells     = 8 // of a verdict word such as recalled
)

// history draws the verdicts of past requests on the message, oldest first: one row for consecutive requests with the
// same verdict, with a glyph for each.
func (in *Model) history() (lines []string) {
	st, w, edge := &in.Themes.Styles, in.w, strings.Repeat(" ", theme.Gutter(in.w))
	for rest := in.verdicts; len(rest) > 0 && len(lines) < maxHistoryRows; {
		newest, n := rest[0], 1
		for n < len(rest) && theme.VerdictText(rest[n].Entry) == theme.VerdictText(newest.Entry) {
			n++
		}
		turns, oldest := "turn "+theme.Thousands(newest.Turn), rest[n-1]
		if oldest.Turn != newest.Turn {
			turns = "turns " + theme.Thousands(oldest.Turn) + " to " + theme.Thousands(newest.Turn)
		}
		label, _, _ := strings.Cut(cmp.Or(theme.VerdictWord(newest.Entry), "whole"), " ")
		glyph := theme.Glyph(newest.Entry)
		lines = append(lines, theme.Fit(edge+st.Muted.Render(theme.Fit(label, labelCells+2))+
			st.GlyphStyle(glyph).Render(theme.Fit(strings.Repeat(glyph+" ", min(n, maxGlyphs)), 2*maxGlyphs))+
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
