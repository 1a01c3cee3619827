package transfer

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"winnow/session/store"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/html"
	"winnow/session/transfer/markdown"
	"winnow/session/transfer/openai"
	"winnow/session/transfer/prompt"
)

// Format is a format for exports.
type Format string

// The export formats.
const (
	// The export formats.
	Markdown Format = "md"     // for reading: the active branch
	JSON     Format = "json"   // lossless, can be imported again: every branch
	JSONL    Format = "jsonl"  // Chat Completions messages, one per line: the active branch
	Prompt   Format = "prompt" // one text for a model: the whole active branch
	HTML     Format = "html"   // one page for a browser, with what the model saw: the active branch
)

// Formats returns the names of all formats.
func Formats() []string { return []string{"md", "html", "json", "jsonl", "prompt"} }

// formatNames maps names and file extensions to formats.
var formatNames = map[string]Format{
	"md":     Markdown,
	"html":   HTML,
	"json":   JSON,
	"jsonl":  JSONL,
	"prompt": Prompt,
	"txt":    Prompt,
}

// ParseFormat returns the format with a name or file extension.
func ParseFormat(name string) (Format, bool) {
	f, ok := formatNames[strings.TrimPrefix(strings.ToLower(name), ".")]
	return f, ok
}

// Extension returns the file extension of the format, such as ".md".
func (f Format) Extension() string {
	if f == Prompt {
		return ".txt"
	}
	return "." + string(f)
}

// ExportOptions configure an export.
type ExportOptions struct {
	Format Format

	// Redact removes secrets from a text before it is exported. JSON is never changed. May be nil.
	Redact func(text string) string

	// Annotate returns what the HTML format shows about the requests of a session. May be nil.
	Annotate func(
		ctx context.Context, s *store.Store, row store.Session, branch []store.Message,
	) (html.Annotations, error)
}

// Export writes a session. JSON is written in constant memory and holds every branch; the other formats hold only the
// active one.
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

// Redacted returns a conversation with redact applied to its texts. The stored conversation does not change.
func Redacted(row store.Session, branch []store.Message, redact func(string) string) (store.Session, []store.Message) {
	row.Title, row.System = redact(row.Title), redact(row.System)
	clean := make([]store.Message, len(branch))
	for i, m := range branch {
		clean[i] = m.Redacted(redact)
		clean[i].Tokens = m.Tokens
	}
	return row, clean
}

// notInName matches characters that a shell or a file system may treat specially.
var notInName = regexp.MustCompile(`[^\pL\pM\pN_-]+`)

// FileName returns a file name for a session, without extension: its date, its title and the beginning of its id.
func FileName(row store.Session) string {
	title := []rune(notInName.ReplaceAllString(row.Title, "-"))
	name := cmp.Or(strings.Trim(string(title[:min(len(title), 40)]), "-"), "chat")
	return row.Created.UTC().Format(time.DateOnly) + "-" + name + "-" + store.ShortID(row.ID)
}
