package mcp

import (
	"net/url"
	"strings"
	"unicode"
)

// clean is a text of a server on one line, at most limit bytes long, without control characters.
func clean(text string, limit int) string {
	return cut(strings.Join(strings.Fields(plain(text)), " "), limit)
}

// plain is a text of a server without what can drive a terminal or hide words from a person that the model
// reads: control characters but tab and line feed, and the tag characters of Unicode.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		hidden := r >= 0xE0000 && r <= 0xE007F
		if hidden || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// cut is the beginning of a text, at most limit bytes and an ellipsis.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// shownURL is an address for people: without user, password, query and fragment.
func shownURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "an address that is not a URL"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
