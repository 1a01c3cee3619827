// Package prompt writes a conversation as one text for a model. Such texts cannot be imported again.
package prompt

import (
	"fmt"
	"io"

	"winnow/history"
	"winnow/session/store"
)

// unlimited is more tokens than any conversation has.
const unlimited = 1 << 40

// Write writes a whole branch as one text.
func Write(out io.Writer, row store.Session, branch []store.Message) error {
	policy, err := history.Preset("full")
	if err != nil {
		return err
	}
	policy.Budget = unlimited
	past := make([]history.Message, len(branch))
	for i, m := range branch {
		past[i] = m.Message
	}
	plan, err := history.Build(past, history.Options{Policy: policy, System: row.System, Window: 2 * unlimited})
	if err != nil {
		return fmt.Errorf("write the conversation as one text: %w", err)
	}
	text, err := history.RenderTextPrompt(history.NewTextPrompt(plan), "prompt", history.TextPromptTemplate)
	if err != nil {
		return fmt.Errorf("write the conversation as one text: %w", err)
	}
	_, err = io.WriteString(out, text)
	return err
}
