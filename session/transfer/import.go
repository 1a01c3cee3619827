// Package transfer imports conversations from files of other programs and exports sessions. It knows which formats
// there are, reports on each conversation and completes what a format does not say; how a format is read or written
// is in the folder of that format, and rows are written by package store.
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
	"winnow/session/transfer/archive"
	"winnow/session/transfer/conversation"
)

// Largest is how much an import reads, in bytes, unless Source.Large is set.
const Largest = conversation.Largest

// ErrTooLarge says that a file was not read, or not to its end, for its size.
var ErrTooLarge = conversation.ErrTooLarge

// ErrNoMessage says that a file holds no message that can be imported.
var ErrNoMessage = errors.New("there is no message in it")

// Source is a file with conversations of another program.
type Source struct {
	File   File
	Path   string    // where the file is on the disk, "" where it has no name there
	Title  string    // the session's title; "" takes the file's, or makes one of the first message
	Dir    string    // the folder that the session is found under where the file names none
	Time   time.Time // when the file was written: the time of messages that give none
	Policy history.Policy
	DryRun bool // nothing is stored: only what would become of it is reported
	Large  bool // no limit on the size of the file
}

// File is a file that can be read at any place.
type File interface {
	io.ReaderAt
	io.Seeker
}

// all is the whole file.
func (from Source) all() *io.SectionReader { return io.NewSectionReader(from.File, 0, math.MaxInt64) }

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

// Import stores every conversation of a file as a session, or adds to the session that it is already what is new, and
// reports on each. What the file is, is seen at its content. Each conversation is stored whole or not at all, and
// what is stored when an error or the end of ctx stops the import stays.
//
// A conversation that cannot be read is reported with Errors and the others still follow. ErrNoMessage comes back where
// the file holds no message at all, and a *FileError where it says why the file cannot be imported.
func Import(ctx context.Context, s *store.Store, from Source, report func(Imported)) error {
	f, done, err := open(ctx, from)
	defer done()
	if err != nil {
		return err
	}
	if f.many && from.Title != "" {
		return errManyTitles
	}
	in := importing{s: s, from: from, many: f.many, report: report}
	if f.own {
		return in.archive(ctx)
	}
	err = f.read(f.values, func(c conversation.Conversation) error { return in.add(ctx, c) })
	if only := in.only; only != nil && err == nil {
		only.Line = 0
		err = in.conversation(ctx, *only)
	}
	return in.end(err)
}

// importing is the import of a file.
type importing struct {
	s      *store.Store
	from   Source
	report func(Imported)

	many   bool
	only   *conversation.Conversation // the first one, until it is known whether it is the only one
	place  int                        // of the conversation, from 1; 0 where it is the only one
	here   int                        // the messages that were imported, or were here
	unread []Imported                 // conversations without a message that were not reported yet
}

// add imports the next conversation of the file.
func (in *importing) add(ctx context.Context, c conversation.Conversation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !in.many && in.only == nil && in.place == 0 {
		in.only = &c
		return nil
	}
	if in.from.Title != "" {
		return errManyTitles
	}
	if first := in.only; first != nil {
		in.only, in.place = nil, 1
		if err := in.conversation(ctx, *first); err != nil {
			return err
		}
	}
	in.place++
	return in.conversation(ctx, c)
}

// end is the error of the import, for one of reading or of storing.
func (in *importing) end(err error) error {
	first := ""
	for _, im := range in.unread {
		for _, r := range im.Errors {
			first = cmp.Or(first, r.String())
		}
	}
	switch {
	case in.here == 0 && (errors.Is(err, conversation.ErrNotJSON) || err == nil && first != ""):
		return unrecognised(cmp.Or(first, conversation.ErrNotJSON.Error()))
	case in.here == 0 && err == nil && in.place == 0:
		return ErrNoMessage
	case in.here == 0 && err == nil:
		err = ErrNoMessage
	}
	in.flush()
	return err
}

// flush reports what waited until something of the file could be read.
func (in *importing) flush() {
	for _, im := range in.unread {
		in.report(im)
	}
	in.unread = nil
}

// archive restores the sessions of winnow's own JSON.
func (in *importing) archive(ctx context.Context) error {
	if in.from.DryRun {
		return errNoDryRun
	}
	err := archive.Restore(ctx, in.s, in.from.all(), func(r archive.Restored) {
		in.place++
		im := Imported{
			Session: r.Session, Again: r.Again, Warnings: r.Warnings, Errors: r.Errors,
			Place: in.place, Title: r.Session.Title, Sendable: r.Session.Messages,
		}
		if im.New = im.Session.ID != "" && !im.Again; im.New {
			im.Added = im.Session.Messages
		}
		in.report(im)
	})
	if err == nil && in.place == 0 {
		return ErrNoMessage
	}
	return err
}

// conversation imports one conversation and reports on it.
func (in *importing) conversation(ctx context.Context, c conversation.Conversation) error {
	im := Imported{Place: in.place, Title: title.OneLine(c.Session.Title)}
	for _, r := range c.Remarks {
		if r.Lost {
			im.Errors = append(im.Errors, r)
			continue
		}
		im.Warnings = append(im.Warnings, r)
	}
	switch {
	case c.Broken != "" && c.Line > 0:
		im.Errors = append(im.Errors, Remark{Index: -1, Line: c.Line, What: "the conversation " + c.Broken})
	case c.Broken != "":
		im.Errors = append(im.Errors, Remark{Index: -1, What: c.Broken})
	case len(c.Messages) == 0 && len(im.Errors) == 0:
		im.warn("the conversation holds no message; nothing was imported of it")
	case len(c.Messages) > 0:
		if err := in.store(ctx, &im, c.Conversation); err != nil {
			return fmt.Errorf("conversation %d: %w", im.Place, err)
		}
		in.here += len(c.Messages)
	}
	if in.unread = append(in.unread, im); in.here > 0 {
		in.flush()
	}
	return nil
}

func (im *Imported) warn(format string, args ...any) {
	im.Warnings = append(im.Warnings, Remark{Index: -1, What: fmt.Sprintf(format, args...)})
}

// store stores a conversation and says in im what became of it.
func (in *importing) store(ctx context.Context, im *Imported, c store.Conversation) error {
	named := c.Session.Origin != ""
	if !named {
		c.Session.Origin = fingerprint(c)
	}
	for i := range c.Messages {
		if named && c.Messages[i].Label == "" {
			c.Messages[i].Label = fmt.Sprintf("message %d", i+1) // by which a later import finds it again
		}
	}
	in.complete(im, &c)
	im.Sendable = sendable(c.Messages)
	if !named { // it goes on here, with the model in use
		c.Session.Updated, c.Session.Endpoint, c.Session.Model = time.Time{}, "", ""
	}
	out, err := in.s.Import(ctx, c, store.ImportOptions{DryRun: in.from.DryRun})
	if err != nil {
		return err
	}
	im.Session, im.New, im.Added, im.Again = out.Session, out.New, out.Added, out.Added+out.Filled == 0
	im.Title = cmp.Or(im.Title, out.Session.Title)
	if !out.Session.Deleted.IsZero() {
		im.warn("the conversation is in the trash; winnow sessions restore %s brings it back", out.Session.ID)
	}
	if out.Added > 0 {
		in.warnOfLimits(im, c)
	}
	if out.Changed > 0 {
		differ := counted(out.Changed, "1 message differs", "messages differ")
		im.warn("%s from the earlier import; both versions are kept", differ)
	}
	if out.Filled > 0 {
		im.warn("images were added to %s of the earlier import", counted(out.Filled, "1 message", "messages"))
	}
	if out.Unfilled > 0 {
		kept := counted(out.Unfilled, "1 message", "messages")
		im.warn("images of %s were not added, because the chat went on here since", kept)
	}
	return nil
}

func counted(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// silent reports whether a message has nothing that could be sent. A tool's empty result has: a note says that it is
// empty.
func silent(m history.Message) bool { return conversation.Blank(m) && m.Role != history.Tool }

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

// unlimited is more tokens than any conversation has.
const unlimited = 1 << 40

// warnOfLimits says how much of the active branch a request holds where the policy itself has limits, whatever the
// model's window.
func (in *importing) warnOfLimits(im *Imported, c store.Conversation) {
	p := in.from.Policy
	p.Budget = unlimited
	var branch []history.Message
	leaf := c.Leaf
	if leaf < 0 {
		leaf = len(c.Messages) - 1
	}
	for at := leaf; at >= 0; at = c.Messages[at].After {
		if m := c.Messages[at]; !m.Excluded {
			branch = append(branch, m.Message.Message)
		}
	}
	slices.Reverse(branch)
	plan, err := history.Build(branch, history.Options{Policy: p, Window: 2 * unlimited})
	if err != nil {
		return // all of the history or nothing
	}
	sent, cut, lost := 0, 0, 0
	for _, e := range plan.Entries {
		switch {
		case e.Disposition == history.Cut:
			cut++
			sent++
		case e.Sent():
			sent++
		case e.Disposition == history.Dropped:
			lost++
		}
	}
	if cut+lost > 0 {
		const what = "with the preset %s a request holds %d of the %d messages, %d of them shortened"
		im.warn(what, p.Preset, sent, sent+lost, cut)
	}
}

// titleSource is how much of the first text a title is looked for in.
const titleSource = 4096

// complete gives a conversation the title and the times that it lacks.
func (in *importing) complete(im *Imported, c *store.Conversation) {
	first := ""
	created, last, untimed := int64(math.MaxInt64), int64(0), 0
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.CreatedMS == 0 {
			untimed++
			m.Untimed = true
			m.CreatedMS = in.from.Time.UnixMilli()
			if begun := c.Session.Created; !begun.IsZero() {
				m.CreatedMS = begun.UnixMilli()
			}
			if m.After >= 0 {
				m.CreatedMS = c.Messages[m.After].CreatedMS
			}
		}
		if first == "" && m.Role == history.User && !silent(m.Message.Message) {
			first = m.Content[:min(len(m.Content), titleSource)]
		}
		created, last = min(created, m.CreatedMS), max(last, m.CreatedMS)
		if m.Role == history.Assistant && m.Model == "" {
			m.Model = c.Session.Model
		}
	}
	switch {
	case untimed > 0 && untimed == len(c.Messages) && c.Session.Created.IsZero():
		im.warn("no message has a readable time; the time of the file is used")
	case untimed > 0:
		without := counted(untimed, "1 message has no time", "messages have no time")
		im.warn("%s; that of the previous message is used", without)
	}
	row := &c.Session
	row.Title, row.TitleFrom = title.OneLine(cmp.Or(title.OneLine(in.from.Title), row.Title)), store.TitleUser
	if row.Title == "" {
		row.Title, row.TitleFrom = title.Of(first), store.TitleAuto
	}
	if row.Created.IsZero() {
		row.Created = time.UnixMilli(created)
	}
	if row.Updated.IsZero() {
		row.Updated = time.UnixMilli(last)
	}
	row.Dir = cmp.Or(row.Dir, in.from.Dir)
}
