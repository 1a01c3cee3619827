package store

import (
	"bytes"
	"encoding/json"

	"winnow/history"
	"winnow/session/store/verdicts"
)

// Shift is how far the ids of a session are moved: those of its messages, requests and summaries.
// Nothing but these numbers changes, and 0, which is none, stays.
type Shift struct{ Messages, Requests, Summaries int64 }

func moved(id, by int64) int64 {
	if id == 0 {
		return 0
	}
	return id + by
}

// Line returns a line with its ids moved; the line itself stays. A request's record names messages in
// what decided it and in its verdicts, and both are moved as well.
func (s Shift) Line(l Line) (Line, error) {
	if s == (Shift{}) {
		return l, nil
	}
	out, row := l.copied()
	if !row.IsValid() {
		return l, nil // of a later winnow's kind
	}
	by := map[string]int64{"message": s.Messages, "request": s.Requests, "summary": s.Summaries}
	for i := range row.NumField() {
		if kind := row.Type().Field(i).Tag.Get("ref"); kind != "" {
			row.Field(i).SetInt(moved(row.Field(i).Int(), by[kind]))
		}
	}
	var err error
	switch {
	case out.Request != nil:
		out.Request.Options = s.record(out.Request.Options)
		out.Request.Plan, err = s.plan(out.Request.Plan)
	case out.Summary != nil:
		out.Summary.Sources = MessageRuns(s.runs(history.IDs(out.Summary.Sources)))
	}
	return out, err
}

// record moves the ids in the JSON of what decided a request. What is no such JSON is left as it is.
func (s Shift) record(options Text) Text {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(options), &all) != nil || all == nil {
		return options
	}
	messages := func(id int64) int64 { return moved(id, s.Messages) }
	change(all, "leaf", messages)
	change(all, "turn", func(ids []int64) []int64 {
		for i := range ids {
			ids[i] = messages(ids[i])
		}
		return ids
	})
	for _, decided := range []string{"flags", "remedies"} {
		change(all, decided, func(by map[int64]json.RawMessage) map[int64]json.RawMessage {
			out := make(map[int64]json.RawMessage, len(by))
			for id, v := range by {
				out[messages(id)] = v
			}
			return out
		})
	}
	change(all, "summary", func(of map[string]json.RawMessage) map[string]json.RawMessage {
		change(of, "ID", func(id int64) int64 { return moved(id, s.Summaries) })
		change(of, "Upto", messages)
		change(of, "Messages", s.runs)
		return of
	})
	change(all, "scope", func(of map[string]json.RawMessage) map[string]json.RawMessage {
		change(of, "Messages", s.runs)
		return of
	})
	change(all, "guessed", s.runs)
	out, err := marshal(all)
	if err != nil {
		return options
	}
	return Text(out)
}

// runs moves the ids of runs of messages.
func (s Shift) runs(ids history.IDs) history.IDs {
	out := make(history.IDs, len(ids))
	for i, run := range ids {
		out[i] = [2]int64{moved(run[0], s.Messages), moved(run[1], s.Messages)}
	}
	return out
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

// plan moves the ids in a record's verdicts. What is no such record is left as it is.
func (s Shift) plan(packed []byte) ([]byte, error) {
	text, ok := s.verdicts(packed)
	if !ok {
		return packed, nil
	}
	return verdicts.Zip(text)
}

// verdicts is the JSON of a record's verdicts with the ids moved. They stand in one column, as runs of
// differences from the entry before, so that only the first entry's changes.
func (s Shift) verdicts(packed []byte) ([]byte, bool) {
	text, err := verdicts.Unzip(packed)
	var all map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &all) != nil || all == nil {
		return nil, false
	}
	change(all, "id", func(runs []idRun) []idRun { return moveFirst(runs, s.Messages) })
	out, err := marshal(all)
	return out, err == nil
}

// idRun is N times the same difference.
type idRun struct {
	V int64 `json:"v"`
	N int64 `json:"n"`
}

// moveFirst moves the first of the differences, and leaves as few runs as there can be.
func moveFirst(runs []idRun, by int64) []idRun {
	if len(runs) == 0 || runs[0].N < 1 {
		return runs
	}
	out := []idRun{{moved(runs[0].V, by), 1}}
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
