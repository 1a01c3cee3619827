package remembered

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"winnow/llm"
	"winnow/ui/theme"
)

func memory(t *testing.T) *Memory {
	return &Memory{Folder: filepath.Join(t.TempDir(), "state", "chosen")}
}

func write(t *testing.T, choices ...func() error) {
	t.Helper()
	for _, c := range choices {
		if err := c(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestChoicesSurvive(t *testing.T) {
	t.Parallel()
	m := memory(t)
	if c, err := m.Read(); err != nil || c != (Choices{}) {
		t.Fatalf("before anything was chosen: %+v, %v", c, err)
	}
	last := llm.Last{Ref: "work/large", Server: "https://llm.example.com/v1", Keyed: true}
	write(t, m.Model(last), m.Theme("dark"), m.Panel(Off), m.Reasoning(true), m.Reasoning(false), m.Theme(theme.Light))
	got, err := (&Memory{Folder: m.Folder}).Read()
	want := Choices{Model: last, Theme: theme.Light, Panel: Off, Reasoning: new(false)}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v, want %+v", got, err, want)
	}
	info, err := os.Stat(filepath.Join(m.Folder, modelFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v, want 0600", info.Mode(), err)
	}
}

func TestWhatIsConfiguredIsNotRemembered(t *testing.T) {
	t.Parallel()
	m := memory(t)
	m.Set.Model, m.Set.Theme, m.Set.Panel = true, true, true
	write(t, m.Model(llm.Last{Ref: "a/b"}), m.Theme("dark"), m.Panel(Off))
	var none *Memory
	write(t, none.Model(llm.Last{Ref: "a/b"}), none.Theme("dark"), none.Panel(Off), none.Reasoning(true))
	if _, err := os.Stat(m.Folder); err == nil {
		t.Error("something was written")
	}
}

func TestADamagedFileCostsOneChoice(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `"no such panel"`, "7", "\x00\xff", strings.Repeat("x", longest+1)} {
		m := memory(t)
		write(t, m.Theme("dark"), m.Panel(Open))
		if err := os.WriteFile(filepath.Join(m.Folder, panelFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := m.Read()
		if err == nil || !strings.Contains(err.Error(), "panel") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.20q: the error is %v, want one about the panel", text, err)
		}
		if want := (Choices{Theme: "dark"}); c != want {
			t.Errorf("%.20q: read %+v, want %+v", text, c, want)
		}
		write(t, m.Panel(Off))
		if c, err := m.Read(); err != nil || c.Panel != Off {
			t.Errorf("%.20q: chosen anew it is %q, %v", text, c.Panel, err)
		}
	}
	m := memory(t)
	if err := os.MkdirAll(filepath.Join(m.Folder, modelFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Read(); err == nil {
		t.Error("a folder in the place of a file is no damage")
	}
}

// Two windows write different choices at once, and the same one; whatever the order, nothing is lost or mixed.
func TestWindowsDoNotFight(t *testing.T) {
	t.Parallel()
	a := memory(t)
	b := &Memory{Folder: a.Folder}
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() { write(t, a.Theme(theme.Name(fmt.Sprint("theme", i)))) })
		wait.Go(func() { write(t, b.Model(llm.Last{Ref: fmt.Sprint("b/", i)})) })
		wait.Go(func() { write(t, a.Panel(Open)) })
		wait.Go(func() { write(t, b.Panel(Off)) })
	}
	wait.Wait()
	last := a.Theme("the last")
	first := a.Theme("newer")
	write(t, first, last) // written in another order than they were chosen
	c, err := b.Read()
	if err != nil || c.Theme != "newer" || !strings.HasPrefix(c.Model.Ref, "b/") || c.Panel == "" {
		t.Errorf("read %+v, %v", c, err)
	}
	files, _ := os.ReadDir(a.Folder)
	if len(files) != 3 {
		t.Errorf("the folder holds %v, want one file for each choice", files)
	}
}

func TestAChoiceThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, func() error { return os.WriteFile(file, nil, 0o600) })
	m := &Memory{Folder: filepath.Join(file, "chosen")}
	if err := m.Theme("dark")(); err == nil || !strings.Contains(err.Error(),
		"the choice of the theme could not be saved") {
		t.Errorf("the error is %v", err)
	}
}
