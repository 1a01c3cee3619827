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
	for i := range t.views {
		if i == 0 || t.views[i].group != t.views[i-1].group {
			units = append(units, relevance.Unit{From: i})
		}
		u := &units[len(units)-1]
		u.To = i + 1
		u.Tokens += t.views[i].tokens
	}
	t.units = units
	return units
}

// searchable is the index of all views.
func (t *thread) searchable() *relevance.Index {
	if t.index == nil {
		t.index = relevance.NewIndex()
	}
	for i := t.index.Len(); i < len(t.views); i++ {
		t.index.Add(t.views[i].spoken(), t.views[i].Role == User)
	}
	return t.index
}

// spoken is all that a view says: its text with its calls.
func (v *view) spoken() string {
	if len(v.ToolCalls) == 0 {
		return v.Content
	}
	return v.Message.TextWithCalls()
}

// unsearch takes the views from index kept on out of the index.
func (t *thread) unsearch(kept int) {
	if t.index == nil {
		return
	}
	for i := t.index.Len() - 1; i >= kept; i-- {
		t.index.Remove(t.views[i].spoken())
	}
}
