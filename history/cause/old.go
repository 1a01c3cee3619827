package cause

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Records from before causes had codes hold the sentences of their day. They are read as codes; one that is not in
// the file is kept as it is, without a code.
//
//go:embed old_sentences.txt
var oldSentencesText string

// oldSentences are the sentences of the file: those without numbers, and patterns of the others, whose groups are named
// for the field of a Cause.
type oldSentences struct {
	plain    map[string]Code
	patterns []oldPattern
}

type oldPattern struct {
	code    Code
	pattern *regexp.Regexp
}

// oldGroups are the patterns of what the sentences of the file have in braces.
var oldGroups = strings.NewReplacer(
	`\{have\}`, `(?P<have>[\d,]+)`, `\{want\}`, `(?P<want>[\d,]+)`, `\{limit\}`, `(?P<limit>[\d,]+)`, `\{text\}`, `(?P<text>.*)`,
	`\{messages\}`, `(?P<want>[\d,]+) messages? that (?:is|are)`, `\{condensed\}`, `(?:, condensed by (?P<text>.+))?`,
	`\{recalled\}`, `recalled(?:, cut to (?P<have>[\d,]+) of (?P<want>[\d,]+) characters)?(?P<front> to the front, cut in its place)?`,
)

// readOldSentences reads the file once.
var readOldSentences = sync.OnceValue(func() oldSentences {
	read := oldSentences{plain: map[string]Code{}}
	for line := range strings.Lines(oldSentencesText) {
		name, sentence, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		code, known := codeOf(name)
		switch {
		case !known: // a comment
		case strings.Contains(sentence, "{"):
			pattern := regexp.MustCompile("^" + oldGroups.Replace(regexp.QuoteMeta(sentence)) + "$")
			read.patterns = append(read.patterns, oldPattern{code, pattern})
		default:
			read.plain[sentence] = code
		}
	}
	return read
})

// causeOfSentence is the cause that a sentence of an older record tells.
func causeOfSentence(sentence string) Cause {
	old := readOldSentences()
	if code, ok := old.plain[sentence]; ok {
		return Cause{Code: code}
	}
	for _, p := range old.patterns {
		found := p.pattern.FindStringSubmatch(sentence)
		if found == nil {
			continue
		}
		c := Cause{Code: p.code}
		for k, name := range p.pattern.SubexpNames() {
			n, _ := strconv.Atoi(strings.ReplaceAll(found[k], ",", ""))
			switch name {
			case "have":
				c.Have = n
			case "want":
				c.Want = n
			case "limit":
				c.Limit = n
			case "text":
				c.Text = found[k]
			case "front":
				c.Front = found[k] != ""
			}
		}
		return c
	}
	return Cause{Text: sentence}
}
