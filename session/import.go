package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// Source is a file with conversations of another program.
type Source struct {
	File   io.ReadSeeker // read from its beginning, perhaps more than once
	Path   string        // where the file is on the disk, "" where it has no name there
	Title  string        // the session's title; "" takes the file's, or makes one of the first message
	Dir    string        // the folder that the session is found under
	Time   time.Time     // when the file was written: the time of messages that give none
	Policy history.Policy
	Try    bool // nothing is stored: only what would become of it is said
	Large  bool // no limit on the size of the file, a conversation or a message
}

// Imported is what became of one conversation of a Source.
type Imported struct {
	Session  store.Session
	Again    bool     // the conversation was there already as Session, and nothing was stored
	Warnings []Remark // what was imported, but is odd
	Errors   []Remark // what could not be imported

	Place int    // the conversation's place in the file, from 1; 0 where the file is one conversation
	Title string // its title there
	New   bool   // it is a session since this import
	Added int    // the messages that are new, of those of a session that was there too

	Sendable int // messages of it that a request may hold
}

// Remark says something about a message of a file, or about the file.
type Remark struct {
	Index int    // the message's place in the file, from 0; -1 for the file, and where Label names it
	Line  int    // the line it begins in, from 1; 0 for the file
	Label string // the message's id in a file of many conversations
	Field string // the message's key, "" for all of it
	What  string // from the verb on: is missing. About the file it is a sentence.
}

func (r Remark) String() string {
	switch {
	case r.Label != "":
		return words("message", r.Label+":", r.Field, r.What)
	case r.Index < 0:
		return r.What
	}
	return words(fmt.Sprintf("message %d (line %d):", r.Index+1, r.Line), r.Field, r.What)
}

// words joins what is not empty with one space between any two words.
func words(parts ...string) string {
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// place orders remarks: those about messages by theirs, those about the file behind them.
func (r Remark) place() int {
	if r.Index < 0 {
		return math.MaxInt
	}
	return r.Index
}

// ErrNoMessage says that a file holds no message that can be imported.
var ErrNoMessage = errors.New("there is no message in it")

// Import stores a file's conversation as a new session, whole or not at all. No message is refused
// for what it says: damage is mended when a request is planned. What could not be read, and what is
// odd, comes back beside the session, and beside the error where nothing could be imported.
//
// A system message at the beginning is a message like any other. A plan puts such messages at the
// end of the system prompt, so the model sees it where it stood, and it keeps its id, its time and
// its row in the list; as the session's own system prompt it would lose them.
func Import(ctx context.Context, s *store.Store, from Source) (Imported, error) {
	var im importing
	put := s.Import
	if from.Try {
		put = s.TryImport
	}
	row, err := put(ctx, func(add func(store.Message) error) (store.Session, error) {
		im = importing{from: from, last: from.Time.UnixMilli(), sample: newHistorySample(from.Policy)}
		if _, err := from.File.Seek(0, io.SeekStart); err != nil {
			return store.Session{}, fmt.Errorf("read the file from its beginning: %w", err)
		}
		return im.read(add)
	})
	im.out.Session = row
	var there *store.DuplicateError
	if errors.As(err, &there) {
		im.out.Session, im.out.Again, err = there.Session, true, nil
	} else if err == nil {
		im.out.New, im.out.Added = true, im.stored
	}
	im.out.Title, im.out.Sendable = im.out.Session.Title, im.sendable
	return im.out, err
}

// importing is one pass over a file.
type importing struct {
	from     Source
	out      Imported
	stored   int
	sendable int
	untimed  []Remark // the messages without a time
	first    string   // the first text of the user
	sample   historySample
	created  int64
	last     int64 // the time of the message before, Unix milliseconds
}

// read stores every message of the file and makes the session's row.
func (im *importing) read(add func(store.Message) error) (store.Session, error) {
	file, err := readerOf(im.from)
	if err != nil {
		return store.Session{}, err
	}
	for {
		told, err := file.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return store.Session{}, err
		}
		if told.Broken != nil {
			im.fault(told)
			continue
		}
		im.setTime(&told)
		im.look(told)
		im.sample.add(told.Message)
		if err := add(store.Message{Message: told.Message, Model: told.Message.Origin.Model, Extra: told.Extra}); err != nil {
			return store.Session{}, err
		}
	}
	im.lookBack(file.About())
	slices.SortStableFunc(im.out.Warnings, func(a, b Remark) int { return cmp.Compare(a.place(), b.place()) })
	if im.stored == 0 {
		return store.Session{}, ErrNoMessage
	}
	return im.row(file.About()), nil
}

// telling is a file with one conversation that is read message by message.
type telling interface {
	Next() (llm.Told, error)
	About() llm.About
}

// readerOf is the reader for the form that a file has, which its first bytes tell.
func readerOf(from Source) (telling, error) {
	file := from.File
	first := make([]byte, 64)
	n, err := io.ReadFull(file, first)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning of the file: %w", err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the file from its beginning: %w", err)
	}
	begins := strings.TrimPrefix(string(first[:n]), "\ufeff")
	if strings.HasPrefix(begins, promptIntro) || strings.HasPrefix(begins, promptHeader) {
		return newPromptReader(file), nil
	}
	transcript := llm.ReadTranscript(file)
	if from.Large {
		transcript.Large()
	}
	return transcript, nil
}

// setTime gives a message without a time that of the message before. The order of a conversation is
// that of its file, whatever the times say.
func (im *importing) setTime(told *llm.Told) {
	m := &told.Message
	if m.CreatedMS == 0 {
		m.CreatedMS = im.last
		whose := "message before"
		if im.stored == 0 {
			whose = "file"
		}
		what := fmt.Sprintf("%s; the time of the %s is taken", cmp.Or(told.BadTime, "is missing"), whose)
		im.untimed = append(im.untimed, remarkOn(*told, "timestamp", what))
	} else {
		im.lookAtTime(*told)
	}
	if im.stored == 0 {
		im.created = m.CreatedMS
	}
	im.last = m.CreatedMS
	im.stored++
}

// row is the session's row.
func (im *importing) row(about llm.About) store.Session {
	title, titleFrom := named(cmp.Or(plainLine(im.from.Title), about.Title), im.first)
	return store.Session{
		Title: title, TitleFrom: titleFrom, Created: time.UnixMilli(im.created), Model: about.Model,
		System: about.System, Dir: im.from.Dir,
	}
}

// plainLine is a text as one line without what a title must not hold.
func plainLine(text string) string {
	return printable(strings.Join(strings.Fields(text), " "))
}
