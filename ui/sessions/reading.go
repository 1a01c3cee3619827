package sessions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
)

// Listing is what was read of a shelf.
type Listing struct {
	Sessions []store.Session
	Leased   []string // ids of the chats on any shelf that other windows have open
	ReadAt   time.Time
	Err      error
}

// readShelf reads the shelf on show.
func (l *Model) readShelf() tea.Cmd {
	db, now, of, then := l.Deps.Store, l.Deps.Now, shelves[l.shelf], l.reading.Begin()
	return l.Run(func(ctx context.Context) tea.Msg {
		stored, err := db.Sessions(ctx, of.holds)
		leased, more := db.LeasedByOthers(ctx)
		read := Listing{stored, leased, now(), errors.Join(err, more)}
		return then(func() tea.Cmd { return l.ShowListing(read) })
	})
}

// ShowListing shows a shelf that was read.
func (l *Model) ShowListing(read Listing) tea.Cmd {
	if read.Err != nil {
		l.Hooks.Close()
		return l.ReportError(read.Err)
	}
	l.listing, l.lines = read, map[string]line{}
	l.fill()
	return l.loadPreview()
}

const (
	// searchDelay is how long the filter must stay unchanged before messages are searched.
	searchDelay = 80 * time.Millisecond
	// maxHits is the maximum number of hits. Another word narrows the search.
	maxHits = 200
)

// SearchResult is what a search in messages found.
type SearchResult struct {
	Text   string // the filter
	Hits   []store.SearchHit
	Places map[int64]store.MessagePosition // by message id
	Err    error
}

// query is the text to search for in messages, "" for none.
func (l *Model) query() string { return strings.TrimSpace(l.List.Filter.Text()) }

// waiting reports whether the search for the filter is still running.
func (l *Model) waiting() bool { return l.query() != l.found.Text }

// filtered searches messages for the filter after searchDelay.
func (l *Model) filtered() tea.Cmd {
	then := l.searching.Begin()
	if l.query() == "" {
		l.found = SearchResult{}
		l.fill()
		return nil
	}
	return tea.Tick(searchDelay, func(time.Time) tea.Msg { return then(l.find) })
}

// find searches messages for the filter at once. On the trash shelf it includes the trash.
func (l *Model) find() tea.Cmd {
	if l.query() == "" {
		return nil
	}
	db, then := l.Deps.Store, l.searching.Begin()
	query := store.SearchQuery{
		Text: l.query(), Trash: shelves[l.shelf].holds.Trash, Limit: maxHits, Hide: l.Secrets.Redact,
	}
	return l.Run(func(ctx context.Context) tea.Msg {
		found := SearchResult{Text: query.Text}
		if found.Hits, found.Err = db.Search(ctx, query); found.Err == nil {
			ids := make([]int64, len(found.Hits))
			for i, h := range found.Hits {
				ids[i] = h.Message
			}
			found.Places, found.Err = db.Positions(ctx, ids...)
		}
		return then(func() tea.Cmd { return l.ShowFound(found) })
	})
}

// ShowFound lists the hits of a search, those of the last used chat first.
func (l *Model) ShowFound(found SearchResult) tea.Cmd {
	slices.SortStableFunc(found.Hits, func(a, b store.SearchHit) int {
		return cmp.Or(b.Session.Updated.Compare(a.Session.Updated), strings.Compare(a.Session.ID, b.Session.ID))
	})
	l.found = found
	for _, h := range found.Hits {
		delete(l.lines, h.Session.ID) // the hit has the newer row
	}
	l.fill()
	if found.Err != nil {
		return l.ReportError(found.Err)
	}
	return l.loadPreview()
}

// preview is what was read of the line under the cursor: the found message and the one before it, or the last two
// messages of the chat.
type preview struct {
	of       target // what it shows
	messages []PreviewMessage
}

// target identifies a preview. A new leaf means that the chat has gone on.
type target struct {
	session string
	leaf    int64
	message int64 // the found message, 0 for the end of the chat
	query   string
}

// PreviewMessage is a message of a preview. Its text begins shortly before the match and is redacted.
type PreviewMessage struct {
	store.Message
	Place store.MessagePosition
}

const (
	// maxPreview is how many bytes of a message a preview reads, and beforeHit how many of them precede the match.
	maxPreview = 12 << 10
	beforeHit  = 100
	// hiddenAround is how many bytes on both sides of the match are searched for secrets.
	hiddenAround = 64 << 10
	// lastRead is how many messages are read to find the last two with text.
	lastRead = 8
)

// loadPreview reads the preview of the line under the cursor. A previous preview of the same chat stays until then.
func (l *Model) loadPreview() tea.Cmd {
	s, ok := l.cursor()
	t := target{session: s.ID, leaf: s.Leaf}
	if s.hit != nil {
		t.message, t.query = s.hit.Message, l.found.Text
	}
	if t == l.preview.of {
		return nil
	}
	if t.session != l.preview.of.session {
		l.preview.messages = nil
	}
	l.preview.of = t
	db, hide, then := l.Deps.Store, l.Secrets.Redact, l.previewing.Begin()
	if !ok {
		return nil
	}
	return l.Run(func(ctx context.Context) tea.Msg {
		messages, err := readPreview(ctx, db, t, hide)
		return then(func() tea.Cmd { return l.ShowPreview(messages, err) })
	})
}

// readPreview reads the messages of a preview.
func readPreview(
	ctx context.Context, db *store.Store, of target, hide func(string) string,
) ([]PreviewMessage, error) {
	branch, err := db.Branch(ctx, cmp.Or(of.message, of.leaf), lastRead)
	if err != nil {
		return nil, err
	}
	branch = slices.DeleteFunc(branch, func(m store.Message) bool {
		speaks := strings.TrimSpace(m.Content) != "" && (m.Role == history.User || m.Role == history.Assistant)
		return !speaks && m.ID != of.message
	})
	var out []PreviewMessage
	for _, m := range branch[max(0, len(branch)-2):] {
		places, err := db.Positions(ctx, m.ID)
		if err != nil {
			return nil, err
		}
		m.Content = previewText(m, of.query, hide)
		out = append(out, PreviewMessage{m, places[m.ID]})
	}
	return out, nil
}

// previewText returns the part of a message that a preview shows: its beginning, or from shortly before the match. If
// the match is in its files or tool calls, their text is appended. Hide redacts it.
func previewText(m store.Message, query string, hide func(string) string) string {
	found := store.SearchQuery{Text: query}
	text, marks := m.Content, found.Marks(m.Content)
	if query != "" && len(marks) == 0 {
		text = m.SearchText()
		marks = found.Marks(text)
	}
	at, lead := 0, ""
	if len(marks) > 0 {
		at = marks[0][0]
	}
	text = hide(text[max(0, at-hiddenAround):min(len(text), at+hiddenAround)]) // before a secret is cut in two
	if marks = found.Marks(text); len(marks) > 0 && marks[0][0] > 2*beforeHit {
		lead, text = "…", text[marks[0][0]-beforeHit:]
	}
	return lead + strings.ToValidUTF8(text[:min(len(text), maxPreview)], "")
}

// ShowPreview shows a preview that was read.
func (l *Model) ShowPreview(messages []PreviewMessage, err error) tea.Cmd {
	l.preview.messages = messages
	return l.ReportError(err)
}
