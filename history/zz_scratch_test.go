package history

import (
	"fmt"
	"os"
	"testing"
)

func TestScratch(t *testing.T) {
	if os.Getenv("WN_OUT") == "" {
		t.Skip()
	}
	list := allConversations(t)
	list = append(list, merged(list)...)
	for _, m := range methods()[:1] {
		cells := measureConversations(list, []method{m}, recallBudgets)
		row := func(name string, fits func(cell) bool) {
			fmt.Printf("%-10s %-22s", m.name, name)
			for _, b := range recallBudgets {
				fmt.Printf(" %5s", sum(cells, func(c cell) bool { return c.budget == b && fits(c) }))
			}
			fmt.Println()
		}
		for _, kind := range kindsOf(list) {
			row(kind, func(c cell) bool { return c.kind == kind })
		}
		for _, out := range []bool{false, true} {
			for _, s := range sorts {
				row(fmt.Sprint(s.name[:min(18,len(s.name))], out), func(c cell) bool { return c.sort == s.sort && c.heldOut() == out })
			}
		}
	}
}
