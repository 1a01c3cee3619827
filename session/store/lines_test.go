package store

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"winnow/session/store/recovery"
)

// TestLinesHaveEveryColumn holds that an archive leaves nothing out: a column that a later schema adds must
// stand in the line of its table, or here with the reason why it does not.
func TestLinesHaveEveryColumn(t *testing.T) {
	lines := map[string]struct {
		row     any
		without []string
	}{
		"sessions":    {SessionLine{}, []string{"n", "messages", "turns", "changes", "address"}}, // what its messages say, and what is of this file
		"drafts":      {DraftLine{}, []string{"session"}},
		"queued":      {QueuedLine{}, []string{"id", "session"}},
		"requests":    {requestRow{}, []string{"session"}},
		"messages":    {messageRow{}, []string{"owner"}}, // an owner is of one moment
		"tool_calls":  {CallLine{}, []string{"id", "message", "place"}},
		"parts":       {partRow{}, []string{"id", "message", "place"}},
		"attachments": {AttachmentLine{}, []string{"id"}},
		"repairs":     {RepairLine{}, []string{"id"}},
		"flags":       {FlagLine{}, nil},
		"remedies":    {RemedyLine{}, nil},
		"summaries":   {SummaryLine{}, []string{"session"}},
	}
	elsewhere := []string{"tags", "verdicts", "endpoints", "prompts", "tool_permissions", "sync_purged"} // in the lines of the session and the request, and of no session
	for _, table := range recovery.Tables() {
		if slices.Contains(elsewhere, table.Name) {
			continue
		}
		line, ok := lines[table.Name]
		if !ok {
			t.Errorf("no line has the rows of %s", table.Name)
			continue
		}
		for _, c := range table.Columns {
			if has := hasColumn(reflect.TypeOf(line.row), c.Name); has == slices.Contains(line.without, c.Name) {
				t.Errorf("that the line of %s has %s is %v", table.Name, c.Name, has)
			}
		}
	}
}

func hasColumn(row reflect.Type, column string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(row), func(f reflect.StructField) bool {
		name, _, _ := strings.Cut(f.Tag.Get("db"), ",")
		if name == "" {
			name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		}
		return name == column
	})
}
