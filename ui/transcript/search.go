package transcript

import (
	"context"

	"winnow/session/store"
	"winnow/ui/theme"
)

// Search is a search in the transcript: what is looked for, where it stands, and at which of these places
// the user is.
type Search struct {
	theme.Field      // what is looked for, as it is typed
	On          bool // hits are marked
	Open        bool // the search line takes the keys
	From        int  // the message that the user was at when the search began
	Home        bool // it began in the draft, and goes back there

	Searches int // searches so far: an answer to an older one is dropped
	Stop     context.CancelFunc
	Done     bool // the answer for the text is here
	Found    []Found
	Before   []int // hits in front of each of the found
	Total    int
	At       int // the hit that the user is at, from 0
	Around   int // which way the user came to it past an end, 0 for neither

	Tally  tally
	Whole  map[int64]LastWhole // by message, as far as it was asked
	Asking bool                // a question about past requests is being answered
}

// Found is where a search found its text in one message, or in one of its tool calls.
type Found struct {
	Message int // its place in the conversation
	call    int // which of its calls; -1 for what it says
	Spans   []Span
}

// FindMsg is what a search found.
type FindMsg struct {
	Search int
	Found  []Found
	Step   bool // the user goes to the hit next to where the search began
}

// Forget leaves nothing found. An answer that is on its way is dropped.
func (f *Search) Forget() {
	f.Searches++
	f.Found, f.Before, f.Total, f.At, f.Done, f.Tally = nil, nil, 0, 0, false, tally{}
}

// End forgets the search.
func (f *Search) End() {
	if f.Stop != nil {
		f.Stop()
	}
	*f = Search{Searches: f.Searches + 1}
}

// FindIn looks for a needle in what is said and called, not in what a model thought.
func FindIn(ctx context.Context, messages []store.Message, needle Needle) []Found {
	finder := needle.Finder()
	var list []Found
	add := func(at, call int, text string) {
		if spans := finder.In(text); len(spans) > 0 {
			list = append(list, Found{at, call, spans})
		}
	}
	for i, message := range messages {
		if ctx.Err() != nil {
			return nil
		}
		if callsOnly(message) {
			add(i, 0, callText(message.ToolCalls))
			continue
		}
		add(i, -1, message.Content)
		for k := range message.ToolCalls {
			add(i, k, callText(message.ToolCalls[k:k+1]))
		}
	}
	return list
}

// LastWhole is the newest request in which the model saw a message whole.
type LastWhole struct {
	Turn  int
	Never bool
}
