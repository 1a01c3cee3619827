package sessions

import (
	"context"
	"errors"
	"fmt"

	"winnow/ui/event"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Opener opens sessions in the place of the one on the screen: stored ones, new ones and forks. Of several that were
// asked for the newest is shown. It also holds how the session on the screen stands to other windows and to its
// forks.
type Opener struct {
	OpenerDeps
	event.Queue
	ReadOnly bool // another window has the session: here it can be read
	Forks    Forks
	At       Arrival // where in the session the cursor goes, as soon as that is read

	shown  *session.Session
	number int // of the newest request
}

// OpenerDeps are what sessions are opened with.
type OpenerDeps struct {
	Session session.Deps
	Keys    keymap.Map
	Secrets theme.Secrets
	Run     func(func(context.Context) tea.Msg) tea.Cmd // makes a command whose context ends with it
}

// Arrival is a message that a session is opened for, zero for its end.
type Arrival struct {
	Message int64
	Text    string // what is marked there, "" for nothing
}

// The events of an opener.
type (
	// Opened is a session to show. Said is a sentence about it, "" for none.
	Opened struct {
		Session *session.Session
		At      Arrival
		Said    string
	}
	// NotOpened says why no session came. Left says that the one on the screen had been left for it.
	NotOpened struct {
		Err  error
		Left bool
	}
	// Loaded is the session on the screen as a whole, and the receipts of its answers.
	Loaded struct {
		Messages []store.Message
		Receipts map[int64]session.Receipt
		Err      error
	}
	// Leased says that it is known who may write in the session on the screen.
	Leased struct{}
	// ForksRead is which sessions belong to the one on the screen by a fork.
	ForksRead struct{ Forks Forks }
)

// OpenerMsg is a message for an opener.
type OpenerMsg interface{ opener() }

type (
	// OpenedMsg is another session to show, or why it could not be opened.
	OpenedMsg struct {
		Opened
		Number  int              // of the request, 0 where the session on the screen was not left for it
		Instead *session.Session // the session that it takes the place of, nil for any
		Err     error
	}
	// AboutMsg is what a command has found out about a session: an event, where that session is still shown.
	AboutMsg struct {
		Session *session.Session
		Event   event.Event
		Err     error
	}
	leasedMsg struct {
		session *session.Session
		byOther bool
		err     error
	}
)

func (OpenedMsg) opener() {}
func (AboutMsg) opener()  {}
func (leasedMsg) opener() {}

// Adopt takes another session as the one on the screen.
func (o *Opener) Adopt(d OpenerDeps, s *session.Session) {
	*o = Opener{OpenerDeps: d, ReadOnly: s.LeasedByOther(), shown: s, number: o.number}
}

// Start takes the lease of the session on the screen and reads what opening it left out.
func (o *Opener) Start() tea.Cmd {
	s := o.shown
	load := o.ask(func(ctx context.Context) (event.Event, error) {
		err := s.LoadRest(ctx)
		receipts, more := s.Receipts(ctx)
		return Loaded{s.Messages(), receipts, errors.Join(err, more)}, nil
	})
	if o.Session.Store == nil {
		return load
	}
	return tea.Batch(load, o.Run(func(ctx context.Context) tea.Msg {
		byOther, err := s.Lease(ctx)
		return leasedMsg{s, byOther, err}
	}))
}

// ReadForks reads which sessions belong to the one on the screen by a fork.
func (o *Opener) ReadForks() tea.Cmd {
	s, keys, secrets := o.shown, o.Keys, o.Secrets
	return o.ask(func(ctx context.Context) (event.Event, error) {
		kin, err := s.Kin(ctx)
		return ForksRead{NewForks(kin, s.Messages(), keys, secrets)}, err
	})
}

// Update takes a message and returns what the one who holds the opener has to do.
func (o Opener) Update(msg OpenerMsg) (Opener, tea.Cmd) {
	cmd := o.update(msg)
	return o, cmd
}

func (o *Opener) update(msg OpenerMsg) tea.Cmd {
	switch msg := msg.(type) {
	case OpenedMsg:
		switch {
		case msg.Number != 0 && msg.Number != o.number, msg.Instead != nil && msg.Instead != o.shown:
			return Leave(msg.Session) // another one was asked for since
		case errors.Is(msg.Err, errStillOpen):
			return o.Say("It is still open in the other window.")
		case msg.Err != nil:
			return o.Emit(NotOpened{msg.Err, msg.Number != 0})
		}
		return o.Emit(msg.Opened)
	case AboutMsg:
		switch {
		case msg.Session != o.shown || errors.Is(msg.Err, context.Canceled):
			return nil
		case msg.Err != nil:
			return o.SayError(theme.Sentence(msg.Err))
		}
		if e, ok := msg.Event.(ForksRead); ok {
			o.Forks = e.Forks
		}
		return o.Emit(msg.Event)
	case leasedMsg:
		switch {
		case msg.session != o.shown:
			return Leave(msg.session) // another one was opened meanwhile
		case msg.err != nil:
			return o.SayError(theme.Sentence(msg.err))
		}
		o.ReadOnly = msg.byOther
		return o.Emit(Leased{})
	}
	return nil
}

// Reveal shows what looks like a secret, or hides it, as secrets say.
func (o *Opener) Reveal(secrets theme.Secrets) { o.Secrets, o.Forks.secrets = secrets, secrets }

// Number is that of the newest request.
func (o *Opener) Number() int { return o.number }

// open makes the command that opens a session in the place of the one on the screen.
func (o *Opener) open(next Opened, open func(context.Context) (*session.Session, error)) tea.Cmd {
	o.number++
	msg := OpenedMsg{Opened: next, Number: o.number}
	return o.Run(func(ctx context.Context) tea.Msg {
		msg.Session, msg.Err = open(ctx)
		return msg
	})
}

// New begins a session.
func (o *Opener) New(start session.Start) tea.Cmd {
	deps := o.Session
	return o.open(Opened{}, func(context.Context) (*session.Session, error) { return session.New(deps, start) })
}

// Temporary begins a chat that is kept in memory alone.
func (o *Opener) Temporary(start session.Start) tea.Cmd {
	deps := o.Session
	return o.open(Opened{}, func(ctx context.Context) (*session.Session, error) { return session.Temporary(ctx, deps, start) })
}

// Open opens a stored session at one of its messages, on whatever branch that is. Ref is the model to use where the
// session's own is gone.
func (o *Opener) Open(id string, at Arrival, ref string) tea.Cmd {
	deps := o.Session
	return o.open(Opened{At: at}, func(ctx context.Context) (*session.Session, error) {
		s, err := session.Open(ctx, deps, id, ref)
		if err == nil && at.Message != 0 && !s.Holds(at.Message) {
			err = switchTo(ctx, s, at.Message)
		}
		return s, err
	})
}

// switchTo makes the branch through a message the active one, unless another window has the session.
func switchTo(ctx context.Context, s *session.Session, message int64) error {
	byOther, err := s.Lease(ctx)
	if err == nil && !byOther {
		err = s.Switch(ctx, message)
	}
	if err != nil {
		s.Leave()
	}
	return err
}

// Fork copies the branch of the session on the screen up to a message into a session of its own, and opens that.
// Number is the message's.
func (o *Opener) Fork(message int64, title, number, ref string) tea.Cmd {
	deps, s := o.Session, o.shown
	return o.open(Opened{Said: forkedSentence(title, "at message "+number)}, func(ctx context.Context) (*session.Session, error) {
		fork, err := s.Fork(ctx, message)
		if err != nil {
			return nil, err
		}
		return session.Open(ctx, deps, fork.ID, ref)
	})
}

// ForkListed copies the active branch of a stored session into a session of its own, and opens that.
func (o *Opener) ForkListed(of Forked, ref string) tea.Cmd {
	deps := o.Session
	return o.open(Opened{Said: forkedSentence(of.Name, "at its end")}, func(ctx context.Context) (*session.Session, error) {
		now, err := deps.Store.Session(ctx, of.ID) // it may have grown since it was listed
		if err == nil {
			now, err = deps.Store.Fork(ctx, of.ID, now.Leaf)
		}
		if err != nil {
			return nil, err
		}
		return session.Open(ctx, deps, now.ID, ref)
	})
}

func forkedSentence(title, at string) string {
	return fmt.Sprintf("A fork of «%s» %s: what is said here stays here.", markdown.OneLine(title, 60), at)
}

// Keep stores a temporary chat after all, and opens it.
func (o *Opener) Keep(ref string) tea.Cmd {
	deps, s := o.Session, o.shown
	return o.Run(func(ctx context.Context) tea.Msg {
		msg := OpenedMsg{Opened: Opened{Said: "This chat is saved now, and is among the sessions."}, Instead: s}
		var row store.Session
		if row, msg.Err = s.Keep(ctx, deps.Store); msg.Err == nil {
			msg.Session, msg.Err = session.Open(ctx, deps, row.ID, ref)
		}
		return msg
	})
}

var errStillOpen = errors.New("the session is still open in the other window")

// TakeOver asks for the session on the screen, which another window had, and opens it anew where it is free: the
// other window may have added to it.
func (o *Opener) TakeOver(ref string) tea.Cmd {
	deps, s := o.Session, o.shown
	return o.Run(func(ctx context.Context) tea.Msg {
		msg := OpenedMsg{Opened: Opened{Said: "The session is yours again, with all that was added to it."}, Instead: s}
		byOther, err := s.Lease(ctx)
		if msg.Err = err; byOther {
			msg.Err = errStillOpen
		}
		if msg.Err == nil {
			msg.Session, msg.Err = session.Open(ctx, deps, s.Info().ID, ref)
		}
		if msg.Err == nil {
			_, msg.Err = msg.Session.Lease(ctx) // it is this window's already
		}
		return msg
	})
}

// Leave lets go of a session that is not shown any more: other windows may have it, and of a temporary one nothing
// is left.
func Leave(s *session.Session) tea.Cmd {
	if s == nil {
		return nil
	}
	return func() tea.Msg {
		if s.Leave(); s.Temporary() {
			s.Store().Close() // It holds nothing that anybody will miss.
		}
		return nil
	}
}
