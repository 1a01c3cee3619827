package session

import (
	"context"
	"fmt"
	"time"

	"winnow/llm"
	"winnow/session/calibration"
	"winnow/session/record"
	"winnow/session/target"
)

// judge compares the server's count of a request with what was expected, and notes in its record where it read
// only a part.
func (t *turn) judge(a *asked) calibration.Judgement {
	if a.carriesEncrypted() {
		return calibration.Judgement{Finding: calibration.Nothing}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	j := a.to.Judge(calibration.Report{
		Parts:    calibration.PartsOf(a.plan.Sum, a.plan.Entries, t.message),
		Reported: a.record.Prompt,
		Limited:  a.decision.Limit > 0,
	})
	if j.Finding == calibration.Nothing {
		return j
	}
	if j.Finding == calibration.Cut {
		a.record.CutExpected = j.Expected
		short, _ := record.ShortfallOf(a.record)
		t.before.Counted(&short)
		return j
	}
	t.before.Counted(nil)
	return j
}

// noteJudgement keeps what was learned from the server's count of a request, and says what the user must know.
func (t *turn) noteJudgement(ctx context.Context, a asked, j calibration.Judgement) {
	switch j.Finding {
	case calibration.Nothing:
		return
	case calibration.Cut:
		t.noteCut(ctx, a)
	case calibration.Disproved:
		t.withdrawCut(ctx, a)
	default:
		window := a.to.Window()
		if window.Tokens > 0 && a.record.Prompt > window.Tokens && !window.Assumed {
			t.emit(Notice{fmt.Sprintf("the server counted %d tokens, more than its window of %d (%s): it may have dropped part of this request", a.record.Prompt, window.Tokens, window.Origin())})
		}
	}
	t.learn(ctx, a.to)
}

// noteCut says that the server read only a part of a request, and how to cure it.
func (t *turn) noteCut(ctx context.Context, a asked) {
	a.to.Cut(a.record.ID)
	text := fmt.Sprintf("the server read %d of about %d tokens: it dropped part of this request without saying so. ", a.record.Prompt, a.record.CutExpected)
	if a.to.AskWindow(ctx) {
		a.to.Lift()
		text += fmt.Sprintf("It now states a window of %d tokens, and requests will fit it", a.to.Window().Tokens)
	} else {
		text += fmt.Sprintf("Requests of this session now stay below %d tokens", a.to.Limit())
		if set, ok := a.to.TrueWindow(); ok {
			text += fmt.Sprintf("; the window of %d that was set is too large (/window %d)", a.to.Window().Tokens, set)
		} else {
			text += "; /window TOKENS overrides this"
		}
	}
	switch e := a.to.Client.Endpoint(); {
	case a.to.Client.Wire(a.to.Name) == llm.OllamaWire:
		text += ". A newer Ollama refuses such a request"
	case e.Own() && e.Name != llm.Guide:
		text += ". For Ollama, set OLLAMA_CONTEXT_LENGTH in its environment to enlarge the window"
	}
	t.emit(Notice{text})
}

// withdrawCut takes back that the server read only a part of the requests before: it counts less for whole
// requests as well.
func (t *turn) withdrawCut(ctx context.Context, a asked) {
	cut := a.to.Uncut()
	save, cancel := detached(ctx)
	defer cancel()
	if err := t.deps.Store.ClearCuts(save, a.record.Session, cut); err != nil {
		t.deps.Log.Warn("take back that the server read only a part", "err", err)
	}
	t.emit(Withdrawn{Requests: cut})
	t.emit(Notice{"the server counts this request in the same proportion, so it read the previous one whole and its tokenizer counts less; the limit is lifted"})
}

// limitAge is how long a limit holds in a session that is opened again: the server may have been started
// with another window since.
const limitAge = 24 * time.Hour

// readCounts reads what the server counted of the conversation's last requests to a model, so that
// its next count is judged by them. Counts of whole requests tell what to expect; a limit that the last one
// was under still holds.
func (s *Session) readCounts(ctx context.Context, to *target.Model) error {
	if to.Resumed() || s.Info().ID == "" {
		return nil
	}
	records, err := s.Records().LastCounted(ctx, to.Ref(), calibration.Kept)
	if err != nil {
		return err
	}
	for i := range records {
		v, err := s.deps.Store.Verdicts(ctx, records[i].ID)
		if err != nil {
			s.deps.Log.Warn("read the server's earlier counts", "request", records[i].ID, "err", err)
			continue
		}
		records[i].Plan = &v
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	to.Resume(func(c *calibration.Calibration) (unread int64) {
		for i, r := range records {
			if r.Plan == nil {
				continue
			}
			report := calibration.Report{Parts: calibration.PartsOf(r.Plan.Sum, r.Plan.Entries, s.message), Reported: r.Prompt}
			if r.CutExpected == 0 {
				c.Keep(report)
			}
			if i < len(records)-1 || s.deps.Now().Sub(r.Created) > limitAge {
				continue
			}
			if d, err := record.ReadDecision(r); err == nil {
				c.Resume(d.Unread)
			}
			if r.CutExpected > 0 {
				c.ResumeCut(report)
				unread = r.ID
			}
		}
		return unread
	})
	return nil
}
