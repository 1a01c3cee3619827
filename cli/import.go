//go:build cgo

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"winnow/llm"
	"winnow/session"
)

func (p *program) sessionsImport() *cobra.Command {
	var title string
	var asJSON bool
	c := &cobra.Command{
		Use:   "import FILE",
		Short: "Import a conversation from a file of Chat Completions messages; - is standard input",
		Example: "  winnow sessions import chat.json\n" +
			"  winnow sessions import --title \"The parser\" chat.jsonl\n" +
			"  jq .request trace.json | winnow sessions import - --json",
		Args: takes("a file, or - for standard input", 1, 1),
		RunE: p.do(func(ctx context.Context, args []string) error {
			im, err := p.importFrom(ctx, args[0], title)
			if asJSON {
				return firstError(writeJSON(p.out, importedJSON(im)), err)
			}
			p.sayRemarks(im)
			if err != nil {
				return err
			}
			return p.sayImported(im)
		}),
	}
	c.Flags().StringVar(&title, "title", "", "the session's `title`; without one the file's is taken, or one is made of the first message")
	c.Flags().BoolVar(&asJSON, "json", false, "what was imported and what is odd as one JSON object")
	return c
}

// importFrom imports one file. A signal ends it, and then nothing is imported.
func (p *program) importFrom(ctx context.Context, name, title string) (session.Imported, error) {
	var none session.Imported
	config, err := p.readConfig()
	if err != nil {
		return none, err
	}
	// Until the file is here, a signal ends the program: reading a pipe cannot be stopped.
	in, err := p.openImport(name)
	if err != nil {
		return none, err
	}
	defer in.close()
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	im, err := p.importOpened(ctx, in, session.Source{Title: title, Dir: in.dir, Time: in.time, Policy: config.Context})
	if ctx.Err() != nil && err != nil {
		return none, &failure{exit: Interrupted, text: "stopped; nothing was imported", err: err}
	}
	return im, explainImport(name, err)
}

func (p *program) importOpened(ctx context.Context, in importFile, from session.Source) (session.Imported, error) {
	s, err := p.openStore(ctx, false)
	if err != nil {
		return session.Imported{}, err
	}
	defer s.Close()
	file := p.metered(in)
	defer file.end()
	from.File = file
	return session.Import(ctx, s, from)
}

// explainImport is the sentence for a file that could not be imported.
func explainImport(name string, err error) error {
	if name == "-" {
		name = "standard input"
	}
	switch {
	case errors.Is(err, llm.ErrNoTranscript):
		return fail(Failed, "%s: %w", name, llm.ErrNoTranscript)
	case errors.Is(err, llm.ErrNotUTF8):
		return fail(Failed, "%s: %w", name, llm.ErrNotUTF8)
	case errors.Is(err, session.ErrNoMessage):
		return fail(Failed, "nothing was imported from %s: %w", name, session.ErrNoMessage)
	}
	return err
}

// importFile is an opened file and what is known of it.
type importFile struct {
	*os.File
	dir   string
	time  time.Time
	size  int64
	close func()
}

// openImport opens a file, or standard input where the name is -. What cannot be read a second time
// is copied to a temporary file first.
func (p *program) openImport(name string) (importFile, error) {
	if name == "-" {
		dir, _ := os.Getwd()
		return p.spool(p.in, dir)
	}
	f, err := os.Open(name)
	if err != nil {
		return importFile{}, fail(Failed, "cannot open the file to import: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return importFile{}, fail(Failed, "cannot open the file to import: %w", err)
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		dir = ""
	}
	switch {
	case info.IsDir():
		f.Close()
		return importFile{}, fail(Failed, "%s is a folder; sessions import takes one file", name)
	case !info.Mode().IsRegular():
		defer f.Close()
		return p.spool(f, dir)
	}
	return importFile{File: f, dir: dir, time: info.ModTime(), size: info.Size(), close: func() { f.Close() }}, nil
}

// spool copies a stream to a file that only this program can open, and that is gone with it.
func (p *program) spool(from io.Reader, dir string) (importFile, error) {
	f, err := os.CreateTemp("", "winnow-import-")
	if err != nil {
		return importFile{}, fail(Failed, "cannot keep what arrives in a temporary file: %w", err)
	}
	os.Remove(f.Name()) // An open file has no need of a name; where it needs one, close removes it.
	done := func() { f.Close(); os.Remove(f.Name()) }
	size, err := io.Copy(f, from)
	if err != nil {
		done()
		return importFile{}, fail(Failed, "cannot read what is to be imported: %w", err)
	}
	return importFile{File: f, dir: dir, time: p.now(), size: size, close: done}, nil
}

// sayImported says what was imported and how to open it.
func (p *program) sayImported(im session.Imported) error {
	s := im.Session
	text := "Imported %s. To open them: winnow -s %s\n"
	if im.Again {
		text = "The conversation is already here, now with %s; nothing was imported. To open it: winnow -s %s\n"
	}
	_, err := fmt.Fprintf(p.out, text, messages(s.Messages), s.ID)
	return err
}

func messages(n int) string {
	if n == 1 {
		return "1 message"
	}
	return fmt.Sprintf("%d messages", n)
}
