package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
	"winnow/session/target"
)

// ask plans a request and sends it, as often as there is reason to send another one, and says each reason.
func (t *turn) ask(ctx context.Context, e errand) (*attempt, error) {
	var over overflow
	defer func() {
		delete(t.approved, e.purpose)
		t.limit = 0
		if over.refused != nil {
			over.refused.to.FreeReply()
		}
	}()
	reason, named := "", false
	for {
		a, err := t.prepare(ctx, e, over)
		if err != nil {
			return nil, err
		}
		if reason = cmp.Or(reason, e.reason(a)); reason != "" {
			t.say("%s", reason)
		}
		if e.purpose == store.ForAnswer {
			t.announce(a)
		}
		err = t.send(ctx, a)
		var fault *llm.Error
		errors.As(err, &fault)
		if reason = t.reasonToAskAgain(ctx, a, fault, &over); reason != "" {
			named = named || fault.Tools == llm.TheTools
			continue
		}
		if err == nil && over.shrunk > 0 {
			a.to.Shrink(t.limit)
		}
		if turnedDown(fault) && (named || fault.Tools == llm.TheTools) {
			err = fmt.Errorf("%w (the server refused the tool calls in this conversation: /repair shows the damaged "+
				"ones, and tool_history = \"text\" or \"drop\" under [context] changes how they are sent)", err)
		}
		return a, err
	}
}

// reasonToAskAgain is what is done otherwise in another request after one that failed, "" where there is none:
//
//   - The model wants its history otherwise: it is planned again so, once for each requirement, because one that is
//     known already is not learned.
//   - It may have failed for its tool calls: it is planned once more with them as text.
//   - It turned out to be larger than the window: it is planned again, smaller.
//
// Behind an answer that has begun, nothing is asked again.
func (t *turn) reasonToAskAgain(ctx context.Context, a *attempt, fault *llm.Error, over *overflow) (reason string) {
	if fault != nil && fault.Replan {
		return t.learnRequired(ctx, a)
	}
	begun := a.saver != nil
	if a.decision.Profile.ToolsAsText && a.to.EndToolsAsText(begun || fault == nil, turnedDown(fault)) {
		t.learn(ctx, a.to)
	}
	if fault != nil && !begun {
		reason = t.tryToolsAsText(a, fault)
	}
	if fault == nil || reason != "" || fault.Kind != llm.Overflow {
		return reason
	}
	if reason = t.planSmaller(ctx, a, fault, over); begun {
		return ""
	}
	return reason
}

// overflow is what was tried for one errand whose requests were too long.
type overflow struct {
	refused  *attempt   // the newest, nil for none
	fault    *llm.Error // why
	first    int        // tokens that were expected of the first
	numbered bool       // it was sent once more with the server's number
	shrunk   int        // how often it was sent with less, where the server named none
}

// shrinkTo are the shares of a refused request that are tried one after the other, where the server names
// no number.
var shrinkTo = [...]float64{0.7, 0.35, 0.15}

// smallerBy is the share of what was refused that a retry has at most.
const smallerBy = 0.9

// planSmaller learns from a refusal, and limits the errand's next plan: once with the server's number, three times
// without one. It returns why there is another request, "" where that makes no sense.
func (t *turn) planSmaller(ctx context.Context, a *attempt, fault *llm.Error, over *overflow) (reason string) {
	to := a.to
	if over.refused == nil {
		over.first = a.expected()
	}
	over.fault, over.refused = fault, a
	believed := to.Window().Tokens
	if fault.Limit > 0 {
		to.Refused(fault.Limit, fault.Prompt, a.comparable(), fault.AtLeast)
		t.learn(ctx, to)
	}
	// A number that is not below what was believed, without one for the request, teaches nothing.
	if fault.Limit == 0 || fault.Prompt == 0 && believed > 0 && fault.Limit >= believed {
		if over.shrunk == len(shrinkTo) {
			return ""
		}
		share := shrinkTo[over.shrunk]
		over.shrunk++
		to.ShrinkReply(share)
		t.limit = max(1, int(min(share*float64(over.first), smallerBy*float64(a.expected()))))
		return fmt.Sprintf("the request was too long for the model, and the server does not state its limit; asking "+
			"again with %.0f %% of it", 100*share)
	}
	if over.numbered {
		return ""
	}
	over.numbered = true
	if space := replySpace(fault, a.expected()); space > 0 {
		to.ShortenReply(space)
		return fmt.Sprintf("the request and its reply are more than the model's window of %d tokens; asking once more "+
			"for a reply of at most %d", fault.Limit, space)
	}
	t.limit = max(1, int(smallerBy*float64(to.Expect(a.record.Estimate))))
	return fmt.Sprintf("the request was larger than the model's window of %d tokens; asking once more with less",
		fault.Limit)
}

// smaller says whether it makes sense to send a request behind one that was refused without a number: what must be sent
// may be as much.
func (o overflow) smaller(a *attempt) bool {
	return o.shrunk == 0 || float64(a.plan.Sum.Total) <= smallerBy*float64(o.refused.plan.Sum.Total)
}

const (
	replyLeast = 256 // tokens; a shorter reply is not worth asking for
	replySlack = 25  // one part in so many of a request stays free beside a shortened reply
)

// replySpace is how long a reply the server would take behind the request, where it is the reply that
// is too much, and 0 where the request is.
func replySpace(fault *llm.Error, expected int) int {
	prompt := fault.Prompt
	if fault.AtLeast {
		prompt = max(prompt, expected)
	}
	space := fault.Limit - prompt - prompt/replySlack
	if prompt == 0 || fault.Output < fault.Limit-prompt || space < replyLeast {
		return 0
	}
	return space
}

// noSpaceForReply is the error of an answer that is over before it began because the request left no room
// for it, nil for any other empty answer. Some servers then say that the length ended it and count the
// request at the window; some send nothing at all, which says something only of a long request to a
// server whose window nobody knows.
func (a *attempt) noSpaceForReply() error {
	usage, window := a.reply.Usage, a.to.Window()
	fault := &llm.Error{Kind: llm.Overflow, Endpoint: a.record.Endpoint, Model: a.record.Model}
	switch {
	case usage.Answer > 0:
		return nil
	case a.reply.Finished.Reason == "length" && usage.Prompt > 0:
		// A request that a server shortened may end a little below its window, because whole messages go.
		if fault.Limit = usage.Prompt; !window.Assumed {
			fault.Limit = window.Tokens
		}
		if fault.Prompt, fault.AtLeast = usage.Prompt, true; usage.Prompt < fault.Limit-fault.Limit/50 {
			return nil
		}
	case a.reply.Finished.Reason == "" && usage.Prompt <= 0 && window.Assumed && a.expected() >= window.Tokens/4:
		fault.Message = "the answer was empty, as some servers send for a request that is too long"
	default:
		return nil
	}
	return fault
}

// tryToolsAsText prepares to ask once more with tool calls as text, and returns why. It is "" where tool
// calls are not what failed the request, where that was tried before, and where the user wants no repair.
func (t *turn) tryToolsAsText(a *attempt, fault *llm.Error) (reason string) {
	if fault.Tools == llm.NotTools || t.Now().Policy.Recovery == history.RecoverStrict || !a.to.TryToolsAsText() {
		return ""
	}
	reason = clause(fault)
	if fault.Tools != llm.TheTools {
		reason += "; the tool calls in this conversation may be the reason"
	}
	return reason + "; asking once more with them as text"
}

// turnedDown says that a server looked at a request and did not take it.
func turnedDown(fault *llm.Error) bool {
	return fault != nil && slices.Contains([]llm.ErrorKind{
		llm.BadRequest, llm.Server, llm.NotFound, llm.BadStream, llm.Auth,
	}, fault.Kind)
}

// learn keeps what was learned of a model.
func (s *Session) learn(ctx context.Context, to *target.Model) {
	save, cancel := detached(ctx)
	defer cancel()
	if err := to.Learn(save); err != nil {
		s.log().Warn("keep what was learned of the endpoint", "error", ErrorCode(err))
	}
}

// learnRequired keeps how a refusal says that a model has to be asked, and returns what changes with the next request.
func (t *turn) learnRequired(ctx context.Context, a *attempt) (reason string) {
	t.learn(ctx, a.to)
	before, name := a.decision.Learned.Ways(), a.request.Model
	now := a.to.Client.Known(name).Ways()
	now = slices.DeleteFunc(now, func(way string) bool { return slices.Contains(before, way) })
	return fmt.Sprintf("%s has to be asked %s; asking once more", name, strings.Join(now, " and "))
}

// judge compares the server's count of a request with ours, and marks the request's record where the server read only
// a part. A server that counts more cached tokens than the prompt has counts something else.
func (t *turn) judge(a *attempt) {
	if a.record.Prompt <= 0 || a.record.Cached > a.record.Prompt || a.comparable() == 0 {
		return
	}
	cut, withdrawn := a.to.Judge(a.record.ID, a.record.Prompt, a.comparable(), a.decision.Limit > 0)
	a.withdrawn = withdrawn
	if cut {
		a.record.CutExpected = a.expected()
	}
	t.past.Counted(a.record)
}

// withdrawCut takes back that the server read only a part of a request.
func (d Deps) withdrawCut(ctx context.Context, session string, request int64) error {
	list, err := d.Store.Requests(ctx, session, store.RequestFilter{ID: request})
	for _, r := range list {
		r.CutExpected = 0
		err = d.Store.UpdateRequest(ctx, r)
	}
	return err
}

// noteCount keeps what the server's count of a request taught, and says what the user must know.
func (t *turn) noteCount(ctx context.Context, a *attempt) {
	if a.to.LearnName() {
		t.say("%s does not list a model %s and answered for it all the same: another model may have answered; winnow "+
			"models lists the names", a.to.Client.Endpoint().Name, a.to.Name)
	}
	switch window := a.to.Window(); {
	case a.record.CutExpected > 0:
		t.say("%s", a.cutNotice(a.to.AskWindow(ctx)))
	case a.withdrawn != 0:
		save, cancel := detached(ctx)
		defer cancel()
		if err := t.deps.withdrawCut(save, a.record.Session, a.withdrawn); err != nil {
			t.deps.Log.Warn("take back that the server read only a part", "err", err)
		}
		t.emit(Withdrawn{Requests: []int64{a.withdrawn}})
		t.say("the server counts this request as short as the last: it read both whole; the limit is lifted")
	case !window.Assumed && window.Tokens > 0 && a.record.Prompt > window.Tokens:
		t.say("the server counted %d tokens, more than its window of %d (%s): it may have dropped part of this request",
			a.record.Prompt, window.Tokens, window.Origin())
	}
	t.learn(ctx, a.to)
}

// cutNotice says that the server read only a part of a request, and how to cure it. stated says that the server has
// stated another window since.
func (a *attempt) cutNotice(stated bool) string {
	text := fmt.Sprintf("the server read %d of about %d tokens: it dropped part of this request without saying so. ",
		a.record.Prompt, a.record.CutExpected)
	if stated {
		text += fmt.Sprintf("It now states a window of %d tokens, and requests will fit it", a.to.Window().Tokens)
	} else {
		text += fmt.Sprintf("Requests of this session now stay below %d tokens; /window TOKENS overrides this",
			a.to.Limit())
	}
	if e := a.to.Client.Endpoint(); e.Own() && e.Name != llm.Guide {
		text += ". For Ollama, set OLLAMA_CONTEXT_LENGTH in its environment to enlarge the window"
	}
	return text
}

// comparable is our count of the request, 0 where it is not worth comparing with the server's: of a small request,
// and of one with images or encrypted reasoning, of which only the server knows what they cost.
func (a *attempt) comparable() int {
	image := func(p history.Part) bool { return p.Kind == history.ImagePart }
	encrypted := func(c history.ToolCall) bool { return history.CarriesEncrypted(c.Replay) }
	uncountable := func(m history.Message) bool {
		return history.CarriesEncrypted(m.Replay) || slices.ContainsFunc(m.Parts, image) ||
			slices.ContainsFunc(m.ToolCalls, encrypted)
	}
	if a.record.Estimate < target.LeastCounted || slices.ContainsFunc(a.plan.Messages, uncountable) {
		return 0
	}
	return a.record.Estimate
}
