package store

import (
	"bytes"
	"encoding/json"

	"winnow/history"
	"winnow/session/store/verdicts"
)

// idMap says which ids the rows of a history have in another one.
type idMap interface {
	message(id int64) int64
	request(id int64) int64
	summary(id int64) int64
	messages(runs history.IDs) history.IDs // runs that hold those messages; they may span ids of other sessions
	entries(runs []idRun) []idRun          // of messages, as the differences from the one before
}

// Shift is how far the ids of a session are moved: those of its messages, requests and summaries.
// Nothing but these numbers changes, and 0, which is none, stays.
type Shift struct{ Messages, Requests, Summaries int64 }

func moved(id, by int64) int64 {
	if id == 0 {
		return 0
	}
	return id + by
}

func (s Shift) message(id int64) int64 { return moved(id, s.Messages) }
func (s Shift) request(id int64) int64 { return moved(id, s.Requests) }
func (s Shift) summary(id int64) int64 { return moved(id, s.Summaries) }

func (s Shift) messages(ids history.IDs) history.IDs {
	out := make(history.IDs, len(ids))
	for i, run := range ids {
		out[i] = [2]int64{s.message(run[0]), s.message(run[1])}
	}
	return out
}

// entries moves the first of the differences, and leaves as few runs as there can be.
func (s Shift) entries(runs []idRun) []idRun {
	if len(runs) == 0 || runs[0].N < 1 {
		return runs
	}
	out := []idRun{{s.message(runs[0].V), 1}}
	if rest := runs[0].N - 1; rest > 0 {
		out = append(out, idRun{runs[0].V, rest})
	}
	out = append(out, runs[1:]...)
	if len(out) > 1 && out[1].V == out[0].V {
		out[1].N++
		out = out[1:]
	}
	return out
}

// Line returns a line with its ids moved; the line itself stays. A request's record names messages in
// what decided it and in its verdicts, and both are moved as well.
func (s Shift) Line(l Line) (Line, error) {
	if s == (Shift{}) {
		return l, nil
	}
	return remap(l, s)
}

// remap returns a line with the ids that its rows have elsewhere; the line itself stays.
func remap(l Line, to idMap) (Line, error) {
	out, row := l.copied()
	if !row.IsValid() {
		return l, nil
	}
	by := map[string]func(int64) int64{messageKind: to.message, requestKind: to.request, summaryKind: to.summary}
	for i := range row.NumField() {
		if kind := row.Type().Field(i).Tag.Get("ref"); kind != "" {
			row.Field(i).SetInt(by[kind](row.Field(i).Int()))
		}
	}
	var err error
	switch {
	case out.Request != nil:
		out.Request.Options = remapOptions(out.Request.Options, to)
		if text, ok := remapPlan(out.Request.Plan, to); ok {
			out.Request.Plan, err = verdicts.Zip(text)
		}
	case out.Summary != nil:
		out.Summary.Sources = MessageRuns(to.messages(history.IDs(out.Summary.Sources)))
	}
	return out, err
}

// remapOptions changes the ids in the JSON of what decided a request. What is no such JSON is left as it is.
func remapOptions(options Text, to idMap) Text {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(options), &all) != nil || all == nil {
		return options
	}
	change(all, "leaf", to.message)
	change(all, "turn", func(ids []int64) []int64 {
		for i := range ids {
			ids[i] = to.message(ids[i])
		}
		return ids
	})
	for _, decided := range []string{"flags", "remedies"} {
		change(all, decided, func(by map[int64]json.RawMessage) map[int64]json.RawMessage {
			out := make(map[int64]json.RawMessage, len(by))
			for id, v := range by {
				out[to.message(id)] = v
			}
			return out
		})
	}
	change(all, "summary", func(of map[string]json.RawMessage) map[string]json.RawMessage {
		change(of, "ID", to.summary)
		change(of, "Messages", to.messages)
		return of
	})
	change(all, "scope", func(of map[string]json.RawMessage) map[string]json.RawMessage {
		change(of, "Messages", to.messages)
		return of
	})
	change(all, "guessed", to.messages)
	out, err := marshal(all)
	if err != nil {
		return options
	}
	return Text(out)
}

// change puts another value in the place of a key's, where the key is there and of that type.
func change[T any](of map[string]json.RawMessage, key string, by func(T) T) {
	var v T
	if text, there := of[key]; !there || json.Unmarshal(text, &v) != nil {
		return
	}
	if out, err := marshal(by(v)); err == nil {
		of[key] = out
	}
}

// remapPlan is the JSON of a record's verdicts with the ids that its messages have elsewhere, and false for what is no
// such record.
func remapPlan(packed []byte, to idMap) ([]byte, bool) {
	text, err := verdicts.Unzip(packed)
	var all map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &all) != nil || all == nil {
		return nil, false
	}
	change(all, "id", to.entries)
	out, err := marshal(all)
	return out, err == nil
}

// idRun is N times the same difference.
type idRun struct {
	V int64 `json:"v"`
	N int64 `json:"n"`
}

// marshal is json.Marshal without escaping for HTML: a tool's schema keeps its bytes.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
