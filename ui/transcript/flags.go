package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// FlaggedMsg is an action that was stored, with the plans before and after it.
type FlaggedMsg struct {
	Session  *session.Session
	Action   Action
	Rest     []int64 // messages that are sent or left out together with those meant: the rest of their tool groups
	Was, Now history.Plan
	Planned  bool  // there are plans: none are made while an answer arrives
	Short    error // why the plan after it cannot be sent
	Err      error

	Changes int // of the draft that was planned with
}

func (FlaggedMsg) transcript() {}

// Flag gives the selected messages a flag, else the one under the cursor; "" gives them back to the rules.
func (c *Model) Flag(f history.Flag) tea.Cmd {
	if ids := c.Picked(); len(ids) > 0 {
		return c.FlagThese(f, ids...)
	}
	if message, ok := c.Selected(); ok {
		return c.FlagThese(f, message.ID)
	}
	return c.SayError("Select a message first: " + c.Keys.First(keymap.Focus) + " goes to the transcript.")
}

// FlagThese gives messages a flag.
func (c *Model) FlagThese(f history.Flag, ids ...int64) tea.Cmd {
	return c.do(Action{Flag: f, IDs: ids})
}

// Undo undoes the last action.
func (c *Model) Undo() tea.Cmd {
	if c.undo.empty() {
		return c.Say("There is nothing to undo: no message was pinned or excluded since the chat was opened.")
	}
	return c.do(Action{Undo: true})
}

// Flagging says that an action is being stored.
func (c *Model) Flagging() bool { return c.undo.busy }

// do stores an action, after those that were asked for before it.
func (c *Model) do(a Action) tea.Cmd {
	a, now := c.undo.begin(a)
	switch {
	case !now && c.undo.busy:
		return nil
	case !now:
		return c.Say("There is nothing left to undo.")
	}
	done := FlaggedMsg{Session: c.Session, Action: a, Planned: !c.Busy, Changes: c.Changes}
	plan := c.Draft()
	return c.Run(func(ctx context.Context) tea.Msg {
		s := done.Session
		if done.Planned {
			done.Was, _ = plan() // Why it could not be sent was said before.
		}
		done.Rest = restOfGroups(s, a.IDs)
		if a.Undo {
			_, done.Err = s.SetFlags(ctx, a.Before)
		} else {
			flags := map[int64]history.Flag{}
			for _, id := range a.IDs {
				flags[id] = a.Flag
			}
			done.Action.Before, done.Err = s.SetFlags(ctx, flags)
		}
		if done.Planned {
			done.Now, done.Short = plan()
		}
		return done
	})
}

// restOfGroups are the other messages of the tool groups that some messages belong to: a group is sent or left out
// as a whole.
func restOfGroups(s *session.Session, ids []int64) []int64 {
	known := setOf(ids)
	var list []int64
	for _, id := range ids {
		for _, other := range s.Group(id) {
			if !known[other] {
				known[other] = true
				list = append(list, other)
			}
		}
	}
	return list
}

func setOf(ids []int64) map[int64]bool {
	set := make(map[int64]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// flagged says what an action did, and does the next one.
func (c *Model) flagged(msg FlaggedMsg) tea.Cmd {
	if msg.Session != c.Session {
		return nil
	}
	c.undo.end(msg.Action, msg.Err != nil)
	c.Emit(Flagged{Plan: msg.Now, Err: msg.Short, Stale: !msg.Planned || c.Busy || msg.Changes != c.Changes})
	if msg.Err != nil {
		return c.SayError(theme.Sentence(msg.Err))
	}
	if !msg.Action.Undo {
		c.Unselect()
	}
	c.Say(c.flagSentence(msg))
	if next, ok := c.undo.next(); ok {
		return c.do(next)
	}
	return nil
}

// flagSentence is what an action did, in one line: to which messages, at which price, what goes with
// them, and what became of others.
func (c *Model) flagSentence(msg FlaggedMsg) string {
	a := msg.Action
	did := c.didWhat(a)
	if len(a.Before) == 0 {
		return did + "."
	}
	parts := []string{did}
	if price := msg.price(); price != "" {
		parts[0] += ": " + price
	}
	if rest := c.restText(a.IDs, msg.Rest); rest != "" {
		parts = append(parts, rest)
	}
	if others := msg.others(); others != "" {
		parts = append(parts, others)
	}
	text := strings.Join(parts, "; ") + "."
	switch {
	case !msg.Planned:
		text += " It applies to the next request; the current one is already sent."
	case c.Past:
		text += " It applies to the next request, not to the one shown."
	}
	if over := (*history.OverBudgetError)(nil); errors.As(msg.Short, &over) {
		sum := msg.Now.Sum
		text += " What must be sent"
		if sum.Pinned > 0 {
			text += ", " + theme.Thousands(sum.Tokens(sum.Pinned)) + " pinned tokens among it,"
		}
		text += " is " + theme.Plural(max(1, over.Need-over.Have), "token") + " more than fits."
	}
	return text
}

// didWhat names an action and its messages; one that changed nothing says why.
func (c *Model) didWhat(a Action) string {
	which, be := c.NumbersOf(a.IDs...), " are "
	if len(a.IDs) == 1 {
		be = " is "
	}
	free := "; " + c.Keys.First(keymap.Auto) + " returns to automatic"
	var done, already string
	switch a.Flag {
	case history.Pin:
		done, already = "pinned "+which, which+be+"pinned already"+free
	case history.Exclude:
		done, already = "excluded "+which, which+be+"excluded already"+free
	default:
		done, already = which+be+"automatic again", which+be+"automatic already"
	}
	switch {
	case a.Undo:
		return "Undone: " + done
	case len(a.Before) == 0:
		return theme.UpperFirst(already)
	}
	return theme.UpperFirst(done)
}

// price is what an action changed in the tokens of the messages that it was about, as the server counts
// them; for one message also why that is nothing.
func (msg FlaggedMsg) price() string {
	if !msg.Planned {
		return ""
	}
	was, now := entriesOf(msg.Was), entriesOf(msg.Now)
	n := 0
	for _, id := range slices.Concat(msg.Action.IDs, msg.Rest) {
		n += now[id].TokensAfter - was[id].TokensAfter
	}
	e, known := now[msg.Action.IDs[0]]
	alone := len(msg.Action.IDs) == 1 && known
	switch flag := msg.Action.flagNow(); {
	case alone && flag == history.Pin && !e.Sent():
		return "it is still not sent, " + e.Cause.Sentence()
	case n != 0:
		return theme.Signed(msg.Now.Sum.Tokens(n)) + " tokens"
	case alone && flag == history.Pin:
		return "it was sent whole anyway, so nothing is added"
	case alone && flag == history.Exclude:
		return "it was not sent anyway, so nothing is saved"
	}
	return "the token count does not change"
}

// entriesOf are a plan's entries by message.
func entriesOf(p history.Plan) map[int64]history.Entry {
	byID := make(map[int64]history.Entry, len(p.Entries))
	for _, e := range p.Entries {
		byID[e.ID] = e
	}
	return byID
}

// restText says what goes with the messages of an action: "its call and 2 results go with it".
func (c *Model) restText(ids, rest []int64) string {
	if len(rest) == 0 {
		return ""
	}
	follow, with, its := "go", "them", "their "
	if len(rest) == 1 {
		follow = "goes"
	}
	if len(ids) == 1 {
		with, its = "it", "its "
	}
	calls := 0
	for _, id := range rest {
		if i, ok := c.Index(id); ok && c.Messages.Row(i).Calls > 0 {
			calls++
		}
	}
	results := len(rest) - calls
	var what []string
	switch {
	case calls > 1:
		what = append(what, theme.Thousands(calls)+" calls")
	case calls == 1:
		what = append(what, "call")
	case results == 1:
		return its + "result " + follow + " with " + with
	}
	if results > 0 {
		what = append(what, theme.Plural(results, "result"))
	}
	return its + strings.Join(what, " and ") + " " + follow + " with " + with
}

// others says what became of messages that the action was not about.
func (msg FlaggedMsg) others() string {
	if over := (*history.OverBudgetError)(nil); !msg.Planned || errors.As(msg.Short, &over) {
		return ""
	}
	meant := setOf(slices.Concat(msg.Action.IDs, msg.Rest))
	words := map[history.ChangeKind]string{
		history.ChangeLeft: "dropped", history.ChangeShortened: "cut", history.ChangeEntered: "added",
		history.ChangeRecalled: "added", history.ChangeRestored: "sent longer",
	}
	became := map[string][]history.Entry{}
	for _, change := range history.Compare(msg.Was.Entries, msg.Now.Entries) {
		if e := change.Entry(); !meant[e.ID] {
			word := cmp.Or(words[change.Kind], "changed")
			became[word] = append(became[word], e)
		}
	}
	var list []string
	for _, word := range []string{"dropped", "cut", "added", "sent longer", "changed"} {
		if entries := became[word]; len(entries) > 0 {
			list = append(list, theme.Plural(len(entries), "message")+" "+word+" ("+theme.Named(entries)+")")
		}
	}
	text := strings.Join(list, ", ")
	if len(became["dropped"])+len(became["cut"]) > 0 && len(became["added"])+len(became["sent longer"]) == 0 {
		text += " to make room"
	}
	return text
}

// NumbersOf names messages: a single one by its number, others by how many they are.
func (c *Model) NumbersOf(ids ...int64) string {
	if len(ids) == 1 {
		return "message " + c.NumberOf(ids[0])
	}
	return theme.Thousands(len(ids)) + " messages"
}

// NumberOf is a message's number in the conversation, as the panel has it.
func (c *Model) NumberOf(id int64) string {
	if i := slices.IndexFunc(c.Next.Entries, func(e history.Entry) bool { return e.ID == id }); i >= 0 {
		return theme.Thousands(c.Next.Entries[i].Index + 1)
	}
	return theme.Thousands(c.indexOf(id) + 1)
}

// Named are the messages that numbers name, such as 3 5-8, or a sentence that says what is wrong with them.
func (c *Model) Named(numbers string) (ids []int64, fault string) {
	if !c.whole {
		return nil, "The chat is still being read."
	}
	for _, word := range strings.FieldsFunc(numbers, func(r rune) bool { return r == ' ' || r == ',' }) {
		first, last, ranged := strings.Cut(word, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil {
			return nil, fmt.Sprintf("Name messages by their numbers in the panel, such as 3 5-8; %s is not a number.",
				word)
		}
		if from < 1 || to < from || to > c.Messages.Len() {
			return nil, fmt.Sprintf("There is no message %s: the chat has %s.", word,
				theme.Plural(c.Messages.Len(), "message"))
		}
		for i := from - 1; i < to; i++ {
			if id := c.Messages.ID(i); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids, ""
}
