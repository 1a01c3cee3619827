package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/pricing"
	"winnow/session/store"
)

// Decision is what a request's record keeps of all that decided its bytes beside the messages
// themselves, which are named by id. With them it makes the same request again.
type Decision struct {
	Policy   history.Policy           `json:"policy"`
	System   string                   `json:"system,omitempty"`
	Leaf     int64                    `json:"leaf"` // the newest message of the branch when the request was planned
	Turn     []int64                  `json:"turn"`
	Flags    map[int64]history.Flag   `json:"flags,omitempty"`
	Remedies map[int64]history.Remedy `json:"remedies,omitempty"`
	Tools    int                      `json:"tools,omitempty"` // tokens of Schemas
	Window   int                      `json:"window,omitempty"`
	Limit    int                      `json:"limit,omitempty"`        // as history.Options has it
	Unread   int                      `json:"unread_limit,omitempty"` // the limit after a request read in part that Limit comes from, 0 for none
	Ratio    float64                  `json:"ratio,omitempty"`
	Profile  history.Profile          `json:"profile"`
	To       history.Origin           `json:"to"`
	Summary  *history.Summary         `json:"summary,omitempty"`
	Scope    *history.Scope           `json:"scope,omitempty"`
	Cut      bool                     `json:"cut,omitempty"`   // the user chose to cut the current message where it does not fit
	Asked    string                   `json:"asked,omitempty"` // what winnow itself asked in place of the user, "" for a turn's request

	Sampling Sampling   `json:"sampling"`
	Schemas  []llm.Tool `json:"schemas,omitempty"` // the tools that the model could call
	Base     string     `json:"base,omitempty"`    // the endpoint's address, without user, password and query
	Quirks   []string   `json:"quirks,omitempty"`  // what the server was known to refuse

	Guessed [][2]int64 `json:"guessed,omitempty"` // messages not counted then, of which none was sent whole, as runs from id to id
}

// decisionOf is what decides the request of a plan that client sends.
func decisionOf(leaf int64, o history.Options, p history.Plan, r llm.Request, client *llm.Client) Decision {
	d := Decision{
		Policy: o.Policy, System: o.System, Leaf: leaf, Flags: o.Flags, Remedies: o.Remedies,
		Tools: o.Tools, Window: o.Window, Limit: o.Limit, Ratio: o.Ratio, Profile: o.Profile, To: o.To, Summary: p.Summary, Scope: o.Scope, Cut: o.CutCurrent,
		Sampling: Sampling{MaxTokens: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP, Effort: r.Effort},
		Schemas:  r.Tools, Base: address(client.Endpoint().BaseURL), Quirks: client.Quirks(),
	}
	for _, m := range o.Turn {
		if m.ID == 0 {
			d.Asked = m.Content
			continue
		}
		d.Turn = append(d.Turn, m.ID)
	}
	return d
}

// address is a base URL without what may be secret in it, "" where it is no URL.
func address(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// json writes the decision. A tool's schema keeps its bytes, so nothing is escaped for HTML.
func (d Decision) json() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return nil, fmt.Errorf("record what decided the request: %w", err)
	}
	return bytes.TrimSpace(buf.Bytes()), nil
}

// readDecision reads what decided a recorded request.
func readDecision(r store.Request) (Decision, error) {
	var d Decision
	if err := json.Unmarshal(r.Options, &d); err != nil {
		return d, fmt.Errorf("read what decided request %d: %w", r.ID, err)
	}
	return d, nil
}

// newRecord is the record of a request that is about to leave.
func newRecord(session string, turn int, user int64, purpose store.Purpose, a asked) (store.Request, error) {
	p := a.plan
	options, err := a.decision.json()
	if err != nil {
		return store.Request{}, err
	}
	return store.Request{
		Session: session, Turn: turn, User: user, Purpose: purpose, Endpoint: a.to.Client.Endpoint().Name, Model: a.request.Model,
		Options: options, Plan: &store.Verdicts{Sum: p.Sum, Entries: p.Entries, Added: p.Added}, Rules: p.Rules, Estimate: p.Sum.Total,
		Prompt: -1, Cached: -1, Answer: -1, Reasoning: -1,
	}, nil
}

// hash is the hex SHA-256 of a request's body.
func hash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// receiptOf is the receipt of a request. counts are of the conversation's messages, the question included.
func receiptOf(r store.Request, counts store.Tally) Receipt {
	cost := CostOf(r)
	usage := pricing.Usage{Prompt: r.Prompt, Cached: r.Cached, Answer: r.Answer, Reasoning: r.Reasoning, Cost: -1}
	if cost.From == pricing.Charged {
		usage.Cost = cost.Amount
	}
	return Receipt{
		Turn: r.Turn, Estimate: r.Estimate, Usage: usage, Cost: cost,
		FirstToken: r.FirstToken, Took: r.Took, Retries: r.Retries,
		Stopped: r.End == store.EndStopped, End: r.End, Finish: r.Finish,
		Unread: r.CutExpected, Expected: counts.Sum.Tokens(counts.Sum.Total),
		Stored: counts.Stored, Sent: counts.Sent, Cut: counts.Cut, Dropped: counts.Dropped, Recalled: counts.Recalled, Repaired: counts.Repaired,
	}
}

// tallyOf counts the verdicts of a plan.
func tallyOf(p history.Plan) store.Tally {
	c := CountsOf(p.Entries, nil, nil)
	return store.Tally{Sum: p.Sum, Stored: c.Stored, Sent: c.Sent(), Cut: c.Cut, Dropped: c.Dropped, Recalled: c.Recalled, Repaired: c.Repaired}
}
