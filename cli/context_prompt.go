//go:build cgo

package cli

import (
	"errors"
	"io"

	"winnow/history"
)

// writePrompt writes a request as one text.
func (p *program) writePrompt(l look, asked contextAsked) error {
	if l.over != nil {
		return fail(Failed, "nothing would be sent: %w", l.over)
	}
	text, err := history.RenderPrompt(history.NewPrompt(l.plan, nil), asked.template)
	if wrong := (*history.TemplateError)(nil); errors.As(err, &wrong) {
		return fail(Usage, "%s, line %d: %s", asked.templateName, wrong.Line, wrong.Text)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.out, text)
	return err
}
