package conversation

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/record"
	"winnow/ui/question"
	"winnow/ui/transcript"
)

// Begin starts a turn with a number of its own.
func (c *Model) Begin(number int, start func(context.Context) <-chan session.Event) tea.Cmd {
	ctx, stop := c.NewContext()
	cmd := c.Turn.Start(number, stop, func() <-chan session.Event { return start(ctx) })
	c.Question.Ask(question.Question{})
	c.Chat.Name = transcript.ModelName(c.Ref)
	c.Supersede() // a plan that is being made for the draft comes too late now
	return tea.Batch(cmd, c.Panel.ToNext())
}

// Event shows what happened in the turn.
func (c *Model) Event(e session.Event) {
	switch e := e.(type) {
	case session.MessageStored:
		c.Info = c.Session.Info()
		c.Chat.Add(e.Message, record.Receipt{})
		c.Chat.Bottom()
		c.Waiting.Stored()
	case session.Planned:
		c.Refresh()
		c.ShowNext(e.Plan, nil, e.Forecast)
	case session.Delta:
		c.Chat.Stream(e.Text, e.Reasoning)
	case session.ApprovalNeeded:
		c.Question.Ask(question.Question{Call: &e, To: c.recipient()})
	case session.LimitExceeded:
		c.Question.Ask(question.Question{Limit: &e, To: c.recipient()})
	case session.ToolFinished:
		c.Chat.Add(e.Message, record.Receipt{})
	case session.AnswerStored:
		c.Chat.Answer(e.Message, e.Receipt)
	case session.CutWithdrawn:
		c.Chat.Withdraw(e.Requests)
	case session.Titled:
		c.Info.Title = e.Title
	}
}

// recipient is who gets the result of a call.
func (c *Model) recipient() question.Recipient {
	to := question.Recipient{Model: c.ModelName()}
	if s := c.Panel.Next.Plan.Sum; c.Panel.Next.Ready {
		to.Tokens = s.Tokens(s.Total)
	}
	if !c.Guided() {
		to.Place = c.Session.Model().Client.Endpoint().Host()
	}
	return to
}

// Finish ends the turn. What came of it stays in the transcript, and the queue goes on only behind one that ended well.
func (c *Model) Finish(e session.Finished) {
	queued := c.Waiting.Sending() // a message of the queue is not stored
	c.Waiting.Ended(e.Err == nil && !c.Turn.Stopping)
	c.Turn.End()
	c.Question.Ask(question.Question{})
	c.Chat.Settle()
	if last, ok := c.Chat.Last(); c.Turn.Again && ok && last.ID != c.Session.Info().Leaf {
		c.Chat.Follow(c.Session.Branch()) // no other answer came, and the branch is the one that it was
	}
	if e.Failure != nil && !c.Turn.Condensing && !queued {
		c.Chat.TurnFailed(*e.Failure)
	}
}
