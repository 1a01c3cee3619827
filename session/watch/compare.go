package watch

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"winnow/history/message"
	"winnow/llm/watch"
)

// known is a request that others are compared with.
type known struct {
	Row     Request       // as lists show it
	Body    watch.Request // as it was read; of a new request alone, because bodies are long
	Outline outline
}

// outline has a hash of each part of a body.
type outline struct {
	Head map[watch.Kind]string // the tools, and the system prompt
	Said []byte                // the blocks of messages, keySize bytes each
}

const keySize = 16 // of the hash of a block

// outlineOf returns the outline of a body.
func outlineOf(body watch.Request) outline {
	o := outline{Head: map[watch.Kind]string{}}
	for _, b := range body.Blocks {
		switch {
		case b.Kind != watch.Tool && b.Kind != watch.System:
			o.Said = append(o.Said, b.Key[:keySize]...)
		case !b.Unkeyed:
			o.Head[b.Kind] = hashOf([]byte(o.Head[b.Kind] + b.Key))
		}
	}
	return o
}

// isLike reports whether the tools or the system prompt are the same.
func (o outline) isLike(other outline) bool {
	return o.Head[watch.Tool] == other.Head[watch.Tool] || o.Head[watch.System] == other.Head[watch.System]
}

// place sets the thread, lane and predecessor of a new request: Row.Thread, Row.Lane and Row.Before. Row.Thread is what
// a header names as the conversation, "" for nothing. recent are the last 32 requests of the same client, oldest first,
// with the last one of the named thread if it is older. It returns the predecessor, nil for none. The same bytes are a
// retry within 10 minutes. After a summary, the conversation goes on. What was not read is Side, in a thread of its own.
func (k *known) place(recent []*known) (before *known) {
	row := &k.Row
	row.Thread = cmp.Or(row.Thread, k.Body.Thread)
	near := cmp.Or(k.nearest(recent), &known{})
	unread := map[watch.Wire]string{watch.NotRead: "not read"}[row.Wire]
	row.Thread = cmp.Or(near.Row.Thread, row.Thread, unread, "at-"+strconv.FormatInt(row.At.UnixNano(), 36))
	var last, again, latest *known // of the lane Main; with the same bytes; of any lane
	for _, r := range recent {
		if r.Row.Thread != row.Thread {
			continue
		}
		latest = r
		if r.Row.Lane == Main {
			last = r
		}
		if r.Row.Lane != Retry && r.Row.Hash == row.Hash {
			again = r
		}
	}
	row.Lane = k.aside()
	// Some programs give another model other tools and another system prompt.
	switched := near.Row.Model != row.Model && bytes.HasPrefix(k.Outline.Said, near.Outline.Said)
	switch {
	case row.Wire == watch.NotRead:
		row.Lane = Side
	case again != nil && row.At.Sub(again.Row.At) < 10*time.Minute:
		row.Lane, before = Retry, again
	case row.Lane != Main || last == nil:
	case near.Row.Lane == Subagent:
		row.Lane, before = Subagent, near
	case latest.Row.Lane == Summary && row.Tokens.Tools > 0,
		near.Row.ID != 0 && (k.Body.After != "" || near.Outline.isLike(k.Outline) || switched):
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
// necessary in a known conversation: its messages were replaced by a summary. Requests with neither come last, because
// some subagents are sent the whole conversation.
func (k *known) nearest(recent []*known) (best *known) {
	named, most := k.Row.Thread != "", 0
	mine := map[string]bool{}
	for key := range slices.Chunk(k.Outline.Said, keySize) {
		mine[string(key)] = true
	}
	for _, r := range recent {
		here := !named || k.Row.Thread == r.Row.Thread
		if here && r.Row.AnswerID != "" && r.Row.AnswerID == k.Body.After {
			return r
		}
		all, shared, last := 0, 0, false
		for key := range slices.Chunk(r.Outline.Said, keySize) {
			all++
			if last = mine[string(key)]; last {
				shared++
			}
		}
		grown := last || all > 4 && shared*2 > all
		like := r.Outline.isLike(k.Outline)
		again := r.Row.Lane == Main && (named && maps.Equal(r.Outline.Head, k.Outline.Head) || like && shared > 0)
		if like {
			shared += len(mine) // before all that are not
		}
		if here && shared >= most && (again || grown && (r.Row.Lane == Main || r.Row.Lane == Subagent)) {
			best, most = r, shared
		}
	}
	return best
}

// What programs write when they ask for a title or a summary of a conversation.
var (
	titleWords = regexp.MustCompile(`(?is)title generator|\bnaming a\b.{0,20}\bsession|` +
		`\b(generate|create|short|concise|extract)\b.{0,80}\btitle`)
	summaryWords = regexp.MustCompile(`(?is)handoff summary|prompt for continuing|"compaction_trigger"|` +
		`component that summarizes|summarization agent|` +
		`summar(y of|y from|ize|ise) (the|our|this) (conversation|session|chat)`)
)

// aside returns the lane that the beginnings of the system prompt and of a last user message tell: Title, Summary, or
// else Main.
func (k *known) aside() Lane {
	text, blocks := "", k.Body.Blocks
	for i, b := range blocks {
		if b.Kind == watch.System || b.Kind != watch.Result && i == len(blocks)-1 {
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

// compare compares a request with the one before it, block by block. All blocks are new if before is nil. The messages
// that a server adds itself, because the request continues an earlier answer, are not compared.
//
// A block became another one if both are in a stretch in common, else if they are equal, else if they are tools of one
// name or belong to one tool call, and last if they are of one kind between two such stretches.
func compare(before, now *watch.Request, count func(text string) int) []Compared {
	before = cmp.Or(before, &watch.Request{})
	there := func(b watch.Block) bool { return now.After != "" && b.Message >= 0 }
	old := slices.DeleteFunc(slices.Clone(before.Blocks), there)
	from := slices.Repeat([]int{-1}, len(now.Blocks)) // which of old each block was, -1 for none
	taken := make([]bool, len(old))
	pair := func(c difflib.OpCode, fit func(a, b watch.Block) bool) {
		for j := c.J1; j < c.J2; j++ {
			for i := c.I1; i < c.I2 && from[j] < 0; i++ {
				a, b := old[i], now.Blocks[j]
				if !taken[i] && a.Kind == b.Kind && fit(a, b) {
					from[j], taken[i] = i, true
				}
			}
		}
	}
	equal := func(a, b watch.Block) bool { return a.Key == b.Key }
	codes := difflib.NewMatcherWithJunk(keysOf(old), keysOf(now.Blocks), false, nil).GetOpCodes()
	for _, c := range codes {
		pair(c, equal)
	}
	whole := difflib.OpCode{I2: len(old), J2: len(now.Blocks)}
	pair(whole, equal)
	pair(whole, func(a, b watch.Block) bool {
		return (a.ID != "" || a.Kind == watch.Tool) && a.ID == b.ID && a.Name == b.Name
	})
	var all []Compared
	for _, c := range codes {
		pair(c, func(watch.Block, watch.Block) bool { return true })
		i := c.I1
		gone := func(end int) {
			for ; i < end; i++ {
				if b := &old[i]; !taken[i] {
					all = append(all, Compared{*b, Gone, count(b.Text), b, ""})
				}
			}
		}
		for j := c.J1; j < c.J2; j++ {
			one := Compared{Block: now.Blocks[j], Tokens: count(now.Blocks[j].Text)}
			if from[j] >= 0 {
				one.Was = &old[from[j]]
			}
			if from[j] < c.I2 {
				gone(from[j])
			}
			one.judge(c.Tag == 'e', count)
			all = append(all, one)
		}
		gone(c.I2)
	}
	return all
}

// keysOf returns the keys of some blocks.
func keysOf(blocks []watch.Block) (keys []string) {
	for _, b := range blocks {
		keys = append(keys, b.Key)
	}
	return keys
}

// judge sets the verdict on a block that was Was. inPlace says that it is in a stretch in common.
func (c *Compared) judge(inPlace bool, count func(text string) int) {
	was := cmp.Or(c.Was, &c.Block)
	start, end := common(was.Text, c.Text)
	left := c.Text[start : len(c.Text)-end]
	switch {
	case c.Was == nil:
		c.Verdict = New
	case inPlace || was.Key == c.Key && was.Place == c.Place:
		c.Verdict, c.Was = Same, nil
		if min(was.TTL, c.TTL) != "" && was.TTL != c.TTL {
			c.Reason = "cache_control " + was.TTL + " → " + c.TTL
		}
	case was.Key == c.Key:
		c.Verdict, c.Reason = Moved, "was "+was.Place
	case len(c.Text)*10 < len(was.Text)*9 && len(left) <= 200 && omission.MatchString(left):
		kept := message.WithCommas(c.Tokens) + " of " + message.WithCommas(count(was.Text))
		c.Verdict, c.Reason = Cut, kept+" tokens kept"
	default:
		at := utf8.RuneCountInString(c.Text[:start])
		c.Verdict, c.Reason = Rewritten, "differs after character "+message.WithCommas(at)
	}
}

// omission matches what programs write in place of a text that they leave out, which may be nothing.
var omission = regexp.MustCompile(`(?i)\b(cleared|truncated|omitted|elided|removed|trimmed|pruned)\b|…|\.\.\.|^\s*$`)

// common returns how many bytes two texts have in common at their beginnings, and after those at their ends.
func common(a, b string) (start, end int) {
	most := min(len(a), len(b))
	for start < most && a[start] == b[start] {
		start++
	}
	for end < most-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start, end
}

// tally adds up the tokens of each verdict.
func tally(blocks []Compared) map[Verdict]int {
	n := map[Verdict]int{}
	for _, c := range blocks {
		n[c.Verdict] += c.Tokens
	}
	return n
}

// changed returns how many tokens are in one request of a comparison and not in the other.
func changed(blocks []Compared, count func(text string) int) (added, lost int) {
	for _, c := range blocks {
		was := cmp.Or(c.Was, &watch.Block{})
		start, end := common(was.Text, c.Text)
		switch {
		case c.Unkeyed || c.Verdict == Same:
		case c.Verdict == Gone:
			lost += c.Tokens
		default:
			added += count(c.Text[start : len(c.Text)-end])
			lost += count(was.Text[start : len(was.Text)-end])
		}
	}
	return added, lost
}

// changedParams says which of the keyed parameters differ, which include the model: "reasoning effort: high → low".
func changedParams(before, now *watch.Request) (all []string) {
	both := map[string]string{}
	maps.Copy(both, before.Params)
	maps.Copy(both, now.Params)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if was, is := before.Params[name], now.Params[name]; was != is {
			text := strings.NewReplacer(".", " ", "_", " ").Replace(name)
			text += ": " + cmp.Or(was, "unset") + " → " + cmp.Or(is, "unset")
			all = append(all, message.GraphemePrefix(strings.ReplaceAll(text, `"`, ""), 200))
		}
	}
	return all
}

// firstChange returns the first difference within the first n blocks of the request before that matters to a server's
// cache, nil for none, and the number of tokens before it.
func firstChange(blocks []Compared, n int) (first *Compared, tokens int) {
	for i := 0; i < len(blocks) && n > 0; i++ {
		c := blocks[i]
		switch {
		case c.Unkeyed && (c.Was == nil || c.Was.Unkeyed):
		case c.Verdict == Same && c.Reason == "":
			tokens += c.Tokens
		default:
			return &blocks[i], tokens
		}
		if c.Verdict != New {
			n--
		}
	}
	return nil, tokens
}

// findBreak says why an answered request was not read from the server's cache, by comparison with the last answered
// request of its lane in recent, which is as for place and may contain later requests. whole reads a request with its
// texts. It returns nil if the cache was used, or if nobody can tell.
func (k *known) findBreak(recent []*known, whole func(Request) *watch.Request, o Options) *Break {
	was, usage := k.lastAnswered(recent), k.Row.Usage
	// If nine tenths were read from the cache, no tenth is missing, and the bodies need not be read.
	if was == nil || usage.Cached < 0 || usage.Cached*10 > usage.Prompt*9 {
		return nil
	}
	before, now := whole(was.Row), whole(k.Row)
	end, blocks := before.CachedEnd(), compare(before, now, o.Count)
	// What both have in common is found from the one of which less must be left out, because our counts are estimates.
	added, lost := changed(blocks, o.Count)
	expected := min(usage.Prompt, was.Row.Usage.Prompt-lost*was.Row.Usage.Prompt/max(1, was.Row.Tokens.Sum()))
	if added < lost {
		expected = usage.Prompt - added*usage.Prompt/max(1, k.Row.Tokens.Sum())
	}
	ttl := cmp.Or(before.Retain, 10*time.Minute)
	if before.Wire == watch.Messages && end >= 0 {
		ttl, _ = time.ParseDuration(before.Blocks[end].TTL)
		kept := max(0, was.Row.Usage.Cached) + max(0, was.Row.Usage.CacheWrite)
		expected = min(expected, cmp.Or(kept, expected))
	}
	missed := expected - usage.Cached
	if end < 0 || missed < 1024 || missed*10 < expected {
		return nil // nothing was to be cached, or too little, or it is an error of counting
	}
	b := difference(before, now, blocks)
	b.Class, b.Missed = ByClient, missed
	idle := k.Row.At.Sub(was.Row.At.Add(was.Row.Took))
	// A difference does not explain why what comes before it was not read, except where clients choose what is kept.
	early := b.What == "" || usage.Cached*2 < b.Same
	switch {
	case idle > ttl && early:
		b.Class, b.Place, b.What = ByTime, "", idle.Round(time.Second).String()+" passed, the cache lasts "+ttl.String()
	case b.What == "":
		b.Class, b.What = ByServer, "nothing differs or expired: the server's doing, or unknown"
	case early && b.Same > 2048 && k.Row.Wire != watch.Messages:
		b.Class, b.What = ByServer, "what comes before "+b.Place+" is the same: the server's doing, or unknown"
	}
	b.Extra = o.Prices(k.Row.Upstream, k.Row.Model).CostOfMiss(usage, b.Missed)
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

// difference names the first thing that the client changed within what the server was asked to keep of the request
// before, with the number of tokens before it. What is "" if it changed nothing.
func difference(before, now *watch.Request, blocks []Compared) Break {
	if params := changedParams(before, now); len(params) > 0 {
		place, _, _ := strings.Cut(params[0], ":")
		return Break{Place: place, What: params[0]}
	}
	was, is := before.CachedEnd(), now.CachedEnd()
	n := min(was, is) + 1
	said := func(b watch.Block) bool { return b.Message >= 0 }
	if at := slices.IndexFunc(before.Blocks, said); at >= 0 && now.After+before.After != "" {
		n = at // the server has messages that are not in the bodies
	}
	first, same := firstChange(blocks, n)
	b, last := Break{Same: same}, before.Blocks[was]
	switch {
	case first != nil:
		name := strings.TrimSuffix(first.Place+" ("+first.Name+")", " ()")
		b.Place = first.Place
		b.What = strings.TrimSuffix(name+": "+string(first.Verdict)+", "+first.Reason, ", ")
	case now.Wire != watch.Messages:
	case is < was:
		b.Place, b.What = last.Place, "cache_control no longer reaches "+last.Place
	case now.Blocks[is].TTL != last.TTL:
		b.Place, b.What = last.Place, "cache_control "+last.TTL+" → "+now.Blocks[is].TTL
	}
	return b
}

// headOf describes a comparison in one sentence.
func headOf(v View) string {
	head, broke := "nothing differs", v.Request.Break
	first, _ := firstChange(v.Blocks, len(v.Blocks))
	switch {
	case v.Against == nil:
		return "the first request of its conversation"
	case len(v.Params) > 0:
		head = v.Params[0]
	case first != nil:
		head = "same up to " + first.Place
	}
	if broke == nil || v.Against.ID != v.Request.Before {
		return head
	}
	if broke.Class != ByClient {
		head = broke.What
	}
	head += "; " + message.WithCommas(broke.Missed) + " tokens not read from the cache"
	if broke.Extra > 0 {
		head += ", " + broke.Extra.String() + " more"
	}
	return head
}

// unread returns how many tokens a request has if the server counted less than half of them, else 0. The cause may be a
// server that silently drops what does not fit its window. Small requests and images are not compared.
func unread(row Request) int {
	ours, theirs := row.Tokens.Sum(), row.Usage.Prompt
	if ours > 400 && row.Tokens.Images == 0 && theirs > 0 && theirs*2 < ours {
		return ours
	}
	return 0
}
