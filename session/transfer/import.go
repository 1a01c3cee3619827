// Package transfer imports conversations from files of other programs and exports sessions. It knows which formats
// there are, reports on each conversation and completes what a format does not say; how a format is read or written
// is in the folder of that format, and rows are written by package store.
package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/dustin/go-humanize/english"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/title"
	"winnow/session/transfer/archive"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/openai"
)

// ErrNoMessage says that a file holds no message that can be imported.
var ErrNoMessage = errors.New("there is no message in it")

// FileError says why a file cannot be imported, for a person.
type FileError struct{ Reason string }

func (e *FileError) Error() string { return e.Reason }

// Source is a file with conversations of another program.
type Source struct {
	File File
	Path string    // where the file is on the disk, "" where it has no name there
	Dir  string    // the folder that the session is found under where the file names none
	Time time.Time // when the file was written: the time of messages that give none
}

// File is a file that can be read at any place.
type File interface {
	io.ReaderAt
	io.Seeker
}

// section is the file from a place on.
func (from Source) section(begin int64) *io.SectionReader {
	return io.NewSectionReader(from.File, begin, math.MaxInt64-begin)
}

// Imported is what became of one conversation of a Source.
type Imported = conversation.Imported

// Remark says something about a message of a file, or about a conversation.
type Remark = conversation.Remark

// Import stores every conversation of a file as a session, or adds to the session that it is already what is new, and
// reports on each. What the file is, is seen at its content. Each conversation is stored whole or not at all, and
// what is stored when an error or the end of ctx stops the import stays.
//
// A conversation that cannot be read is reported with Errors and the others still follow. ErrNoMessage comes back where
// the file holds no message at all, and a *FileError where it says why the file cannot be imported.
func Import(ctx context.Context, s *store.Store, from Source, report func(Imported)) error {
	in := importing{s: s, from: from, report: report}
	f, err := open(ctx, from)
	if err != nil {
		return err
	}
	defer f.close()
	if f.read == nil {
		err = in.archive(ctx)
	} else {
		err = f.read(f.values, func(c conversation.Conversation) error { return in.add(ctx, c) })
	}
	if err == nil && !in.found {
		return ErrNoMessage
	}
	return err
}

// importing is the import of a file.
type importing struct {
	s      *store.Store
	from   Source
	report func(Imported)
	place  int  // of the conversation, from 1
	found  bool // there was a message in the file
}

// archive restores the sessions of winnow's own JSON.
func (in *importing) archive(ctx context.Context) error {
	return archive.Restore(ctx, in.s, in.from.section(0), func(im Imported) {
		in.place, in.found = in.place+1, true
		im.Place = in.place
		in.report(im)
	})
}

// add imports the next conversation of the file and reports on it.
func (in *importing) add(ctx context.Context, c conversation.Conversation) error {
	in.place++
	im := Imported{Report: c.Report, Place: in.place, Title: title.OneLine(c.Session.Title)}
	switch {
	case len(c.Messages) > 0:
		in.found = true
		named := c.Session.Origin != ""
		if !named {
			c.Session.Origin = fingerprint(c)
		}
		in.complete(&im, &c.ImportedConversation)
		if err := in.store(ctx, &im, c.ImportedConversation, named); err != nil {
			return fmt.Errorf("conversation %d: %w", im.Place, err)
		}
	case len(im.Errors) == 0:
		im.Warn("", "the conversation holds no message; nothing was imported of it")
	case c.Session.Source == openai.Source && !in.found:
		return unrecognised(im.Errors[0].String())
	}
	in.report(im)
	return ctx.Err()
}

// store stores a conversation and says in im what became of it. named is whether it has a name in its file.
func (in *importing) store(ctx context.Context, im *Imported, c store.ImportedConversation, named bool) error {
	for i := range c.Messages {
		if m := &c.Messages[i]; named && m.Label == "" {
			m.Label = fmt.Sprintf("message %d", i+1) // by which a later import finds it again
		}
	}
	if !named { // it goes on here, with the model in use
		c.Session.Updated, c.Session.Endpoint, c.Session.Model = time.Time{}, "", ""
	}
	out, err := in.s.Import(ctx, c)
	if err != nil {
		return err
	}
	im.Session, im.New, im.Added, im.Again = out.Session, out.New, out.Added, out.Added+out.Filled == 0
	im.Title = cmp.Or(im.Title, out.Session.Title)
	if !out.Session.Deleted.IsZero() {
		im.Warn("", "the conversation is in the trash; winnow sessions restore %s brings it back", out.Session.ID)
	}
	warnOf(im, out.Filled, "%s of the earlier import got its images")
	warnOf(im, out.Unfilled, "%s did not get its images, because the chat went on here since")
	return nil
}

// warnOf remarks on some messages of a conversation, where there are any.
func warnOf(im *Imported, messages int, format string) {
	if messages > 0 {
		im.Warn("", format, english.Plural(messages, "message", ""))
	}
}

// fingerprint stands for a conversation that has no name in its file: what it says, and the times that the file gives.
// Two conversations with the same words at other times are two.
func fingerprint(c conversation.Conversation) string {
	hash := sha256.New()
	enc := json.NewEncoder(hash) // of texts and numbers, which always encode
	_ = enc.Encode(c.Session.System)
	for _, m := range c.Messages {
		_ = enc.Encode([]any{m.Role, m.Content, m.Label, m.CreatedMS, m.ToolCallID, m.Reasoning, m.ToolCalls, m.Parts})
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:16])
}

// complete gives a conversation the title and the times that it lacks.
func (in *importing) complete(im *Imported, c *store.ImportedConversation) {
	row := &c.Session
	begun := in.from.Time
	if !row.Created.IsZero() {
		begun = row.Created
	}
	first, untimed := "", 0
	oldest, newest := int64(math.MaxInt64), int64(0)
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.CreatedMS == 0 {
			untimed++
			m.Untimed, m.CreatedMS = true, begun.UnixMilli()
			if m.After >= 0 {
				m.CreatedMS = c.Messages[m.After].CreatedMS
			}
		}
		oldest, newest = min(oldest, m.CreatedMS), max(newest, m.CreatedMS)
		if first == "" && m.Role == history.User && !conversation.Blank(*m) {
			first = m.Content
		}
		if m.Role == history.Assistant && m.Model == "" {
			m.Model = row.Model
		}
	}
	warnOf(im, untimed, "%s without a time: that of the message before is used, or that of the file")
	row.Title, row.TitleFrom = title.OneLine(row.Title), store.TitleUser
	if row.Title == "" {
		row.Title, row.TitleFrom = title.Of(first), store.TitleAuto
	}
	if row.Created.IsZero() {
		row.Created = time.UnixMilli(oldest)
	}
	if row.Updated.IsZero() {
		row.Updated = time.UnixMilli(newest)
	}
	row.Dir = cmp.Or(row.Dir, in.from.Dir)
}
