package transfer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/openai"
	"winnow/session/transfer/prompt"
)

// Source is a file with conversations of another program.
type Source struct {
	File   io.ReadSeeker // read from its beginning, perhaps more than once
	Path   string        // where the file is on the disk, "" where it has no name there
	Title  string        // the session's title; "" takes the file's, or makes one of the first message
	Dir    string        // the folder that the session is found under
	Time   time.Time     // when the file was written: the time of messages that give none
	Policy history.Policy
	DryRun bool // nothing is stored: only what would become of it is reported
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
type Remark = conversation.Remark

// order is where a remark belongs among others: those about messages in their order, then those about the
// file.
func order(r Remark) int {
	if r.Index < 0 {
		return math.MaxInt
	}
	return r.Index
}

// ErrNoMessage says that a file holds no message that can be imported.
var ErrNoMessage = errors.New("there is no message in it")

// importOne stores a file's conversation as a new session, whole or not at all. No message is refused
// for what it says: damage is repaired when a request is planned. What could not be read, and what is
// odd, comes back beside the session, and beside the error where nothing could be imported.
//
// A system message at the beginning is a message like any other. A plan puts such messages at the
// end of the system prompt, so the model sees it where it stood, and it keeps its id, its time and
// its row in the list; as the session's own system prompt it would lose them.
func importOne(ctx context.Context, s *store.Store, from Source) (Imported, error) {
	var im importing
	row, err := s.ImportMessages(ctx, func(add func(store.Message) error) (store.Session, error) {
		im = importing{from: from, last: from.Time.UnixMilli(), sample: newHistorySample(from.Policy)}
		if _, err := from.File.Seek(0, io.SeekStart); err != nil {
			return store.Session{}, fmt.Errorf("read the file from its beginning: %w", err)
		}
		return im.read(add)
	}, store.ImportOptions{DryRun: from.DryRun})
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
		m, err := file.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return store.Session{}, err
		}
		if m.Broken != nil {
			im.fault(m)
			continue
		}
		im.setTime(&m)
		im.check(m)
		im.sample.add(m.Message.Message)
		if err := add(m.Message); err != nil {
			return store.Session{}, err
		}
	}
	im.checkFile(file.About())
	slices.SortStableFunc(im.out.Warnings, func(a, b Remark) int { return cmp.Compare(order(a), order(b)) })
	if im.stored == 0 {
		return store.Session{}, ErrNoMessage
	}
	return im.row(file.About()), nil
}

// messageReader reads a file with one conversation message by message.
type messageReader interface {
	Next() (conversation.Message, error)
	About() conversation.About
}

// readerOf is the reader for the layout of a file, which is seen at its first bytes.
func readerOf(from Source) (messageReader, error) {
	first := make([]byte, 64)
	n, err := io.ReadFull(from.File, first)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning of the file: %w", err)
	}
	if _, err := from.File.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the file from its beginning: %w", err)
	}
	if prompt.Is(string(first[:n])) {
		return prompt.NewReader(from.File), nil
	}
	return openai.NewReader(from.File, from.Large), nil
}

// setTime gives a message without a time that of the message before. The order of a conversation is
// that of its file, whatever the times say.
func (im *importing) setTime(m *conversation.Message) {
	if m.CreatedMS == 0 {
		m.CreatedMS = im.last
		whose := "previous message"
		if im.stored == 0 {
			whose = "file"
		}
		what := fmt.Sprintf("%s; the time of the %s is used", cmp.Or(m.BadTime, "is missing"), whose)
		im.untimed = append(im.untimed, remarkOn(*m, "timestamp", what))
	} else {
		im.checkTime(*m)
	}
	if im.stored == 0 {
		im.created = m.CreatedMS
	}
	im.last = m.CreatedMS
	im.stored++
}

// row is the session's row.
func (im *importing) row(about conversation.About) store.Session {
	name, titleFrom := named(cmp.Or(title.OneLine(im.from.Title), about.Title), im.first)
	return store.Session{
		Title: name, TitleFrom: titleFrom, Created: time.UnixMilli(im.created), Model: about.Model,
		System: about.System, Dir: im.from.Dir,
	}
}
