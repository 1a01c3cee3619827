//go:build cgo

package cli

import (
	"github.com/spf13/cobra"

	"winnow/session/store"
	"winnow/session/transfer"
)

// noRedactFlag lets a command show what looks like a secret.
func noRedactFlag(c *cobra.Command, noRedact *bool) {
	c.Flags().BoolVar(noRedact, "no-redact", false, "do not redact possible secrets")
}

// newRedaction takes known keys, and what looks like a secret, out of what a command shows, unless noRedact
// is set.
func (p *program) newRedaction(noRedact bool) (*redaction, error) {
	if noRedact {
		return &redaction{redact: func(text string) string { return text }, find: func(string) [][2]int { return nil }},
			nil
	}
	c, err := p.readConfig()
	if err != nil {
		return nil, err
	}
	r := p.redactor(c)
	find := func(text string) [][2]int { return r.FindIn(text, true) }
	return &redaction{redact: r.Text, find: find}, nil
}

// sessions, conversation and hits are what is shown of them.
func (t *redaction) sessions(list []store.Session) []store.Session {
	for i := range list {
		list[i].Title, list[i].Match = t.text(list[i].Title), t.text(list[i].Match)
	}
	return list
}

func (t *redaction) conversation(info store.Session, messages []store.Message) (store.Session, []store.Message) {
	return transfer.Redacted(info, messages, t.text)
}

func (t *redaction) hits(hits []store.Hit) []store.Hit {
	for i, h := range hits {
		without, secrets := h.Without(t.find, redactedSign)
		t.count += secrets
		hits[i] = without
		hits[i].Session.Title = t.text(h.Session.Title)
	}
	return hits
}
