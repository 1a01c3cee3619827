package history

import "winnow/history/relevance"

// relevant ranks the tool groups and single messages of a thread by a question. The ranking is valid until the
// next question.
func (t *thread) relevant(question string) relevance.Ranking {
	return t.searchable().Rank(question, t.unitsToRank())
}

// unitsToRank are a thread's tool groups and single messages with their tokens.
func (t *thread) unitsToRank() []relevance.Unit {
	units := t.units[:0]
	for i := range t.candidates {
		if i == 0 || t.candidates[i].group != t.candidates[i-1].group {
			units = append(units, relevance.Unit{From: i})
		}
		u := &units[len(units)-1]
		u.To = i + 1
		u.Tokens += t.candidates[i].tokens
	}
	t.units = units
	return units
}

// searchable is the index of all candidates.
func (t *thread) searchable() *relevance.Index {
	if t.index == nil {
		t.index = relevance.NewIndex()
	}
	for i := t.index.Len(); i < len(t.candidates); i++ {
		t.index.Add(t.candidates[i].searchText(), t.candidates[i].Role == User)
	}
	return t.index
}

// searchText is all that a candidate says: its text with its calls.
func (v *candidate) searchText() string {
	if len(v.ToolCalls) == 0 {
		return v.Content
	}
	return v.Message.TextWithCalls()
}

// unsearch takes the candidates from index kept on out of the index.
func (t *thread) unsearch(kept int) {
	if t.index == nil {
		return
	}
	for i := t.index.Len() - 1; i >= kept; i-- {
		t.index.Remove(t.candidates[i].searchText())
	}
}
