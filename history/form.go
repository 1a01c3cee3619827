package history

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// depth is how much of a view a request holds, in rising order.
type depth uint8

const (
	out   depth = iota
	short       // at the limits of the policy
	brief       // the same, but answers that are not long stay whole
	ends        // the newest exchange where it is too long to stay whole: head and tail
	whole
)

func (d depth) level() Level { return [...]Level{Out, Shortened, Brief, Shortened, Whole}[d] }

// form is a view's text at a depth, with what it costs beside its frame.
type form struct {
	shortened
	tokens int
	chars  int    // code points of the original that are sent
	length int    // code points of what is sent
	cause  *Cause // why it is cut, nil where it is whole
	held   int    // tokens that the choice sets aside for it, where they are more than tokens
}

// price is what the choice pays for a form.
func (f form) price() int { return max(f.tokens, f.held) }

// limits is what of a policy decides a shortened text.
type limits struct {
	user, assistant, tool       int
	marker                      string
	userSuffix, assistantSuffix string
	classic                     bool
}

func limitsOf(p Policy) limits {
	return limits{p.UserMaxChars, p.AssistantMaxChars, p.ToolMaxChars, p.Marker, p.UserSuffix, p.AssistantSuffix, p.Preset == "classic"}
}

// within reports whether a view stays whole at these limits.
func (l limits) within(v *view) bool {
	switch v.kind() {
	case User:
		return v.chars <= l.user
	case Assistant:
		return v.chars <= l.assistant
	case Tool:
		return v.chars <= l.tool
	}
	return true
}

// mostForms is how many policies' shortened texts are remembered at a time.
const mostForms = 4

// formsFor are the remembered shortened texts of a policy, one place per view.
func (t *thread) formsFor(p Policy) []*form {
	l := limitsOf(p)
	if _, known := t.forms[l]; !known && len(t.forms) >= mostForms {
		clear(t.forms)
	}
	if t.forms == nil {
		t.forms = map[limits][]*form{}
	}
	f := t.forms[l]
	f = slices.Grow(f, len(t.views)-len(f))[:len(t.views)]
	t.forms[l] = f
	return f
}

// form is view i at a depth.
func (b *builder) form(i int, d depth) form {
	v := &b.views[i]
	switch {
	case d == out:
		return form{}
	case d == ends:
		if f := b.ends()[i-b.last.from]; f != nil {
			return *f
		}
	case d == brief && v.kind() == Assistant && v.chars <= b.o.Policy.AssistantRecallChars:
	case d <= brief && !b.limits.within(v):
		if b.forms[i] == nil {
			f := formOf(v, b.shorten(v), b.c.count)
			code, limit := b.limitOf(v)
			f.cause = f.causeOfCut(v, code, limit)
			b.forms[i] = &f
		}
		return *b.forms[i]
	}
	return form{shortened: shortened{text: v.Content}, tokens: v.tokens, chars: v.chars, length: v.chars}
}

// kind is the role whose limits hold for a view: a tool's result that is sent as text stays one.
func (v *view) kind() Role {
	if v.joins {
		return Tool
	}
	return v.Role
}

// shorten cuts a view's text to the limits of the policy. A marker in front of it is not part of what
// was said: a request that is read again as a history keeps it.
func (b *builder) shorten(v *view) shortened {
	p := b.o.Policy
	marker := 0
	if v.Role == User {
		for lead := p.Marker + joint; strings.HasPrefix(v.Content[marker:], lead); {
			marker += len(lead)
		}
	}
	before := runes(v.Content[:marker])
	s := cutMessage(p, v.kind(), v.Content[marker:], v.chars-before, p.AssistantMaxChars)
	if s.text = v.Content[:marker] + s.text; before == 0 || s.whole() {
		return s
	}
	s.cuts = []Range{{s.cuts[0].From + before, s.cuts[0].To + before}}
	s.insert = []Insert{{s.insert[0].At + before, s.insert[0].Text}}
	return s
}

// formOf counts a shortened text.
func formOf(v *view, s shortened, count Counter) form {
	if s.whole() {
		return form{shortened: s, tokens: v.tokens, chars: v.chars, length: v.chars}
	}
	f := form{shortened: s, tokens: count(s.text) + v.tokens - v.text, chars: v.chars, length: runes(s.text)}
	for _, r := range s.cuts {
		f.chars -= r.To - r.From
	}
	return f
}

// endsKey says for which state of a conversation the newest exchange was shortened.
type endsKey struct {
	limits
	last        span
	views, most int
}

// ends are the messages of the newest exchange with head and tail, together near the policy's
// tokens; nil stands for a message that stays whole. Messages of the user keep their own limit, and
// no answer gets less than an older one would.
func (b *builder) ends() []*form {
	key := endsKey{b.limits, b.last, len(b.views), b.most}
	if b.t.endsAt == key {
		return b.t.endsOf
	}
	forms := make([]*form, b.last.to-b.last.from)
	for k, share := range b.shares() {
		i := b.last.from + k
		v := &b.views[i]
		if v.tokens <= share && v.Role != User {
			continue
		}
		f := b.form(i, short)
		if v.Role != User {
			if e := b.headAndTail(v, share); e.tokens > f.tokens {
				f = e
			}
		}
		// The share grows evenly with the budget, what fits into it does not: the rest is paid for too,
		// so that a larger budget leaves no less for all that comes behind it.
		f.held = share
		forms[k] = &f
	}
	b.t.endsAt, b.t.endsOf = key, forms
	return forms
}

// shares divides the tokens of the newest exchange: the small messages get what they need, the large
// ones the same.
func (b *builder) shares() []int {
	n := b.last.to - b.last.from
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int { return b.views[b.last.from+x].tokens - b.views[b.last.from+y].tokens })
	shares, left := make([]int, n), b.most-n*frameMessage
	for k, x := range order {
		shares[x] = min(b.views[b.last.from+x].tokens, max(0, left)/(n-k))
		left -= shares[x]
	}
	return shares
}

// headAndTail cuts the middle out of a text until it costs no more than its share.
func (b *builder) headAndTail(v *view, share int) form {
	limit := int(float64(v.chars) * float64(share) / float64(max(1, v.tokens)))
	for range 8 {
		f := formOf(v, middleCut(v.Content, v.chars, limit), b.c.count)
		if f.tokens <= share || limit == 0 {
			f.cause = f.causeOfCut(v, CauseNewestLimit, b.room.tokens(b.most))
			return f
		}
		limit = limit * 9 / 10 * share / max(1, f.tokens)
	}
	return form{}
}

func runes(s string) int { return utf8.RuneCountInString(s) }
