package record

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/tool"
	"winnow/session/branch"
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
	Limit    int                      `json:"limit,omitempty"` // as history.Options has it
	Ratio    float64                  `json:"ratio,omitempty"`
	Profile  history.Profile          `json:"profile"`
	To       history.Origin           `json:"to"`
	Summary  *history.Summary         `json:"summary,omitempty"`
	Scope    *history.Scope           `json:"scope,omitempty"`
	// The user chose to cut the current message where it does not fit.
	Cut bool `json:"cut,omitempty"`
	// What winnow itself asked in place of the user, "" for a turn's request.
	Asked string `json:"asked,omitempty"`

	Sampling Sampling    `json:"sampling"`
	Schemas  []tool.Tool `json:"schemas,omitempty"` // the tools that the model could call
	Base     string      `json:"base,omitempty"`    // the endpoint's address, without user, password and query
	Wire     llm.Wire    `json:"wire,omitempty"`    // the format of the request
	Learned  llm.Learned `json:"learned,omitzero"`  // how the model was known to be asked

	// The window that the server was asked to run the model with, 0 for none.
	AskedWindow int    `json:"asked_window,omitempty"`
	KeepAlive   string `json:"keep_alive,omitempty"`  // how long it was asked to keep the model loaded
	CacheMarks  []int  `json:"cache_marks,omitempty"` // see llm.Client.CacheMarks

	// Messages not counted then, of which none was sent whole, as runs from id to id.
	Guessed [][2]int64 `json:"guessed,omitempty"`
}

// Sampling is what is asked of a model beside the messages.
type Sampling struct {
	MaxTokens   int      // the longest reply in tokens; 0 leaves it to the server
	Temperature *float64 // nil leaves it to the server
	TopP        *float64
	Effort      string // reasoning effort
}

// Over is s, and other where s says nothing.
func (s Sampling) Over(other Sampling) Sampling {
	return Sampling{
		MaxTokens:   cmp.Or(s.MaxTokens, other.MaxTokens),
		Temperature: cmp.Or(s.Temperature, other.Temperature),
		TopP:        cmp.Or(s.TopP, other.TopP),
		Effort:      cmp.Or(s.Effort, other.Effort),
	}
}

// Request is a request with these parameters, which has no model and no messages yet.
func (s Sampling) Request() llm.Request {
	return llm.Request{MaxTokens: s.MaxTokens, Temperature: s.Temperature, TopP: s.TopP, Effort: s.Effort}
}

// DecisionOf is what decides a request that client sends: the plan p by the options o. leaf is the newest message of
// the branch.
func DecisionOf(leaf int64, o history.Options, p history.Plan, r llm.Request, client *llm.Client) Decision {
	d := Decision{
		Policy: o.Policy, System: o.System, Leaf: leaf, Flags: o.Flags, Remedies: o.Remedies,
		Tools: o.Tools, Window: o.Window, Limit: o.Limit, Ratio: o.Ratio, Profile: o.Profile, To: o.To,
		Summary: p.Summary, Scope: o.Scope, Cut: o.CutCurrent,
		AskedWindow: r.Window, CacheMarks: r.CacheMarks, Schemas: r.Tools, Base: address(client.Endpoint().BaseURL),
	}
	d.Ask(client, r)
	for _, m := range o.Turn {
		if m.ID == 0 {
			d.Asked = m.Content
			continue
		}
		d.Turn = append(d.Turn, m.ID)
	}
	return d
}

// Ask takes how a client asks a model as of now, and with which sampling. A refusal may change both between two
// attempts.
func (d *Decision) Ask(client *llm.Client, r llm.Request) {
	d.Sampling = Sampling{MaxTokens: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP, Effort: r.Effort}
	d.Learned, d.Wire, d.KeepAlive = client.Known(r.Model), client.Wire(r.Model), ""
	if d.Wire == llm.OllamaWire {
		d.KeepAlive = client.Endpoint().KeepAlive
	}
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

// Sign writes a decision and the hash of the body that it made into a request's record.
func Sign(r *store.Request, d Decision, body []byte) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // A tool's schema keeps its bytes.
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("record what decided the request: %w", err)
	}
	r.Options, r.BodyHash = bytes.TrimSpace(buf.Bytes()), hash(body)
	return nil
}

// hash is the hex SHA-256 of a request's body.
func hash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// ReadDecision reads what decided a recorded request.
func ReadDecision(r store.Request) (Decision, error) {
	var d Decision
	if err := json.Unmarshal(r.Options, &d); err != nil {
		return d, fmt.Errorf("read what decided request %d: %w", r.ID, err)
	}
	return d, nil
}

// split divides a branch into what came before the turn and the turn's own messages.
func (d Decision) split(ctx context.Context, all branch.Branch) (past branch.Branch, turn []store.Message, err error) {
	if d.Asked != "" {
		return all, []store.Message{{Message: Question(d.Asked)}}, nil
	}
	from := all.Len() - len(d.Turn)
	if from < 0 {
		return past, nil, fmt.Errorf("the branch has %d messages, the turn alone had %d", all.Len(), len(d.Turn))
	}
	for i, id := range d.Turn {
		if found := all.ID(from + i); found != id {
			return past, nil, fmt.Errorf("found message %d instead of message %d of the turn", found, id)
		}
	}
	turn, err = all.Between(ctx, from, all.Len())
	return all.First(from), turn, err
}

// Question is what winnow asks in place of the user.
func Question(text string) history.Message {
	return history.Message{Role: history.User, Content: text, Status: history.Complete}
}

// guessed is a message with the guess that was planned with where it was not counted then.
func (d Decision) guessed(m history.Message, guess history.Counter) history.Message {
	if guess == nil {
		return m
	}
	for _, run := range d.Guessed {
		if m.ID >= run[0] && m.ID <= run[1] {
			m.Tokens = guess(m.Content)
		}
	}
	return m
}

// options is what the decision was made with.
func (d Decision) options(turn []history.Message, count history.Counter) history.Options {
	var summaries []history.Summary
	if d.Summary != nil {
		summaries = []history.Summary{*d.Summary}
	}
	return history.Options{
		Policy: d.Policy, System: d.System, Turn: turn, Flags: d.Flags, Remedies: d.Remedies, Tools: d.Tools,
		Window: d.Window, Limit: d.Limit, Ratio: d.Ratio, Profile: d.Profile, To: d.To, Summaries: summaries,
		Scope: d.Scope, CutCurrent: d.Cut, Count: count,
	}
}

// body is the bytes of a plan as the endpoint of that time was sent them, whether it is still
// configured or not.
func (d Decision) body(r store.Request, p history.Plan) ([]byte, error) {
	then := llm.NewClient(llm.Endpoint{
		Name: r.Endpoint, BaseURL: d.Base, Wire: d.Wire, Profile: d.Profile, Known: d.Learned, KeepAlive: d.KeepAlive,
	})
	request := d.Sampling.Request()
	request.Model, request.Messages, request.Tools, request.Window, request.CacheMarks = r.Model, p.Messages, d.Schemas,
		d.AskedWindow, d.CacheMarks
	return then.Body(request)
}
