package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"winnow/llm/tool"
)

// Name is what the model calls the tool by.
const Name = "fetch"

// pageMax is how much of a document one call gives, in code points.
const pageMax = 20_000

// Tool is the fetcher as a tool of the model's.
func (f *Fetcher) Tool() (tool.Tool, tool.Func) {
	return tool.Tool{
		Name:        Name,
		Description: fmt.Sprintf("Read the document behind a URL as text; web pages come as Markdown. One call returns at most %d characters.", pageMax),
		Parameters:  json.RawMessage(`{"type":"object","properties":{"url":{"type":"string","description":"an http or https URL"},"start":{"type":"integer","minimum":0,"description":"the character to begin at, to read on in a long document"}},"required":["url"]}`),
		Reach:       "winnow reads the page. The site sees your IP address.",
		EachTime:    true,
	}, f.run
}

func (f *Fetcher) run(ctx context.Context, arguments json.RawMessage) (string, error) {
	var in struct {
		URL   string `json:"url"`
		Start int    `json:"start"`
	}
	if err := json.Unmarshal(arguments, &in); err != nil {
		return "", fmt.Errorf("read the arguments: %w", err)
	}
	d, err := f.Read(ctx, in.URL)
	if err != nil {
		return "", err
	}
	return d.page(in.Start), nil
}

// page is a part of the document from a character on, with what there is to know of it in front.
func (d Document) page(start int) string {
	runes := []rune(d.Text)
	start = min(max(0, start), len(runes))
	end := min(start+pageMax, len(runes))
	head := fmt.Sprintf("%s (%s, %d characters)", d.URL, d.Type, utf8.RuneCountInString(d.Text))
	if d.Cut {
		head += fmt.Sprintf("; only the first %d MB were read", Largest>>20)
	}
	if start > 0 || end < len(runes) {
		head += fmt.Sprintf("; characters %d to %d", start, end)
	}
	return head + "\n\n" + string(runes[start:end])
}
