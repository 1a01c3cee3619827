package conversation

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/record"
	"winnow/ui/question"
	"winnow/ui/transcript"
)

// Begin starts a turn. The number must be unique among all turns of this run.
func (c *Model) Begin(number int, start func(context.Context) <-chan session.Event) tea.Cmd {
	ctx, stop := c.NewContext()
	cmd := c.Turn.Start(number, stop, func() <-chan session.Event { return start(ctx) })
	c.Question.Ask(question.Question{})
	c.Chat.AnsweringModel = transcript.ModelName(c.Ref)
	c.supersedePlans() // the draft that is being planned was just sent
	return tea.Batch(cmd, c.Panel.ShowNext())
}

// Event applies an event of the turn to the transcript, the panel and the question.
func (c *Model) Event(e session.Event) {
	switch e := e.(type) {
	case session.MessageStored:
		c.Info = c.Session.Info()
		c.Chat.Add(e.Message, record.Receipt{})
		c.Chat.GotoBottom()
		c.Waiting.MessageStored()
	case session.Planned:
		c.Refresh()
		c.showNext(e.Plan, nil, e.Forecast)
	case session.Delta:
		c.Chat.AddDelta(e.Text, e.Reasoning)
	case session.ApprovalNeeded:
		c.Question.Ask(question.Question{Call: &e, Recipient: c.recipient()})
	case session.LimitExceeded:
		c.Question.Ask(question.Question{Limit: &e, Recipient: c.recipient()})
	case session.ToolFinished:
		c.Chat.Add(e.Message, record.Receipt{})
	case session.AnswerStored:
		c.Chat.AnswerStored(e.Message, e.Receipt)
	case session.CutWithdrawn:
		c.Chat.ClearUnread(e.Requests)
	case session.Titled:
		c.Info.Title = e.Title
	}
}

// recipient returns which model, at which host, gets the result of a tool call.
func (c *Model) recipient() question.Recipient {
	to := question.Recipient{Model: c.ModelName()}
	if s := c.Panel.Next.Plan.Sum; c.Panel.Next.Ready {
		to.RequestTokens = s.Tokens(s.Total)
	}
	if !c.UsesGuide() {
		to.Host = c.Session.Model().Client.Endpoint().Host()
	}
	return to
}

// Finish ends the turn. The queue continues only if the turn succeeded and was not stopped.
func (c *Model) Finish(e session.Finished) {
	queued := c.Waiting.Sending() // a queued message was not stored
	c.Waiting.TurnEnded(e.Err == nil && !c.Turn.Stopping)
	c.Turn.End()
	c.Question.Ask(question.Question{})
	c.Chat.EndTurn()
	if last, ok := c.Chat.LastMessage(); c.Turn.Regenerating && ok && last.ID != c.Session.Info().Leaf {
		c.Chat.SetBranch(c.Session.Branch()) // no new answer arrived, so the old branch is shown again
	}
	if e.Failure != nil && !c.Turn.Compacting && !queued {
		c.Chat.ShowFailure(*e.Failure)
	}
}
