package history

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// forAll is one remedy for every message.
func forAll(past []Message, r Remedy) map[int64]Remedy {
	chosen := map[int64]Remedy{}
	for _, m := range past {
		chosen[m.ID] = r
	}
	return chosen
}

// damagedGroups are the positions of the tool groups that were repaired.
func damagedGroups(t *prepared) map[int]bool {
	groups := map[int]bool{}
	for _, v := range t.candidates {
		if len(t.entries[v.From].Repairs) > 0 && !v.Placeholder {
			groups[v.group] = true
		}
	}
	return groups
}

// Of a damaged group that is left out nothing is sent but what was said beside its calls, and its
// messages say whose choice that is.
func TestNothingIsSentOfAGroupThatIsLeftOut(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		keep := readOptions{endpointForm: endpointForm{tools: ToolsKeep, profile: Profile{NoImages: s.o.Profile.NoImages}}}
		repaired := NewConversation(s.past, s.o.Count).prepare(keep)
		groups := damagedGroups(repaired)
		s.o.Remedies = forAll(s.past, LeaveOut)
		c := NewConversation(s.past, s.o.Count)
		b := c.selectFor(s.o)
		p := b.plan()
		for _, v := range b.candidates {
			if groups[v.group] && (v.Role == Tool || len(v.ToolCalls) > 0 || v.JoinsPrevious) {
				t.Fatalf("something of the group of message %d is left: %+v\n%s", v.group, v.Message, s)
			}
		}
		sent := map[int]bool{}
		for _, v := range b.candidates {
			sent[v.From] = true
		}
		for _, v := range repaired.candidates {
			e := p.Entries[v.From]
			if groups[v.group] && !sent[v.From] && !e.LeftOutByUser() {
				t.Fatalf("message %d: %+v\n%s", v.From, e, s)
			}
			for _, r := range e.Repairs {
				if r.Remedy != LeaveOut && v.group == v.From && !v.Placeholder {
					t.Fatalf("message %d: %+v\n%s", v.From, r, s)
				}
			}
			// One that is not sent for another reason costs what it would carry, too.
			if e.LeftOutByUser() && !v.Placeholder && e.TokensBefore != v.tokens {
				t.Fatalf("message %d cost %d mended, its verdict says %d\n%s", v.From, v.tokens, e.TokensBefore, s)
			}
		}
	})
}

// A remedy is for what is damaged: it changes nothing of what is sound.
func TestWhatIsSoundHasNoRemedy(t *testing.T) {
	sound := 0
	check(t, func(t *rapid.T, s scene) {
		s.o.Remedies, s.o.Profile.NoImages = nil, false
		want, _ := built(t, s)
		if slices.ContainsFunc(want.Entries, func(e Entry) bool { return len(e.Repairs) > 0 }) {
			return
		}
		s.o.Remedies = forAll(s.past, rapid.SampledFrom([]Remedy{SendAsText, LeaveOut}).Draw(t, "remedy"))
		got, _ := built(t, s)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("with remedies:\n%s%s\nwithout:\n%s%s\n%s", planText(got, nil), requestText(got), planText(want,
				nil), requestText(want), s)
		}
		sound++
	})
	if sound == 0 {
		t.Error("no history was sound")
	}
}

// A remedy holds for its whole group, whichever of its messages it is chosen for.
func TestARemedyHoldsForItsGroup(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		if len(s.past) == 0 {
			return
		}
		r := rapid.SampledFrom([]Remedy{SendAsText, LeaveOut}).Draw(t, "remedy")
		s.o.Remedies = map[int64]Remedy{}
		plan, _ := built(t, s)
		at := rapid.IntRange(0, len(s.past)-1).Draw(t, "message")
		var all []int64
		for _, member := range plan.ToolGroup(at) {
			all = append(all, plan.Entries[member].ID)
		}
		if one := s.past[at].ID; !slices.Contains(all, one) {
			t.Fatalf("the group of message %d is %v\n%s", one, all, s)
		}
		for _, id := range all {
			s.o.Remedies[id] = r
		}
		want, _ := built(t, s)
		for _, id := range all {
			s.o.Remedies = map[int64]Remedy{id: r}
			if got, _ := built(t, s); !reflect.DeepEqual(got, want) {
				t.Fatalf("for message %d:\n%s%s\nfor all of %v:\n%s%s\n%s", id, planText(got, nil), requestText(got),
					all, planText(want, nil), requestText(want), s)
			}
		}
	})
}

// A policy that strips or refuses a damaged history takes no remedies.
func TestStripAndStrictTakeNoRemedies(t *testing.T) {
	check(t, func(t *rapid.T, s scene) {
		s.o.Policy.Recovery = rapid.SampledFrom([]Recovery{RecoverStrip, RecoverStrict}).Draw(t, "recovery")
		got, gotErr := Build(s.past, s.o)
		s.o.Remedies = nil
		want, wantErr := Build(s.past, s.o)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(gotErr, wantErr) {
			t.Fatalf("with remedies: %v\n%s\nwithout: %v\n%s\n%s", gotErr, planText(got, nil), wantErr, planText(want,
				nil), s)
		}
	})
}
