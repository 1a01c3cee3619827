package llm

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	"winnow/llm/redact"
)

// shortestSecret is the length from which a value is taken out of foreign text: below it, taking
// it out would tear holes into ordinary words.
const shortestSecret = 6

// Secrets are the texts that must not come back out of this endpoint's answers.
func (e Endpoint) Secrets() []string {
	var list []string
	add := func(s string) {
		if len(s) < shortestSecret {
			return
		}
		list = append(list, s, url.QueryEscape(s), base64.StdEncoding.EncodeToString([]byte(s)))
		if quoted, err := json.Marshal(s); err == nil {
			list = append(list, string(quoted[1:len(quoted)-1]))
		}
	}
	add(e.Key.Reveal())
	for name, value := range e.Headers {
		if secretHeader(name) {
			add(value)
			_, token, _ := strings.Cut(value, " ")
			add(token)
		}
	}
	if u, err := url.Parse(e.BaseURL); err == nil {
		if password, ok := u.User.Password(); ok {
			add(u.User.Username() + ":" + password) // as it goes over the wire, encoded in one
			add(password)
		}
		for name, values := range u.Query() {
			if secretHeader(name) {
				add(strings.Join(values, ""))
			}
		}
	}
	return list
}

// secretHeader says that a header or a parameter of this name carries a secret.
func secretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"auth", "key", "token", "secret", "cookie", "password"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// redact takes the endpoint's secrets, and what looks like a key, out of foreign text.
func (e Endpoint) redact(text string) string {
	var r redact.Redactor
	r.Know(e.Secrets()...)
	return r.Text(text)
}
