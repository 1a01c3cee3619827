package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// RequestInputs is everything that determines the bytes of a request, with stored messages given by their ids. It is
// recorded as JSON, and the same request can be built from it again.
type RequestInputs struct {
	history.Options
	Leaf  int64   `json:"leaf"`            // the newest message of the branch when the request was planned
	Turn  []int64 `json:"turn"`            // ids of the running turn's messages
	Asked string  `json:"asked,omitempty"` // the question that winnow itself asks; "" for a request of a turn

	Request   llm.Request `json:"request"`        // without its messages
	Base      string      `json:"base,omitempty"` // the endpoint's URL without user, password and query
	Wire      llm.Wire    `json:"wire,omitempty"` // the format of the request
	Learned   llm.Learned `json:"learned,omitzero"`
	KeepAlive string      `json:"keep_alive,omitempty"` // how long Ollama is asked to keep the model loaded
}

// InputsOf returns the inputs of a request with the options o and the plan p. The caller completes them with
// FillRecord. leaf is the newest message of the branch.
func InputsOf(leaf int64, o history.Options, p history.Plan) RequestInputs {
	d := RequestInputs{Options: o, Leaf: leaf}
	d.Summaries = nil
	if p.Summary != nil {
		d.Summaries = []history.Summary{*p.Summary}
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

// FillRecord completes the inputs with a request as the client would send it now, and writes them and the hash of its
// body to the record q. It is called again before each attempt, because a refusal may change the request.
func (d *RequestInputs) FillRecord(q *store.Request, client *llm.Client, r llm.Request) error {
	body, err := client.RequestBody(r)
	if err != nil {
		return err
	}
	r.Messages = nil
	d.Base = client.Endpoint().DisplayURL()
	d.Request, d.Learned, d.Wire, d.KeepAlive = r, client.AllLearned(r.Model), client.Wire(r.Model), ""
	if d.Wire == llm.OllamaWire {
		d.KeepAlive = client.Endpoint().KeepAlive
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // A tool's schema keeps its bytes.
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("record what decided the request: %w", err)
	}
	q.Options, q.BodyHash = strings.TrimSpace(buf.String()), hash(body)
	return nil
}

// hash returns the hex SHA-256 of a request's body.
func hash(body []byte) string { return fmt.Sprintf("%x", sha256.Sum256(body)) }

// ParseRequestInputs returns the inputs of a recorded request.
func ParseRequestInputs(r store.Request) (RequestInputs, error) {
	var d RequestInputs
	if err := json.Unmarshal([]byte(r.Options), &d); err != nil {
		return d, fmt.Errorf("read what decided request %d: %w", r.ID, err)
	}
	return d, nil
}

// OwnQuestion returns the message with which winnow itself asks for something, such as a title.
func OwnQuestion(text string) history.Message {
	return history.Message{Role: history.User, Content: text, Status: history.Complete}
}

// body returns the bytes of a plan as the endpoint received them at the time. The endpoint need not be configured any
// more.
func (d RequestInputs) body(r store.Request, p history.Plan) ([]byte, error) {
	then := llm.NewClient(llm.Endpoint{
		Name: r.Endpoint, BaseURL: d.Base, Wire: d.Wire, Profile: d.Profile, Learned: d.Learned, KeepAlive: d.KeepAlive,
	})
	request := d.Request
	request.Messages = p.Messages
	return then.RequestBody(request)
}

// Sampling holds the parameters of a request besides the messages.
type Sampling struct {
	MaxTokens   int      // length limit of the reply in tokens; 0 leaves it to the server
	Temperature *float64 // nil leaves it to the server
	TopP        *float64
	Effort      string // reasoning effort
}

// WithDefaults returns s with the values of other where s has none.
func (s Sampling) WithDefaults(other Sampling) Sampling {
	return Sampling{
		MaxTokens:   cmp.Or(s.MaxTokens, other.MaxTokens),
		Temperature: cmp.Or(s.Temperature, other.Temperature),
		TopP:        cmp.Or(s.TopP, other.TopP),
		Effort:      cmp.Or(s.Effort, other.Effort),
	}
}
