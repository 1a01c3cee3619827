// Package transfer imports conversations from files of other programs and exports sessions. It knows which
// formats there are, reports on each conversation and completes what a format does not say; how a format is
// read or written is in the folder of that format, and rows are written by package store.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/chatgpt"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/llmdb"
	"winnow/session/transfer/openai"
	"winnow/session/transfer/rawjson"
)

// Largest is how much an import reads, in bytes, unless Source.Large is set.
const Largest = rawjson.Largest

// ErrTooLarge says that a file was not read, or not to its end, for its size.
var ErrTooLarge = rawjson.ErrTooLarge

// Reason is the sentence that says why a file cannot be imported, nil where err says nothing about the file.
func Reason(err error) error {
	for _, reason := range []error{
		openai.ErrNotMessages, openai.ErrNotUTF8, chatgpt.ErrBrokenArchive, chatgpt.ErrNoExport, llmdb.ErrNotLLM,
		errManyTitles, errNoDryRun,
	} {
		if errors.Is(err, reason) {
			return reason
		}
	}
	return nil
}

// errManyTitles says that a title was given for a file that may hold many conversations.
var errManyTitles = errors.New("--title cannot be used with a file that may hold several conversations")

// errNoDryRun says that of winnow's own JSON nobody can say what an import would do without doing it.
var errNoDryRun = errors.New("--dry-run cannot be used with winnow's own JSON; importing it never changes sessions that already exist")

// Import stores every conversation of a file as a session, or adds to the session that it is already
// what is new, and reports on each. What the file is, is seen at its beginning: Chat Completions messages,
// a ChatGPT data export, the logs of llm, winnow's own JSON. Each conversation is stored whole or not at
// all, and what is stored when an error or the end of ctx stops the import stays.
//
// A conversation that cannot be read is reported with Errors and the others still follow. ErrNoMessage
// comes back where the file holds no message at all, and a *FormatError alone where nothing in it could
// be read.
func Import(ctx context.Context, s *store.Store, from Source, report func(Imported)) error {
	var unread []Imported // as long as nothing else came
	known := false
	flush := func() {
		for _, im := range unread {
			report(im)
		}
		unread = nil
	}
	err := importFile(ctx, s, from, func(im Imported) {
		if known = known || im.Session.ID != "" || im.Added > 0 || len(im.Errors) == 0 || len(unread) == maxUnread; known {
			flush()
			report(im)
			return
		}
		unread = append(unread, im)
	})
	foreign := errors.Is(err, openai.ErrNotMessages) || errors.Is(err, chatgpt.ErrNoExport) || errors.Is(err, llmdb.ErrNotLLM)
	if known || !foreign && (len(unread) == 0 || err != nil && !errors.Is(err, ErrNoMessage)) {
		flush()
		return err
	}
	e := &FormatError{Program: programOf(from.File)}
	if len(unread) > 0 {
		e.First = unread[0].Errors[0].String()
	}
	if e.Program == "" && e.First == "" {
		return err // it says already what the file is not
	}
	return e
}

// maxUnread is after how many conversations that cannot be read each is reported.
const maxUnread = 1000

// FormatError says that a file has no format that can be imported.
type FormatError struct {
	Program string // what it was recognised as, "" for not recognised
	First   string // what is wrong with its first value, "" where that is not known
}

func (e *FormatError) Error() string {
	const imports = "winnow imports ChatGPT exports, the logs.db of llm, Chat Completions messages (JSON or JSONL) and what winnow exports as JSON, JSONL or text"
	if e.Program != "" {
		return fmt.Sprintf("this is %s, which winnow cannot import; %s", e.Program, imports)
	}
	return fmt.Sprintf("the format was not recognised (%s); %s", e.First, imports)
}

// programOf names the program that wrote a file, "" where it is not recognised.
func programOf(file io.ReadSeeker) string {
	found, err := layoutOf(file)
	if err != nil {
		return ""
	}
	if found == exportLayout {
		export, err := openExport(file, false)
		if err != nil {
			return ""
		}
		first, err := export.First()
		if err != nil {
			return ""
		}
		defer first.Close()
		return programName(first)
	}
	return programName(file)
}

func importFile(ctx context.Context, s *store.Store, from Source, report func(Imported)) error {
	found, err := layoutOf(from.File)
	if err != nil {
		return err
	}
	if found == messagesLayout {
		im, err := importOne(ctx, s, from)
		if err == nil || len(im.Errors)+len(im.Warnings) > 0 {
			report(im)
		}
		return err
	}
	if from.Title != "" {
		return errManyTitles
	}
	all := importingAll{s: s, from: from, report: report}
	switch found {
	case chatGPTLayout:
		return all.conversations(ctx, chatgpt.NewReader(from.File, nil, from.Large).Next)
	case archiveLayout:
		return all.archive(ctx)
	case sqliteLayout:
		return all.llm(ctx)
	case exportLayout:
		export, err := openExport(from.File, from.Large)
		if err != nil {
			return err
		}
		if export.TooLarge() {
			return rawjson.ErrTooLarge
		}
		return all.conversations(ctx, export.Next)
	}
	return openai.ErrNotMessages
}

// layoutOf finds out what a file is and goes back to its beginning.
func layoutOf(file io.ReadSeeker) (layout, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read the file from its beginning: %w", err)
	}
	found, err := detect(file)
	if err != nil {
		return 0, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read the file from its beginning: %w", err)
	}
	return found, nil
}

func openExport(file io.ReadSeeker, large bool) (*chatgpt.Export, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("read the archive's end: %w", err)
	}
	return chatgpt.Open(&anywhere{file: file}, size, large)
}

// anywhere reads a file at any place.
type anywhere struct {
	mu   sync.Mutex
	file io.ReadSeeker
}

func (a *anywhere) ReadAt(b []byte, offset int64) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.file.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	n, err := io.ReadFull(a.file, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// importingAll is the import of a file of many conversations.
type importingAll struct {
	s      *store.Store
	from   Source
	report func(Imported)
	held   int // the messages that it held
}

// archive restores the sessions of winnow's own JSON.
func (a *importingAll) archive(ctx context.Context) error {
	if a.from.DryRun {
		return errNoDryRun
	}
	place := 0
	err := archive.Restore(ctx, a.s, a.from.File, func(r archive.Restored) {
		place++
		im := Imported{
			Session: r.Session, Again: r.Again, Warnings: r.Warnings, Errors: r.Errors,
			Place: place, Title: r.Session.Title, Sendable: r.Session.Messages,
		}
		if im.New = im.Session.ID != "" && !im.Again; im.New {
			im.Added = im.Session.Messages
		}
		a.report(im)
	})
	if err == nil && place == 0 {
		return ErrNoMessage
	}
	return err
}

// conversations imports the conversations that next returns, up to io.EOF. An error of next ends the import.
func (a *importingAll) conversations(ctx context.Context, next func() (conversation.Conversation, error)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := a.conversation(ctx, c); err != nil {
			return err
		}
	}
	if a.held == 0 {
		return ErrNoMessage
	}
	return nil
}

// conversation imports one conversation and reports on it.
func (a *importingAll) conversation(ctx context.Context, c conversation.Conversation) error {
	im := Imported{Place: c.Index + 1, Title: title.OneLine(c.Session.Title)}
	for _, r := range c.Remarks {
		if r.Lost {
			im.Errors = append(im.Errors, r)
			continue
		}
		im.Warnings = append(im.Warnings, r)
	}
	switch {
	case c.Broken != nil:
		im.Errors = append(im.Errors, broken(c))
	case len(c.Messages) == 0:
		im.warn("the conversation holds no message; nothing was imported of it")
	default:
		if err := a.store(ctx, &im, c.Conversation); err != nil {
			return fmt.Errorf("conversation %d: %w", im.Place, err)
		}
	}
	a.report(im)
	return nil
}

// broken says why what is in the place of a conversation is none.
func broken(c conversation.Conversation) Remark {
	what := c.Broken.What
	if c.Broken.Field != "file" {
		at := fmt.Sprintf("the conversation at line %d", c.Line)
		if c.Broken.Field != "" {
			at += ": " + c.Broken.Field
		}
		what = at + " " + what
	}
	if c.Line == 0 {
		what = c.Broken.What
	}
	return Remark{Index: -1, Line: c.Line, What: what}
}

func (im *Imported) warn(what string) {
	im.Warnings = append(im.Warnings, Remark{Index: -1, What: what})
}

// store stores a conversation and says in im what became of it.
func (a *importingAll) store(ctx context.Context, im *Imported, c store.Conversation) error {
	a.complete(&c)
	out, err := a.s.Import(ctx, c, store.ImportOptions{DryRun: a.from.DryRun})
	if err != nil {
		return err
	}
	a.held += len(c.Messages)
	im.Sendable = sendable(c.Messages)
	im.Session, im.New, im.Added, im.Again = out.Session, out.New, out.Added, out.Added == 0
	if !out.Session.Deleted.IsZero() {
		im.warn("the conversation is in the trash; restore it with winnow sessions restore " + out.Session.ID + " brings it back")
	}
	if out.Added > 0 {
		im.Warnings = append(im.Warnings, a.limits(c)...)
	}
	if out.Changed > 0 {
		im.warn(changed(out.Changed))
	}
	return nil
}

// limits says where a request cannot hold all of a conversation's active branch because of the policy's
// limits on the history.
func (a *importingAll) limits(c store.Conversation) []Remark {
	var branch []int
	leaf := c.Leaf
	if leaf < 0 {
		leaf = len(c.Messages) - 1
	}
	for at := leaf; at >= 0; at = c.Messages[at].After {
		branch = append(branch, at)
	}
	sample := newHistorySample(a.from.Policy)
	for _, at := range slices.Backward(branch) {
		if m := c.Messages[at]; !m.Excluded {
			sample.add(m.Message.Message)
		}
	}
	return sample.remarks()
}

// sendable is how many messages a request may hold.
func sendable(messages []store.ImportedMessage) int {
	n := 0
	for _, m := range messages {
		if m.Status != history.Quarantined && !m.Excluded && !silent(m.Message.Message) {
			n++
		}
	}
	return n
}

// changed says that messages say something else than they did when they were imported before.
func changed(n int) string {
	if n == 1 {
		return "1 message differs from the earlier import; both versions are kept"
	}
	return fmt.Sprintf("%d messages differ from the earlier import; both versions are kept", n)
}

// named is a session's title and where it comes from: the file's, or one made of the user's first text.
func named(known, first string) (name string, from store.TitleSource) {
	if known = title.OneLine(known); known != "" {
		return known, store.TitleUser
	}
	return title.Of(first), store.TitleAuto
}

// complete gives a conversation the title and the times that it lacks, and what is not its own.
func (a *importingAll) complete(c *store.Conversation) {
	first := ""
	var created, last int64
	untimed := a.from.Time
	if begun := c.Session.Created; !begun.IsZero() {
		untimed = begun
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.CreatedMS == 0 {
			m.CreatedMS = untimed.UnixMilli()
			if m.After >= 0 {
				m.CreatedMS = c.Messages[m.After].CreatedMS
			}
		}
		if first == "" && m.Role == history.User {
			first = m.Content[:min(len(m.Content), titleSource)]
		}
		if created == 0 {
			created = m.CreatedMS
		}
		last = max(last, m.CreatedMS)
	}
	row := &c.Session
	row.Title, row.TitleFrom = named(row.Title, first)
	if row.Created.IsZero() {
		row.Created = time.UnixMilli(created)
	}
	if row.Updated.IsZero() {
		row.Updated = time.UnixMilli(last)
	}
	row.Dir = a.from.Dir
}
