package ui

import (
	"context"
	"errors"
	"testing"

	"winnow/session"
)

func TestExportSaysWhereItWrote(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 24)
	var asked string
	l.settings.Export = func(_ context.Context, s *session.Session, words string) (string, error) {
		if asked = words; words == "json here" {
			return "", errors.New("here is there already")
		}
		return "Exported to " + s.Info().Title + ".", nil
	}
	l.run(palette{l.Model}.run("/export"))
	l.shows("There is nothing to export yet.")
	l.say("Rain in Oslo")
	l.run(palette{l.Model}.run("/export md the file.md"))
	l.shows("Exported to Rain in Oslo.")
	if asked != "md the file.md" {
		t.Errorf("it was asked for %q", asked)
	}
	l.run(palette{l.Model}.run("/export json here"))
	l.shows("here is there already")
}
