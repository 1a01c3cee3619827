package session

import (
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store"
)

// early reads the beginning of the branch for the planner: what came before a message that is being
// edited. The reader of the whole branch stays as it is meanwhile.
type early struct {
	before int64 // the message, 0 for none
	reader *history.Conversation
	read   int         // messages before it
	fresh  map[int]int // counts that came since, by place on the branch
}

// count takes a count that came.
func (e *early) count(at, tokens int) {
	if e.reader != nil && at < e.read {
		e.fresh[at] = tokens
	}
}

// previewEdit plans the request that would leave if a draft were said in the place of a message: Edit says
// which files go with it. What was said since is not in it. The caller holds the lock.
func (s *Session) previewEdit(message int64, draft string, files []history.Part, options func([]history.Message) history.Options) (history.Plan, error) {
	at, there := s.find(message)
	switch {
	case !s.whole:
		return history.Plan{}, ErrLoading
	case !there:
		return history.Plan{}, fmt.Errorf("plan an edit of message %d: %w", message, store.ErrNotFound)
	case s.branch[at].Role != history.User:
		return history.Plan{}, ErrNotYours
	}
	if files == nil {
		files = s.branch[at].Parts
	}
	reader := s.readEarly(message, at)
	o := options(asTurn(draft, files))
	if len(o.Summaries) > 0 {
		o.Summaries = s.summariesOf(at)
	}
	if s.branch[at].Alone {
		o.Scope = &history.Scope{For: history.ForAlone}
	}
	return reader.Build(o)
}

// readEarly is the reader of the first messages of the branch, which are those before a message. A long
// conversation takes seconds to read, and the lock is given away meanwhile. The caller holds the lock.
func (s *Session) readEarly(message int64, first int) *history.Conversation {
	if s.early.before == message {
		s.early.reader.Recount(s.early.fresh)
		clear(s.early.fresh)
		return s.early.reader
	}
	past := slices.Clone(s.branch[:first])
	s.mu.Unlock()
	reader := history.Read(s.deps.readable(past), s.deps.Count)
	s.mu.Lock()
	if at, there := s.find(message); there && at == first {
		s.early = early{before: message, reader: reader, read: first, fresh: map[int]int{}}
	}
	return reader
}
