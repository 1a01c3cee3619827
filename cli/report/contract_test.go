package report

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"winnow/history"
)

// TestDocsNameEveryField looks for each key of the JSON and each field of a template in the page that is
// their contract.
func TestDocsNameEveryField(t *testing.T) {
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	_, contract, _ := strings.Cut(string(page), "\n## JSON\n")
	json, form, _ := strings.Cut(contract, "\n## Text form\n")
	for _, one := range []any{
		ContextJSON{},
		settingJSON{},
		requestJSON{},
		usageJSON{},
		costJSON{},
		spentJSON{},
		TurnJSON{},
		Tools{},
		ToolServer{},
		ToolRow{},
		usageReportJSON{},
		usagePurposes{},
		usageLineJSON{},
		usageSumJSON{},
		usageCostJSON{},
		receiptJSON{},
		listJSON[reasonJSON]{},
		repairedJSON{},
		reasonJSON{},
		cutJSON{},
		retryJSON{},
		roundJSON{},
		sumJSON{},
		countsJSON{},
		EntryJSON{},
		insertJSON{},
		repairJSON{},
		RepairsJSON{},
		damagedJSON{},
		AddedJSON{},
		DiffJSON{},
		diffRequestJSON{},
		changeJSON{},
	} {
		of := reflect.TypeOf(one)
		for i := range of.NumField() {
			if key, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); !of.Field(i).Anonymous &&
				!strings.Contains(json, "`"+key+"`") {
				t.Errorf("docs/commands.md does not say what %s is, a key of %s", key, of.Name())
			}
		}
	}
	for _, one := range []any{history.Prompt{}, history.PromptMessage{}} {
		of := reflect.TypeOf(one)
		for i := range of.NumField() {
			if name := of.Field(i).Name; !strings.Contains(form, "`."+name+"`") {
				t.Errorf("docs/commands.md does not say what .%s is, a field of %s", name, of.Name())
			}
		}
	}
}
