package report

import (
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

func TestTreeOfBranches(t *testing.T) {
	said := func(id, parent int64, role history.Role, text string) store.Message {
		return store.Message{Seq: int(id), Parent: parent, Message: history.Message{ID: id, Role: role, Content: text}}
	}
	tree := NewTree([]store.Message{
		said(2, 0, "user", "First"),
		said(3, 2, "assistant", "One."),
		said(4, 3, "user", "Second"),
		said(5, 4, "assistant", "Two."),
		said(6, 2, "assistant", "Uno."),
		said(7, 3, "user", "Other"),
		said(8, 7, "assistant", "Else."),
		said(9, 7, "assistant", "Otherwise."),
		said(10, 0, "user", "Begin"),
	}, 8)
	var out strings.Builder
	if err := tree.write(&out, 0, ""); err != nil {
		t.Fatal(err)
	}
	want := `* ├─  2 user       First
* │  ├─  3 assistant  One.
  │  │  ├─  4 user       Second
  │  │  │   5 assistant  Two.
* │  │  └─  7 user       Other
* │  │     ├─  8 assistant  Else.
  │  │     └─  9 assistant  Otherwise.
  │  └─  6 assistant  Uno.
  └─ 10 user       Begin
`
	if got := out.String(); got != want {
		t.Errorf("the tree is\n%s\nwant\n%s", got, want)
	}
	if got := tree.branches(); got != "5 branches" {
		t.Errorf("it has %s, want 5 branches", got)
	}
}
