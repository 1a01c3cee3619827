package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// ErrManyTitles says that a title was given for a file that may hold many conversations.
var ErrManyTitles = errors.New("a title names one conversation, and this file may hold many")

// ErrNoTrial says that of winnow's own JSON nobody can say what an import would do without doing it.
var ErrNoTrial = errors.New("winnow's own JSON has no dry run: import it, and what is here already stays as it is")

// ImportAll stores every conversation of a file as a session, or adds to the session that it is already
// what is new, and reports on each. What the file is, is seen at its beginning: Chat Completions messages,
// a ChatGPT data export, the logs of llm, winnow's own JSON. Each conversation is stored whole or not at
// all, and what is stored when an error or the end of ctx stops the import stays.
//
// A conversation that cannot be read is reported with Errors and the others still follow. ErrNoMessage
// comes back where the file holds no message at all, and a *FormatError alone where nothing in it could
// be read.
func ImportAll(ctx context.Context, s *store.Store, from Source, report func(Imported)) error {
	var unread []Imported // as long as nothing else came
	known := false
	flush := func() {
		for _, im := range unread {
			report(im)
		}
		unread = nil
	}
	err := importAll(ctx, s, from, func(im Imported) {
		if known = known || im.Session.ID != "" || im.Added > 0 || len(im.Errors) == 0 || len(unread) == mostUnread; known {
			flush()
			report(im)
			return
		}
		unread = append(unread, im)
	})
	foreign := errors.Is(err, llm.ErrNoTranscript) || errors.Is(err, llm.ErrNoExport) || errors.Is(err, store.ErrNotLogs)
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

// mostUnread is after how many conversations that cannot be read each is reported.
const mostUnread = 1000

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
	return fmt.Sprintf("the format is not recognised (%s); %s", e.First, imports)
}

// programOf names the program that wrote a file, "" where it is not recognised.
func programOf(file io.ReadSeeker) string {
	layout, err := layoutOf(file)
	if err != nil {
		return ""
	}
	if layout == llm.ExportLayout {
		export, err := openExport(file)
		if err != nil {
			return ""
		}
		return export.Program()
	}
	return llm.ProgramOf(file)
}

func importAll(ctx context.Context, s *store.Store, from Source, report func(Imported)) error {
	layout, err := layoutOf(from.File)
	if err != nil {
		return err
	}
	if layout == llm.TranscriptLayout {
		im, err := Import(ctx, s, from)
		if err == nil || len(im.Errors)+len(im.Warnings) > 0 {
			report(im)
		}
		return err
	}
	if from.Title != "" {
		return ErrManyTitles
	}
	all := arriving{s: s, from: from, report: report}
	switch layout {
	case llm.ChatGPTLayout:
		list := llm.ReadChatGPT(from.File, nil)
		if from.Large {
			list.Large()
		}
		return all.talks(ctx, list.Next)
	case llm.ArchiveLayout:
		return all.archive(ctx)
	case llm.SQLiteLayout:
		return all.logs(ctx)
	case llm.ExportLayout:
		export, err := openExport(from.File)
		if err != nil {
			return err
		}
		if from.Large {
			export.Large()
		}
		if export.TooLarge() {
			return llm.ErrLargeImport
		}
		return all.talks(ctx, export.Next)
	}
	return llm.ErrNoTranscript
}

// layoutOf finds out what a file is and goes back to its beginning.
func layoutOf(file io.ReadSeeker) (llm.Layout, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read the file from its beginning: %w", err)
	}
	layout, err := llm.LayoutOf(file)
	if err != nil {
		return 0, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("read the file from its beginning: %w", err)
	}
	return layout, nil
}

func openExport(file io.ReadSeeker) (*llm.Export, error) {
	size, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("read the archive's end: %w", err)
	}
	return llm.OpenExport(&anywhere{file: file}, size)
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

// arriving is a file of many conversations on its way into the store.
type arriving struct {
	s      *store.Store
	from   Source
	report func(Imported)
	held   int // the messages that it held
}

// archive brings the sessions of winnow's own JSON.
func (a *arriving) archive(ctx context.Context) error {
	if a.from.Try {
		return ErrNoTrial
	}
	place := 0
	err := ImportArchive(ctx, a.s, a.from, func(im Imported) {
		place++
		im.Place, im.Title, im.Sendable = place, im.Session.Title, im.Session.Messages
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

// talks brings conversations of ChatGPT until there are none left.
func (a *arriving) talks(ctx context.Context, next func() (llm.Talk, error)) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		talk, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := a.talk(ctx, talk); err != nil {
			return err
		}
	}
	if a.held == 0 {
		return ErrNoMessage
	}
	return nil
}

// talk brings one conversation.
func (a *arriving) talk(ctx context.Context, talk llm.Talk) error {
	im := Imported{Place: talk.Index + 1, Title: plainLine(talk.Title)}
	for _, o := range talk.Odd {
		r := Remark{Index: -1, Label: o.Label, Field: o.Field, What: o.What}
		if o.Lost {
			im.Errors = append(im.Errors, r)
			continue
		}
		im.Warnings = append(im.Warnings, r)
	}
	if talk.Broken != nil {
		what := talk.Broken.What
		if talk.Broken.Field != "file" {
			at := fmt.Sprintf("the conversation at line %d", talk.Line)
			if talk.Broken.Field != "" {
				at += ": " + talk.Broken.Field
			}
			what = at + " " + what
		}
		im.Errors = append(im.Errors, Remark{Index: -1, Line: talk.Line, What: what})
		a.report(im)
		return nil
	}
	return a.bring(ctx, im, a.session(talk))
}

// bring stores a conversation and reports on it.
func (a *arriving) bring(ctx context.Context, im Imported, talk store.Talk) error {
	if len(talk.Messages) == 0 {
		im.Warnings = append(im.Warnings, Remark{Index: -1, What: "the conversation holds no message; nothing was imported of it"})
		a.report(im)
		return nil
	}
	put := a.s.Bring
	if a.from.Try {
		put = a.s.TryBringing
	}
	out, err := put(ctx, talk)
	if err != nil {
		return fmt.Errorf("conversation %d: %w", im.Place, err)
	}
	a.held += len(talk.Messages)
	im.Sendable = sendable(talk.Messages)
	im.Session, im.New, im.Added, im.Again = out.Session, out.New, out.Added, out.Added == 0
	if !out.Session.Deleted.IsZero() {
		im.Warnings = append(im.Warnings, Remark{Index: -1, What: "the conversation is in the trash and stays there; winnow sessions restore " + out.Session.ID + " brings it back"})
	}
	if out.Added > 0 {
		im.Warnings = append(im.Warnings, a.limits(talk)...)
	}
	if out.Changed > 0 {
		im.Warnings = append(im.Warnings, Remark{Index: -1, What: changed(out.Changed)})
	}
	a.report(im)
	return nil
}

// limits says where a request cannot hold all of a conversation's active branch because of the policy's
// limits on the history.
func (a *arriving) limits(talk store.Talk) []Remark {
	var branch []int
	leaf := talk.Leaf
	if leaf < 0 {
		leaf = len(talk.Messages) - 1
	}
	for at := leaf; at >= 0; at = talk.Messages[at].Behind {
		branch = append(branch, at)
	}
	sample := newHistorySample(a.from.Policy)
	for _, at := range slices.Backward(branch) {
		if m := talk.Messages[at]; !m.Ignored {
			sample.add(m.Message.Message)
		}
	}
	return sample.remarks()
}

// sendable is how many messages a request may hold.
func sendable(messages []store.Utterance) int {
	n := 0
	for _, m := range messages {
		if m.Status != history.Quarantined && !m.Ignored && !silent(m.Message.Message) {
			n++
		}
	}
	return n
}

// changed says that messages say something else than they did when they were imported before.
func changed(n int) string {
	if n == 1 {
		return "a message says something else than before; it stands beside what it said"
	}
	return fmt.Sprintf("%d messages say something else than before; they stand beside what they said", n)
}

// session is a conversation of ChatGPT as the store takes it.
func (a *arriving) session(talk llm.Talk) store.Talk {
	out := store.Talk{
		Leaf: talk.Leaf, Messages: make([]store.Utterance, len(talk.Messages)),
		Session: store.Session{Title: talk.Title, Archived: talk.Archived, Pinned: talk.Pinned, Source: "chatgpt", Origin: talk.ID},
	}
	for i, m := range talk.Messages {
		out.Messages[i] = store.Utterance{Message: store.Message{Message: m.Message, Model: m.Model, Extra: m.Extra}, Behind: m.Behind, Ignored: m.Ignored}
	}
	if talk.CreatedMS != 0 {
		out.Session.Created = time.UnixMilli(talk.CreatedMS)
	}
	if talk.UpdatedMS != 0 {
		out.Session.Updated = time.UnixMilli(talk.UpdatedMS)
	}
	a.complete(&out)
	return out
}

// named is a session's title and where it comes from: the file's, or one made of the user's first text.
func named(title, first string) (name, from string) {
	if title = plainLine(title); title != "" {
		return title, "user"
	}
	return TitleFrom(first), "auto"
}

// complete gives a conversation the title and the times that it lacks, and what is not its own.
func (a *arriving) complete(talk *store.Talk) {
	first := ""
	var created, last int64
	for i := range talk.Messages {
		m := &talk.Messages[i]
		if m.CreatedMS == 0 {
			m.CreatedMS = a.from.Time.UnixMilli()
			if m.Behind >= 0 {
				m.CreatedMS = talk.Messages[m.Behind].CreatedMS
			}
		}
		if first == "" && m.Role == history.User {
			first = m.Content[:min(len(m.Content), mostOfFirst)]
		}
		if created == 0 {
			created = m.CreatedMS
		}
		last = max(last, m.CreatedMS)
	}
	row := &talk.Session
	row.Title, row.TitleFrom = named(row.Title, first)
	if row.Created.IsZero() {
		row.Created = time.UnixMilli(created)
	}
	if row.Updated.IsZero() {
		row.Updated = time.UnixMilli(last)
	}
	row.Dir = a.from.Dir
}
