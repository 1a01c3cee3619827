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
	return &Memory{File: filepath.Join(t.TempDir(), "state", "chosen.json")}
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
	last := llm.LastModel{Ref: "work/large", Server: "https://llm.example.com/v1", Keyed: true}
	write(t, m.RememberModel(last), m.RememberTheme("dark"), m.RememberPanel(PanelOff), m.RememberReasoning(true),
		m.RememberReasoning(false), m.RememberTheme(theme.Light))
	got, err := (&Memory{File: m.File}).Read()
	want := Choices{Model: last, Theme: theme.Light, Panel: PanelOff, Reasoning: new(false)}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v, want %+v", got, err, want)
	}
	info, err := os.Stat(m.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v, %v, want 0600", info.Mode(), err)
	}
}

func TestWhatIsConfiguredIsNotRemembered(t *testing.T) {
	t.Parallel()
	m := memory(t)
	m.Configured.Model, m.Configured.Theme = true, true
	write(t, m.RememberModel(llm.LastModel{Ref: "a/b"}), m.RememberTheme("dark"))
	var none *Memory
	write(t, none.RememberModel(llm.LastModel{Ref: "a/b"}), none.RememberTheme("dark"), none.RememberPanel(PanelOff),
		none.RememberReasoning(true))
	if _, err := os.Stat(m.File); err == nil {
		t.Error("something was written")
	}
}

func TestADamagedFileIsSaidAndReplaced(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "{", `{"panel":"no such panel"}`, "7", "\x00\xff",
	} {
		m := memory(t)
		write(t, m.RememberTheme("dark"))
		if err := os.WriteFile(m.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := m.Read()
		if err == nil || !strings.Contains(err.Error(), m.File) || strings.Contains(err.Error(), "\n") ||
			c != (Choices{}) {
			t.Errorf("%.20q: read %+v, %v, want nothing and why", text, c, err)
		}
		write(t, m.RememberPanel(PanelOff))
		if c, err := m.Read(); err != nil || c.Panel != PanelOff {
			t.Errorf("%.20q: chosen anew it is %q, %v", text, c.Panel, err)
		}
	}
	m := memory(t)
	if err := os.MkdirAll(m.File, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Read(); err == nil {
		t.Error("a folder in the place of the file is no damage")
	}
}

// Two windows write choices, one of them many at once. In whatever order the writes run, no choice is lost.
func TestTheNewestChoiceOfEachKindStays(t *testing.T) {
	t.Parallel()
	a := memory(t)
	b := &Memory{File: a.File}
	write(t, b.RememberModel(llm.LastModel{Ref: "b/large"}))
	var wait sync.WaitGroup
	for i := range 50 {
		theme, panel := a.RememberTheme(theme.Name(fmt.Sprint("theme", i))), a.RememberPanel(PanelOpen)
		wait.Go(func() { write(t, theme) })
		wait.Go(func() { write(t, panel) })
	}
	wait.Wait()
	c, err := b.Read()
	want := Choices{Model: llm.LastModel{Ref: "b/large"}, Theme: "theme49", Panel: PanelOpen}
	if err != nil || c != want {
		t.Errorf("read %+v, %v, want %+v", c, err, want)
	}
}

func TestAChoiceThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	write(t, func() error { return os.WriteFile(file, nil, 0o600) })
	m := &Memory{File: filepath.Join(file, "chosen.json")}
	if err := m.RememberTheme("dark")(); err == nil || !strings.Contains(err.Error(), "the choice could not be saved") {
		t.Errorf("the error is %v", err)
	}
}
