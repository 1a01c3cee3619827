package message

import (
	"encoding/json"
	"testing"

	"winnow/history/cause"
)

// A record has the code of what was repaired, and what the user chose instead.
func TestRepairsOfRecordsSayWhatWasDone(t *testing.T) {
	for _, tt := range []struct{ record, want string }{
		{`{"Kind":"C9","Cause":"result_empty"}`, "The tool result was empty; a note is sent instead."},
		{`{"Kind":"C1","Cause":"arguments_repaired have=8"}`, "The arguments of this call were cut off after 8 characters; the complete part is sent."},
		{`{"Kind":"C9","Cause":"result_empty","Remedy":"text"}`, "The tool result was empty; a note is sent instead. You chose to send the call as text."},
		{`{"Kind":"C5","Cause":"result_missing text=read","Remedy":"drop"}`, "No result was recorded for the call read; a placeholder result is sent instead. You chose to leave the call out."},
		{`{"Kind":"C14","Cause":"text_bytes alone","Remedy":"drop"}`, "Bytes that are not valid text are sent as replacement characters. You chose to leave the message out."},
	} {
		var r Repair
		if err := json.Unmarshal([]byte(tt.record), &r); err != nil || r.Sentence() != tt.want {
			t.Errorf("%s says %q, %v; want %q", tt.record, r.Sentence(), err, tt.want)
		}
		written, err := json.Marshal(r)
		var again Repair
		if err != nil || json.Unmarshal(written, &again) != nil || again != r {
			t.Errorf("%+v is written as %s, %v, and read as %+v", r, written, err, again)
		}
	}
}

func TestRepairsAreTheSameWhateverTheirCauseSays(t *testing.T) {
	a := Repair{Kind: "C9", Cause: cause.Cause{Code: cause.ResultEmpty}, After: "(empty result)"}
	b := Repair{Kind: "C9", Cause: cause.Cause{Text: "another sentence"}, After: "(empty result)"}
	if !a.SameEffect(b) || a.SameEffect(Repair{Kind: "C9", Cause: a.Cause}) {
		t.Errorf("%+v and %+v are not compared by what is sent", a, b)
	}
}
