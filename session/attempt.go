package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
)

// errand is something that the model is asked for in a turn: an answer, or a summary of what came before.
type errand struct {
	purpose  store.Purpose
	turn     int   // its number
	user     int64 // the user's message that the request answers, or is about
	plan     func(context.Context) (asked, error)
	announce func(*asked) // shows a request whose record is on disk
	ask      func(context.Context, *asked) (begun bool, err error)
}

// attempt plans a request and sends it, as often as there is reason to send another one, and says each reason:
//
//   - It turned out to be larger than the window: it is planned again, smaller, as long as nothing has arrived.
//   - The model wants its history otherwise: it is planned again so, once for each requirement, because one that is
//     known already is not learned.
//   - It may have failed for its tool calls: it is planned once more with them as text.
//
// The first request may have a reason too.
func (t *turn) attempt(ctx context.Context, e errand, reason string) error {
	defer delete(t.approved, e.purpose)
	var over overflow
	named := false // the server said that it refuses the tool calls
	for {
		a, err := t.prepare(ctx, e)
		if over.keepLeast(err) {
			continue
		}
		if err != nil {
			return over.giveUp(err)
		}
		if reason != "" {
			t.emit(Notice{reason})
		}
		e.announce(&a)
		begun, err := e.ask(ctx, &a)
		var fault *llm.Error
		if errors.As(err, &fault) && fault.Replan {
			reason = t.learnProfile(ctx, a)
			continue
		}
		t.endTextTrial(ctx, a, begun, fault)
		if fault != nil && !begun {
			named = named || fault.Tools == llm.TheTools
			if reason = t.tryToolsAsText(a, fault); reason != "" {
				continue
			}
		}
		if fault == nil || !errors.Is(err, llm.Overflow) {
			over.settle()
			return a.blame(err, named)
		}
		if begun {
			return over.giveUp(err)
		}
		if reason = t.planSmaller(ctx, a, fault, &over); reason == "" {
			return over.giveUp(err)
		}
	}
}

// prepare plans a request that the limits or the user allow, and stores its record: that is on disk before any byte of
// the request leaves. After a question it is planned anew, because what the user changed meanwhile holds for it.
func (t *turn) prepare(ctx context.Context, e errand) (asked, error) {
	for {
		a, err := e.plan(ctx)
		if err != nil {
			return a, err
		}
		estimate, wasAsked := a.estimate(), false
		if !t.wasApproved(e.purpose, estimate) {
			if wasAsked, err = t.allow(ctx, estimate, t.askLimit(e.purpose)); err != nil {
				return a, err
			}
		}
		if !wasAsked {
			return a, t.record(ctx, &a, e)
		}
	}
}

// decide plans a request to a model about the first past messages of the branch, by real counts of all that it holds. A
// message that was planned with by a guess is counted before it is sent, and then the plan is made anew: each time
// there are fewer.
func (s *Session) decide(
	ctx context.Context, plans *planner, past int, to *target.Model, options func(state) history.Options,
	request func(state, *target.Model, history.Plan) llm.Request,
) (asked, error) {
	for {
		st := s.now()
		a, o := asked{to: to}, options(st)
		var guessed []int
		var guesses [][2]int64
		var err error
		failed := plans.read(st, past, func(r *reading) {
			a.plan, err = r.build(to, &o)
			guessed, guesses = r.guessedIn(a.plan), r.guesses()
		})
		if failed != nil {
			return a, failed
		}
		if len(guessed) > 0 {
			if err := s.countAt(ctx, st.branch, guessed); err != nil {
				return a, err
			}
			continue
		}
		leaf := int64(0)
		switch {
		case len(o.Turn) > 0 && o.Turn[0].ID != 0:
			leaf = st.row.Leaf
		case past > 0: // winnow asks by itself
			leaf = st.branch.ID(past - 1)
		}
		a.request = request(st, to, a.plan)
		a.decision = record.DecisionOf(leaf, o, a.plan, a.request, to.Client)
		a.decision.Guessed = guesses
		return a, err
	}
}

// overflow is what was tried for one errand whose requests were too long.
type overflow struct {
	refused  asked      // the newest
	fault    *llm.Error // of that, nil for none
	first    int        // tokens that were expected of the first
	before   int        // the limit without all this
	numbered bool       // it was sent once more with the server's number
	shrunk   int        // how often it was sent with less, where the server named none
	least    bool       // only what must be sent is sent
}

// shrinkTo are the shares of a refused request that are tried one after the other, where the server names
// no number.
var shrinkTo = [...]float64{0.7, 0.35, 0.15}

// smallerBy is the share of what was refused that a retry has at most.
const smallerBy = 0.9

// planSmaller learns from a refusal, so that the next plan is smaller: once with the server's number, three times
// without one. It returns why there is another request, "" where that makes no sense.
func (t *turn) planSmaller(ctx context.Context, a asked, fault *llm.Error, over *overflow) (reason string) {
	to := a.to
	if over.fault == nil {
		over.first, over.before = a.expected(), to.Shrunk()
	}
	over.fault, over.refused = fault, a
	believed := to.Window().Tokens
	if fault.Limit > 0 {
		to.Refused(fault.Limit, fault.Prompt, a.comparable(), fault.AtLeast)
		t.learn(ctx, to)
	}
	// A number that is not below what was believed, without one for the request, teaches nothing.
	numbered := fault.Limit > 0 && (fault.Prompt > 0 || believed == 0 || fault.Limit < believed)
	space := replySpace(fault, a.expected())
	switch {
	case !numbered && (over.shrunk == len(shrinkTo) || over.least), numbered && over.numbered:
		return ""
	case !numbered:
		share := shrinkTo[over.shrunk]
		over.shrunk++
		to.ShrinkReply(share)
		to.ShrinkBelow(min(share*float64(over.first), smallerBy*float64(a.expected())))
		return fmt.Sprintf("the request was too long for the model, and the server does not state its limit; asking "+
			"again with %.0f %% of it", 100*share)
	}
	over.numbered = true
	if space > 0 {
		to.ShortenReply(space)
		return fmt.Sprintf("the request and the %d tokens asked for the reply are more than the model's window "+
			"of %d tokens; asking once more for a reply of at most %d", fault.Output, fault.Limit, space)
	}
	to.ShrinkBelow(smallerBy * float64(to.Expect(a.record.Estimate)))
	return fmt.Sprintf("the request was larger than the model's window of %d tokens; asking once more with less",
		fault.Limit)
}

// keepLeast plans for what must be sent and nothing else, where a limit after a refusal is below that and
// it is less than what was refused.
func (o *overflow) keepLeast(err error) bool {
	over := (*history.OverBudgetError)(nil)
	if o.fault == nil || o.least || !errors.As(err, &over) {
		return false
	}
	sum := o.refused.plan.Sum
	least := sum.System + sum.Tools + sum.Draft + sum.Frame/4
	if float64(least) > smallerBy*float64(sum.Total) {
		return false
	}
	o.least = true
	o.refused.to.Shrink(over.Need)
	return true
}

// settle ends what held for one errand: a window that the server named needs no other limit.
func (o overflow) settle() {
	if o.numbered && o.shrunk == 0 {
		o.refused.to.Shrink(o.before)
	}
}

// giveUp believes again what was believed before the guesses that did not help, and returns the error to show: where
// not even what must be sent fits our guess, the server's own words say more.
func (o overflow) giveUp(err error) error {
	if o.fault == nil {
		return err
	}
	o.refused.to.Shrink(o.before)
	if over := (*history.OverBudgetError)(nil); o.shrunk > 0 && errors.As(err, &over) {
		return o.fault
	}
	return err
}

// noSpaceForReply is the error of an answer that is over before it began because the request left no room
// for it, nil for any other empty answer. Some servers then say that the length ended it and count the
// request at the window; some send nothing at all, which says something only of a long request to a
// server whose window nobody knows.
func (a *asked) noSpaceForReply() error {
	usage, window := a.reply.Usage, a.to.Window()
	fault := &llm.Error{Kind: llm.Overflow, Endpoint: a.record.Endpoint, Model: a.record.Model}
	switch {
	case usage.Answer > 0:
		return nil
	case a.reply.Finished.Reason == "length" && usage.Prompt > 0:
		fault.Limit, fault.Prompt, fault.AtLeast = fullWindow(usage.Prompt, window.Tokens), usage.Prompt, true
		if fault.Limit == 0 {
			return nil
		}
	case a.reply.Finished.Reason == "" && usage.Prompt <= 0 && window.Assumed && a.expected() >= window.Tokens/4:
		fault.Message = "the answer was empty, as some servers send for a request that is too long"
	default:
		return nil
	}
	return fault
}

// The windows that servers run with where nobody chose one: powers of two.
const (
	usualMin = 2048
	usualMax = 131_072
)

// fullWindow is the window that a request of so many tokens fills: the believed one, else a usual
// one below it, and 0 for none. A request that a server shortened may end below its window, because whole messages go.
func fullWindow(reported, believed int) int {
	fills := func(w int) bool { return reported >= w-w/50-8 }
	if believed > 0 && fills(believed) {
		return believed
	}
	for w := usualMin; w <= usualMax && (believed == 0 || w < believed); w *= 2 {
		if reported <= w && fills(w) {
			return w
		}
	}
	return 0
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

// tryToolsAsText prepares to ask once more with tool calls as text, and returns why. It is "" where tool
// calls are not what failed the request, where that was tried before, and where the user wants no repair.
func (t *turn) tryToolsAsText(a asked, fault *llm.Error) (reason string) {
	if fault.Tools == llm.NotTools || t.Policy().Recovery == history.RecoverStrict || !a.to.TryToolsAsText() {
		return ""
	}
	if fault.Tools == llm.TheTools {
		return clause(fault) + "; asking once more with them as text"
	}
	return clause(fault) + "; the tool calls in this conversation may be the reason; asking once more with them as text"
}

// endTextTrial takes how a request went that held tool calls as text. A model that answered gets them so
// from now on; one that refused gets them as they are again.
func (t *turn) endTextTrial(ctx context.Context, a asked, answered bool, fault *llm.Error) {
	if a.decision.Profile.ToolsAsText && a.to.EndToolsAsText(answered, fault != nil && turnedDown(fault.Kind)) {
		t.learn(ctx, a.to)
	}
}

// forgetOld forgets what the model refused long ago, and returns what that changes of the next request, "" for nothing.
// What is refused again is learned again.
func (t *turn) forgetOld(ctx context.Context) (reason string) {
	to := t.Model()
	old := to.Expire()
	ways := old.Ways()
	if len(ways) == 0 {
		return ""
	}
	t.learn(ctx, to)
	return fmt.Sprintf("since %s %s was asked %s, because it refused anything else; now trying without that",
		old.Since.Local().Format("2 January 2006"), to.Name, strings.Join(ways, " and "))
}

// turnedDown says that a server looked at a request and did not take it.
func turnedDown(k llm.ErrorKind) bool {
	return slices.Contains([]llm.ErrorKind{llm.BadRequest, llm.Server, llm.NotFound, llm.BadStream, llm.Auth}, k)
}

// ToolHistoryError ends a turn whose request was refused for the tool calls in the conversation.
type ToolHistoryError struct {
	Err    error // what the server said last
	AsText bool  // they were refused as text too
}

func (e *ToolHistoryError) Error() string {
	too := ""
	if e.AsText {
		too = "; it refused the tool calls in this conversation as they are and as text"
	}
	return fmt.Sprintf("%s%s; /repair shows the damaged ones, and tool_history = \"text\" or \"drop\" under "+
		"[context] changes how they are sent", clause(e.Err), too)
}

// Unwrap gives what the server said last.
func (e *ToolHistoryError) Unwrap() error { return e.Err }

// blame adds to a refusal what the user can do about the tool calls that are the reason. named says that
// the server named them in an earlier request of this errand.
func (a asked) blame(err error, named bool) error {
	var fault *llm.Error
	if !errors.As(err, &fault) || !named && fault.Tools != llm.TheTools || !turnedDown(fault.Kind) {
		return err
	}
	return &ToolHistoryError{Err: err, AsText: a.to.RefusedText()}
}

// learn keeps what was learned of a model.
func (s *Session) learn(ctx context.Context, to *target.Model) {
	save, cancel := detached(ctx)
	defer cancel()
	if err := to.Learn(save); err != nil {
		s.log().Warn("keep what was learned of the endpoint", "error", ErrorCode(err))
	}
}

// learnProfile keeps what a model's chat format requires, and returns what changes with the next request.
func (t *turn) learnProfile(ctx context.Context, a asked) (reason string) {
	t.learn(ctx, a.to)
	return a.request.Model + " " + required(a.to.Client.Profile(a.request.Model), a.decision.Profile)
}

// required says what a model requires that it did not before.
func required(now, was history.Profile) string {
	switch {
	case now.NoReplay && !was.NoReplay:
		return "refuses data of its own answers that was sent back to it; asking once more without it"
	case now.MergeSameRole && !was.MergeSameRole:
		return "requires user and assistant messages to alternate; asking once more with adjacent messages joined"
	case now.NoToolToUser && !was.NoToolToUser:
		return "requires an answer between a tool result and your message; asking once more with a note there"
	case now.ToolIDLength != was.ToolIDLength:
		return "requires other tool call ids; asking once more with short ones"
	case now.NoTools && !was.NoTools:
		return "does not support tools; asking once more without any, and with past tool calls as text"
	case now.ToolsAsText && !was.ToolsAsText:
		return "accepts past tool calls only if tools are offered; asking once more with them as text"
	case now.NoImages && !was.NoImages:
		return "does not accept images; asking once more with a note instead of each"
	}
	return "requires its reasoning to be sent with its tool calls; asking once more with it"
}

// judge compares the server's count of a request with ours, and marks the request's record where the server read only
// a part. A server that counts more cached tokens than the prompt has counts something else.
func (t *turn) judge(a *asked) {
	if a.record.Prompt <= 0 || a.record.Cached > a.record.Prompt || a.comparable() == 0 {
		return
	}
	cut, withdrawn := a.to.Judge(a.record.ID, a.record.Prompt, a.comparable(), a.decision.Limit > 0)
	a.withdrawn = withdrawn
	if cut {
		a.record.CutExpected = a.expected()
	}
	t.before.Counted(a.record)
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
func (t *turn) noteCount(ctx context.Context, a *asked) {
	save, cancel := detached(ctx)
	defer cancel()
	if a.to.LearnName() {
		t.emit(Notice{fmt.Sprintf("%s does not list a model %s and answered for it all the same: "+
			"another model may have answered; winnow models lists the names", a.to.Client.Endpoint().Name, a.to.Name)})
	}
	switch window := a.to.Window(); {
	case a.record.CutExpected > 0:
		t.emit(Notice{a.cutNotice(a.to.AskWindow(ctx))})
	case a.withdrawn != 0:
		if err := t.deps.withdrawCut(save, a.record.Session, a.withdrawn); err != nil {
			t.deps.Log.Warn("take back that the server read only a part", "err", err)
		}
		t.emit(Withdrawn{Requests: []int64{a.withdrawn}})
		t.emit(Notice{"the server counts this request as short as the last: it read both whole; the limit is lifted"})
	case !window.Assumed && window.Tokens > 0 && a.record.Prompt > window.Tokens:
		t.emit(Notice{fmt.Sprintf("the server counted %d tokens, more than its window of %d (%s): "+
			"it may have dropped part of this request", a.record.Prompt, window.Tokens, window.Origin())})
	}
	t.learn(ctx, a.to)
}

// cutNotice says that the server read only a part of a request, and how to cure it. stated says that the server has
// stated another window since.
func (a *asked) cutNotice(stated bool) string {
	text := fmt.Sprintf("the server read %d of about %d tokens: it dropped part of this request without saying so. ",
		a.record.Prompt, a.record.CutExpected)
	window := a.to.Window().Tokens
	below := fmt.Sprintf("Requests of this session now stay below %d tokens; ", a.to.Limit())
	if set, wrong := a.to.TrueWindow(); stated {
		text += fmt.Sprintf("It now states a window of %d tokens, and requests will fit it", window)
	} else if wrong {
		text += below + fmt.Sprintf("the window of %d that was set is too large (/window %d)", window, set)
	} else {
		text += below + "/window TOKENS overrides this"
	}
	if e := a.to.Client.Endpoint(); e.Own() && e.Name != llm.Guide {
		text += ". For Ollama, set OLLAMA_CONTEXT_LENGTH in its environment to enlarge the window"
	}
	return text
}

// comparable is our count of the request, 0 where it is not worth comparing with the server's: of a small request,
// and of one with images or encrypted reasoning, of which only the server knows what they cost.
func (a *asked) comparable() int {
	uncountable := func(m history.Message) bool {
		return history.CarriesEncrypted(m.Replay) ||
			slices.ContainsFunc(m.Parts, func(p history.Part) bool { return p.Kind == history.ImagePart }) ||
			slices.ContainsFunc(m.ToolCalls, func(c history.ToolCall) bool {
				return history.CarriesEncrypted(c.Replay)
			})
	}
	if a.record.Estimate < target.LeastCounted || slices.ContainsFunc(a.plan.Messages, uncountable) {
		return 0
	}
	return a.record.Estimate
}

// expected is what the server was expected to count for the request.
func (a *asked) expected() int { return a.plan.Sum.Tokens(a.plan.Sum.Total) }

func (a *asked) estimate() limits.Estimate { return estimateOf(a.to, a.request.MaxTokens, a.plan.Sum) }
