//go:build cgo

package cli

import (
	"errors"

	"winnow/history"
)

// asText is a request as one text.
func asText(l look, asked contextAsked) (string, error) {
	text, err := history.RenderPrompt(history.NewPrompt(l.plan, nil), asked.template)
	if wrong := (*history.TemplateError)(nil); errors.As(err, &wrong) {
		return "", fail(Usage, "%s, line %d: %s", asked.templateName, wrong.Line, wrong.Text)
	}
	return text, err
}
