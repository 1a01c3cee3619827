package watch

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"winnow/llm/pricing"
	"winnow/llm/watch"
)

// known is a recorded request as later ones are compared with it.
type known struct {
	Row  Request       // as lists show it
	Body watch.Request // as it was read
}

// place sets the thread, lane and predecessor of a new request: Row.Thread, Row.Lane and Row.Before. Row.Thread is what
// a header names as the conversation, "" for nothing. recent are the last 32 requests of the same client, oldest first,
// with the last one of the named thread if it is older. It returns the predecessor, nil for none. The same bytes are a
// retry within 10 minutes. What was not read is Side.
func (k *known) place(recent []*known) (before *known) {
	row := &k.Row
	row.Thread = cmp.Or(row.Thread, k.Body.Thread)
	near := k.nearest(recent)
	if near != nil {
		row.Thread = near.Row.Thread
	}
	row.Thread = cmp.Or(row.Thread, "at-"+strconv.FormatInt(row.At.UnixNano(), 36))
	var last, again *known // of the lane Main; with the same bytes
	row.Before = 0
	for _, r := range recent {
		if r.Row.Thread != row.Thread {
			continue
		}
		if r.Row.Lane == Main {
			last = r
		}
		if r.Row.Lane != Retry && r.Row.Hash == row.Hash {
			again = r
		}
	}
	row.Lane = k.aside()
	switch {
	case row.Wire == watch.NotRead:
		row.Lane = Side
	case again != nil && row.At.Sub(again.Row.At) < 10*time.Minute:
		row.Lane, before = Retry, again
	case row.Lane != Main || last == nil:
	case near != nil && near.Row.Lane == Subagent:
		row.Lane, before = Subagent, near
	case near != nil:
		before = last
	case row.Tokens.Tools == 0:
		row.Lane = Side
	case last.Row.Tokens.Tools > 0:
		row.Lane = Subagent
	}
	if before != nil {
		row.Before = before.Row.ID
	}
	return before
}

// nearest returns the request of the lanes Main and Subagent with most messages in common, the newest of several, nil
// for none; or the one that this request continues by its answer's id. It is one of the conversation, if that is known.
//
// Its last message, or most of many, must be in this request, because subagents begin with some that the conversation
// begins with too. If the tools or the system prompt are those of Main, one message suffices; if both are, none is
// necessary in a known conversation: its messages were replaced by a summary.
func (k *known) nearest(recent []*known) (best *known) {
	myHead, _, mine := k.keys()
	named, most := k.Row.Thread != "", 0
	for _, r := range recent {
		here := !named || k.Row.Thread == r.Row.Thread
		if here && r.Row.AnswerID != "" && r.Row.AnswerID == k.Body.After {
			return r
		}
		head, last, theirs := r.keys()
		shared := 0
		for key := range theirs {
			if mine[key] {
				shared++
			}
		}
		grown := mine[last] || len(theirs) > 4 && shared*2 > len(theirs)
		like := head[watch.Tool] == myHead[watch.Tool] || head[watch.System] == myHead[watch.System]
		again := r.Row.Lane == Main && (named && maps.Equal(head, myHead) || like && shared > 0)
		if here && shared >= most && (again || grown && (r.Row.Lane == Main || r.Row.Lane == Subagent)) {
			best, most = r, shared
		}
	}
	return best
}

// keys returns the keys of the tools and of the system prompt, one after the other, and those of the messages with the
// last one.
func (k *known) keys() (head map[watch.Kind]string, last string, said map[string]bool) {
	head, said = map[watch.Kind]string{}, map[string]bool{}
	for _, b := range k.Body.Blocks {
		switch {
		case b.Kind != watch.Tool && b.Kind != watch.System:
			last = b.Key
			said[last] = true
		case !b.Unkeyed:
			head[b.Kind] += b.Key
		}
	}
	return head, last, said
}

// What programs write when they ask for a title or a summary of a conversation.
var (
	titleWords   = regexp.MustCompile(`(?is)\b(generate|create|short|concise|extract)\b.{0,80}\btitle|title generator`)
	summaryWords = regexp.MustCompile(`(?is)\bsummari[sz](e|es|ing)\b.{0,40}\b(conversation|chat history|session)|` +
		`summary (of|from) (the|our|this) (conversation|session|chat)|handoff summary|prompt for continuing`)
)

// aside returns the lane that the beginnings of the system prompt and of a last user message tell: Title, Summary, or
// else Main.
func (k *known) aside() Lane {
	text, blocks := "", k.Body.Blocks
	for i, b := range blocks {
		if b.Kind == watch.System || b.Kind == watch.User && i == len(blocks)-1 {
			text += b.Text[:min(1000, len(b.Text))] + "\n\n"
		}
	}
	switch {
	case k.Row.Tokens.Tools == 0 && len(blocks) < 6 && titleWords.MatchString(text):
		return Title
	case summaryWords.MatchString(text):
		return Summary
	}
	return Main
}

// findBreak says why an answered request was not read from the server's cache, by comparison with the last answered
// request of its lane in recent, which is as for place and may contain later requests. It returns nil if the cache was
// used, or if nobody can tell.
func (k *known) findBreak(recent []*known, count counter, prices pricing.Prices) *Break {
	was, usage := k.lastAnswered(recent), k.Row.Usage
	if was == nil || usage.Cached < 0 || cachedEnd(&was.Body) < 0 {
		return nil
	}
	fresh := k.Row.Verdicts[New] * usage.Prompt / max(1, k.Row.Tokens.Sum())
	expected := min(was.Row.Usage.Prompt, usage.Prompt-fresh)
	ttl := cmp.Or(was.Body.Retain, 10*time.Minute)
	if was.Body.Wire == watch.Messages {
		ttl, _ = time.ParseDuration(was.Body.Blocks[cachedEnd(&was.Body)].TTL)
		kept := max(0, was.Row.Usage.Cached) + max(0, was.Row.Usage.CacheWrite)
		expected = min(expected, cmp.Or(kept, expected))
	}
	missed := expected - usage.Cached
	if missed < 1024 || missed*10 < expected {
		return nil // an error of counting, or too little to be cached
	}
	b := k.difference(was, count)
	b.Class, b.Missed = ByClient, missed
	idle := k.Row.At.Sub(was.Row.At.Add(was.Row.Took))
	// A difference does not explain why what comes before it was not read, except where clients choose what is kept.
	early := b.What == "" || usage.Cached*2 < b.Same
	switch {
	case idle > ttl && early:
		b.Class, b.Place, b.What = ByTime, "", idle.Round(time.Second).String()+" passed, the cache lasts "+ttl.String()
	case b.What == "":
		b.Class, b.What = ByServer, "nothing differs or expired: the server's doing, or unknown"
	case early && b.Same > 2048 && k.Body.Wire != watch.Messages:
		b.Class, b.What = ByServer, "what comes before "+b.Place+" is the same: the server's doing, or unknown"
	}
	usage.Cost = -1
	hit := usage
	hit.Cached, hit.CacheWrite = hit.Cached+missed, max(0, hit.CacheWrite-missed)
	b.Extra = prices.Cost(usage, hit).Amount - prices.Cost(hit, hit).Amount
	return &b
}

// lastAnswered returns the last request before this one in its lane whose answer came with its usage, nil for none. An
// answered repetition of a request stands for the request.
func (k *known) lastAnswered(recent []*known) *known {
	id := k.Row.Before
	for _, r := range slices.Backward(recent) {
		switch again := r.Row.Lane == Retry && r.Row.Before == id; {
		case r.Row.ID >= k.Row.ID || r.Row.ID != id && !again:
		case r.Row.Usage.Prompt > 0:
			return r
		case !again:
			id = r.Row.Before
		}
	}
	return nil
}

// cachedEnd returns the index of the last block that a request asks the server to keep, -1 for none. Only Anthropic's
// servers must be asked.
func cachedEnd(r *watch.Request) int {
	end := len(r.Blocks) - 1
	for r.Wire == watch.Messages && end >= 0 && r.Blocks[end].TTL == "" {
		end--
	}
	return end
}

// difference names the first thing that the client changed within what the server was asked to keep of the request
// before, with the number of tokens before it. What is "" if it changed nothing.
func (k *known) difference(was *known, count counter) Break {
	if params := changedParams(&was.Body, &k.Body); len(params) > 0 {
		place, _, _ := strings.Cut(params[0], ":")
		return Break{Place: place, What: params[0]}
	}
	end, now := cachedEnd(&was.Body), cachedEnd(&k.Body)
	n := min(end, now) + 1
	said := func(b watch.Block) bool { return b.Message >= 0 }
	if at := slices.IndexFunc(was.Body.Blocks, said); at >= 0 && k.Body.After+was.Body.After != "" {
		n = at // the server has messages that are not in the bodies
	}
	first, same := firstChange(compare(&was.Body, &k.Body, count), n)
	b, last := Break{Same: same}, was.Body.Blocks[end]
	switch {
	case first != nil:
		name := strings.TrimSuffix(first.Place+" ("+first.Name+")", " ()")
		b.Place = first.Place
		b.What = strings.TrimSuffix(name+": "+string(first.Verdict)+", "+first.Reason, ", ")
	case k.Body.Wire != watch.Messages:
	case now < end:
		b.Place, b.What = last.Place, "cache_control no longer reaches "+last.Place
	case k.Body.Blocks[now].TTL != last.TTL:
		b.Place, b.What = last.Place, "cache_control "+last.TTL+" → "+k.Body.Blocks[now].TTL
	}
	return b
}
