package ui

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/approval"
)

// What a tool may do is changed in the list of tools: the panel follows at once, and other sessions do as well.
func TestToolsAreTurnedOffInTheirList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 40)
	box := &tool.Toolbox{}
	for _, name := range []string{"add", "subtract"} {
		box.Register(tool.Tool{
			Name: name, Description: "It can " + name + " \x1b[31mnumbers.",
			Parameters: json.RawMessage(`{"type":"object"}`),
		},
			func(context.Context, json.RawMessage) (string, error) { return "3", nil })
	}
	here := l.With.Models.Endpoints()[0]
	here.Tools = box
	l.talksTo(here)
	l.until("both tools", func() bool { list, _ := l.Session.ToolStates(); return len(list) == 2 })
	with := func() int { p, _ := l.Session.Preview(session.Draft{}); return p.Sum.Tools }
	l.types("/tools")
	l.press("enter")
	l.shows(" 2 offered")
	l.shows("It can subtract ␛[31mnumbers.")
	before, _ := l.Session.Preview(session.Draft{})
	l.types("subt")
	l.press("enter")
	l.shows("allow · ~")
	l.press("enter")
	l.shows(" 1 offered")
	l.until("a smaller request", func() bool { return with() > 0 && with() < before.Sum.Tools })
	if !strings.Contains(screenRows(l.Model), "› subt") {
		t.Error("the filter of the list is gone")
	}
	l.press("enter")
	l.shows(" 2 offered")
	l.until("the whole request", func() bool { return with() == before.Sum.Tools })
	l.press("enter")
	l.shows("allow · ~")
	l.press("enter")
	l.shows(" 1 offered")
	l.press("esc", "ctrl+n")
	l.until("another chat", func() bool { return l.Chat.Empty() })
	list, _ := l.Session.ToolStates()
	if list[1].Permission != tool.Off || list[1].By != approval.ByMemory || list[0].Permission != tool.Ask {
		t.Errorf("in another session the tools are %+v", list)
	}
}
