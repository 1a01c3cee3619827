package session

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"winnow/history"
	"winnow/llm"
	"winnow/session/store"
)

// Decision is what a request's record keeps of the options: all that decided the plan beside the
// messages themselves, which are named by id.
type Decision struct {
	Policy  history.Policy         `json:"policy"`
	System  string                 `json:"system,omitempty"`
	Leaf    int64                  `json:"leaf"` // the newest message of the branch when the request was planned
	Turn    []int64                `json:"turn"`
	Flags   map[int64]history.Flag `json:"flags,omitempty"`
	Tools   int                    `json:"tools,omitempty"`
	Window  int                    `json:"window,omitempty"`
	Ratio   float64                `json:"ratio,omitempty"`
	Profile history.Profile        `json:"profile"`
}

// Verdicts is what a request's record keeps of the plan: every verdict and sum, no text that was
// said.
type Verdicts struct {
	Sum     history.Sum     `json:"sum"`
	Entries []history.Entry `json:"entries"`
	Added   []history.Added `json:"added,omitempty"`
}

// newRecord is the record of a request that is about to leave. Plans of long conversations repeat
// themselves, so they are kept compressed.
func newRecord(row store.Session, user int64, o history.Options, p history.Plan) (store.Request, error) {
	d := Decision{
		Policy: o.Policy, System: o.System, Leaf: row.Leaf, Flags: o.Flags,
		Tools: o.Tools, Window: o.Window, Ratio: o.Ratio, Profile: o.Profile,
	}
	for _, m := range o.Turn {
		d.Turn = append(d.Turn, m.ID)
	}
	options, err := json.Marshal(d)
	if err != nil {
		return store.Request{}, fmt.Errorf("record the request's options: %w", err)
	}
	plan, err := pack(Verdicts{Sum: p.Sum, Entries: p.Entries, Added: p.Added})
	if err != nil {
		return store.Request{}, fmt.Errorf("record the request's plan: %w", err)
	}
	return store.Request{
		Session: row.ID, Turn: row.Turns, User: user, Endpoint: row.Endpoint, Model: row.Model,
		Options: options, Plan: plan, Rules: p.Rules, Estimate: p.Sum.Total,
		Prompt: -1, Cached: -1, Answer: -1, Reasoning: -1,
	}, nil
}

// hash is the hex SHA-256 of a request's body.
func hash(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func pack(v any) ([]byte, error) {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	if err := json.NewEncoder(z).Encode(v); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// ReadVerdicts reads the plan of a request's record.
func ReadVerdicts(r store.Request) (Verdicts, error) {
	var v Verdicts
	z, err := gzip.NewReader(bytes.NewReader(r.Plan))
	if err != nil {
		return v, fmt.Errorf("read the plan of request %d: %w", r.ID, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return v, fmt.Errorf("read the plan of request %d: %w", r.ID, err)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return v, fmt.Errorf("read the plan of request %d: %w", r.ID, err)
	}
	return v, nil
}

// ReceiptOf is the receipt of a stored request.
func ReceiptOf(r store.Request) Receipt {
	receipt := bare(r)
	if v, err := ReadVerdicts(r); err == nil {
		receipt.addVerdicts(v.Entries)
	}
	return receipt
}

func receipt(r store.Request, p history.Plan) Receipt {
	receipt := bare(r)
	receipt.addVerdicts(p.Entries)
	return receipt
}

func bare(r store.Request) Receipt {
	return Receipt{
		Turn: r.Turn, Estimate: r.Estimate,
		Usage:      llm.Usage{Prompt: r.Prompt, Cached: r.Cached, Answer: r.Answer, Reasoning: r.Reasoning},
		FirstToken: r.FirstToken, Took: r.Took, Retries: r.Retries,
		Stopped: r.End == "stopped", End: r.End, Finish: r.Finish,
	}
}

// addVerdicts counts what became of the conversation's messages, the question included.
func (r *Receipt) addVerdicts(entries []history.Entry) {
	r.Stored = len(entries)
	for _, e := range entries {
		switch e.Disposition {
		case history.Kept:
			r.Sent++
		case history.Cut:
			r.Sent++
			r.Cut++
		case history.Recalled:
			r.Sent++
			r.Recalled++
		case history.Dropped:
			r.Dropped++
		}
		if len(e.Repairs) > 0 {
			r.Repaired++
		}
	}
}
