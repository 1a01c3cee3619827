package transfer

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"winnow/session/store"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/html"
	"winnow/session/transfer/markdown"
	"winnow/session/transfer/openai"
	"winnow/session/transfer/prompt"
)

// Format is how a conversation leaves winnow.
type Format string

// The formats.
const (
	Markdown Format = "md"     // for reading: the active branch
	JSON     Format = "json"   // everything without a loss, to be imported again
	JSONL    Format = "jsonl"  // Chat Completions messages, one a line: the active branch
	Prompt   Format = "prompt" // one text for a model: the active branch, whole
	HTML     Format = "html"   // one page for a browser, with what the model saw: the active branch
)

// Formats are the names of all formats.
func Formats() []string { return []string{"md", "html", "json", "jsonl", "prompt"} }

// formatNames are the names of the formats, which are endings of files' names as well.
var formatNames = map[string]Format{
	"md":     Markdown,
	"html":   HTML,
	"json":   JSON,
	"jsonl":  JSONL,
	"prompt": Prompt,
	"txt":    Prompt,
}

// ReadFormat finds a format by its name, or by the ending of a file's name.
func ParseFormat(name string) (Format, bool) {
	f, ok := formatNames[strings.TrimPrefix(strings.ToLower(name), ".")]
	return f, ok
}

// Ending is the ending of the names of its files, such as .md.
func (f Format) Extension() string {
	if f == Prompt {
		return ".txt"
	}
	return "." + string(f)
}

// ExportOptions say how a conversation is written.
type ExportOptions struct {
	Format Format

	// Redact takes secrets out of a text that is handed over; nil takes none. JSON is never changed.
	Redact func(text string) string

	// Marks are what HTML says of the requests of a session; nil says nothing of them.
	Annotate func(ctx context.Context, s *store.Store, row store.Session, branch []store.Message) (html.Annotations, error)
}

// Export writes a session. JSON is written in constant memory and holds every branch; the other formats
// hold the active one.
func Export(ctx context.Context, s *store.Store, id string, w io.Writer, o ExportOptions) error {
	if o.Format == JSON {
		return archive.Write(ctx, s, w, id)
	}
	row, err := s.Session(ctx, id)
	if err != nil {
		return err
	}
	branch, err := s.Branch(ctx, row.Leaf, 0)
	if err != nil {
		return err
	}
	var marks html.Annotations
	if o.Format == HTML && o.Annotate != nil {
		if marks, err = o.Annotate(ctx, s, row, branch); err != nil {
			return err
		}
	}
	if o.Redact != nil {
		row, branch = Redacted(row, branch, o.Redact)
		for id, mark := range marks.Verdicts {
			mark.Text, mark.Reason = o.Redact(mark.Text), o.Redact(mark.Reason)
			marks.Verdicts[id] = mark
		}
	}
	out := bufio.NewWriter(w)
	switch o.Format {
	case Markdown:
		markdown.Write(out, row, branch)
	case HTML:
		err = html.Write(out, row, branch, marks)
	case JSONL:
		err = openai.Write(out, row, branch)
	case Prompt:
		err = prompt.Write(out, row, branch)
	default:
		err = fmt.Errorf("there is no format %q", o.Format)
	}
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the conversation: %w", err)
	}
	return nil
}

// Redacted is a conversation without what redact takes out of its texts. The stored one stays.
func Redacted(row store.Session, branch []store.Message, redact func(string) string) (store.Session, []store.Message) {
	row.Title, row.System = redact(row.Title), redact(row.System)
	clean := make([]store.Message, len(branch))
	for i, m := range branch {
		clean[i] = m.Redacted(redact)
		clean[i].Tokens = m.Tokens
	}
	return row, clean
}
