package watch

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"

	"winnow/history/message"
	"winnow/llm/watch"
)

// counter counts the tokens of a block.
type counter func(watch.Block) int

// compare compares a request with the one before it, block by block. All blocks are new if before is nil. The messages
// that a server adds itself, because the request continues an earlier answer, are not compared.
//
// A block became another one if both are in a stretch in common, else if they are equal, else if they are tools of one
// name or belong to one tool call, and last if they are of one kind between two such stretches.
func compare(before, now *watch.Request, count counter) []Compared {
	before = cmp.Or(before, &watch.Request{})
	there := func(b watch.Block) bool { return now.After != "" && b.Message >= 0 }
	old := slices.DeleteFunc(slices.Clone(before.Blocks), there)
	was := make([]*watch.Block, len(now.Blocks))
	taken := make([]bool, len(old))
	pair := func(c difflib.OpCode, fit func(a, b watch.Block) bool) {
		for j := c.J1; j < c.J2; j++ {
			for i := c.I1; i < c.I2 && was[j] == nil; i++ {
				a, b := old[i], now.Blocks[j]
				if !taken[i] && a.Kind == b.Kind && fit(a, b) {
					was[j], taken[i] = &old[i], true
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
		for i := c.I1; i < c.I2; i++ {
			if b := &old[i]; !taken[i] {
				all = append(all, Compared{*b, Gone, count(*b), b, ""})
			}
		}
		for j := c.J1; j < c.J2; j++ {
			one := Compared{Block: now.Blocks[j], Was: was[j], Tokens: count(now.Blocks[j])}
			one.judge(c.Tag == 'e', count)
			all = append(all, one)
		}
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
func (c *Compared) judge(inPlace bool, count counter) {
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
		c.Verdict, c.Reason = Cut, message.WithCommas(c.Tokens)+" of "+message.WithCommas(count(*was))+" tokens kept"
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

// changedParams says which of the model and the keyed parameters differ: "reasoning effort: high → low".
func changedParams(before, now *watch.Request) (all []string) {
	note := func(name, was, is string) {
		if was != is {
			text := name + ": " + cmp.Or(was, "unset") + " → " + cmp.Or(is, "unset")
			all = append(all, message.GraphemePrefix(strings.ReplaceAll(text, `"`, ""), 200))
		}
	}
	note("model", before.Model, now.Model)
	both := map[string]string{}
	maps.Copy(both, before.Params)
	maps.Copy(both, now.Params)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		note(strings.NewReplacer(".", " ", "_", " ").Replace(name), before.Params[name], now.Params[name])
	}
	return all
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

// unread returns how many tokens a request has if the server counted less than half of them, else 0. The cause may be a
// server that silently drops what does not fit its window. Small requests and images are not compared.
func unread(row Request) int {
	ours, theirs := row.Tokens.Sum(), row.Usage.Prompt
	if ours > 400 && row.Tokens.Images == 0 && theirs > 0 && theirs*2 < ours {
		return ours
	}
	return 0
}
