package composer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEditorThatIsNotSetIsOneThatTheMachineHas(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder)
	if _, err := editorCommand(" "); err == nil || !strings.Contains(err.Error(), "set EDITOR") {
		t.Errorf("without any editor the error is %v", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "nano"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := editorCommand(""); err != nil || got[0] != "nano" {
		t.Errorf("with nano alone the editor is %v, %v", got, err)
	}
	if got, _ := editorCommand("code --wait"); len(got) != 2 || got[1] != "--wait" {
		t.Errorf("an editor with arguments is run as %v", got)
	}
}
