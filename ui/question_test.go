package ui

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/approval"
	"winnow/ui/question"
	"winnow/ui/turn"
	"winnow/ui/uitest"
)

// questioned returns a model with a question about a tool call, and the answers given so far.
func questioned(t testing.TB, w, h int) (m *Model, answers *[]bool) {
	m, answers = asking(t, w, h), new([]bool)
	askAbout(m, answers)
	return m, answers
}

func askAbout(m *Model, answers *[]bool) {
	tell(m, time.Second, session.ApprovalNeeded{
		ToolQuestion: session.ToolQuestion{
			Call:      history.ToolCall{Name: "shell", Arguments: `{"command":"rm -r build"}`},
			Arguments: history.RepairedArguments{Object: `{"command":"rm -r build"}`},
			Number:    1, Of: 1, Choices: []approval.Choice{approval.AllowOnce, approval.AllowForSession, approval.AllowAlways},
		},
		Answer: func(a approval.Answer) { *answers = append(*answers, a.Allows()) },
	})
}

// quiet reports that no key was pressed for a while.
func quiet(m *Model) { m.Update(question.QuietMsg{Turn: m.Turn.Number, Keys: m.confirm.keys}) }

// pressing presses a key, and runs its command if the key answered the question.
func pressing(m *Model, waits bool, msg tea.KeyPressMsg) {
	_, cmd := m.Update(msg)
	if waits && !m.Question.HasQuestion() && cmd != nil {
		runAnswer(cmd)
	}
}

// runAnswer runs a command, but does not wait for ticks.
func runAnswer(cmd tea.Cmd) {
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		if list, ok := commandsOf(msg); ok {
			for _, c := range list {
				if c != nil {
					runAnswer(c)
				}
			}
		}
	case <-time.After(50 * time.Millisecond): // a tick
	}
}

func TestAQuestionGetsTheFocusAfterAQuietMoment(t *testing.T) {
	m, answers := questioned(t, 80, 24)
	early := question.QuietMsg{Turn: m.Turn.Number, Keys: m.confirm.keys}
	m.Update(uitest.Key("left"))
	m.Update(early)
	if m.focus == questionPane {
		t.Fatal("the question has the focus although a key came within the quiet time")
	}
	quiet(m)
	if m.focus != questionPane {
		t.Fatal("the question has no focus after a quiet moment on an empty draft")
	}
	if screen := plain(m); !strings.Contains(screen, "▌  n   Don’t run it") ||
		!strings.Contains(screen, "y   Run it once") {
		t.Errorf("the safe answer is not the one under the cursor:\n%s", screen)
	}
	pressing(m, true, enter)
	if len(*answers) != 1 || (*answers)[0] {
		t.Errorf("enter on the first answer gave %v, want one refusal", *answers)
	}
	if m.focus != draftPane {
		t.Errorf("after the answer the focus is %v, want the draft's", m.focus)
	}
}

func TestAnswersOfAQuestionThatHasTheFocus(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want bool
	}{
		{[]string{"y"}, true},
		{[]string{"down", "tab", "shift+tab", "enter"}, false}, // the cursor is back on the safe answer
	} {
		m, answers := questioned(t, 120, 40)
		typing(m, "a draft")
		m.Update(tab)
		for _, key := range c.keys {
			pressing(m, true, uitest.Key(key))
		}
		if len(*answers) != 1 || (*answers)[0] != c.want || m.composer.Text() != "a draft" {
			t.Errorf("%v answered %v with the draft %q, want %v and the draft kept", c.keys, *answers,
				m.composer.Text(), c.want)
		}
	}
}

func TestAQuestionLeavesWhatCoversThePanesAlone(t *testing.T) {
	m := asking(t, 80, 24)
	answers := new([]bool)
	m.Update(ctrl('p'))
	askAbout(m, answers)
	quiet(m)
	typing(m, "yn")
	if openedList(m).Title != "commands" || len(*answers) != 0 || !strings.Contains(m.notice.Sentence(),
		"waits for your answer") {
		t.Errorf("overlay %v, answers %v, said %q; want the palette open and a notice", m.dialogs.Top(), *answers,
			m.notice.Sentence())
	}
	m.Update(esc) // no command has these letters
	m.Update(esc)
	quiet(m)
	if m.focus != questionPane {
		t.Errorf("after the palette is closed the focus is %v, want the question's", m.focus)
	}
}

func TestAClickGivesAQuestionTheFocus(t *testing.T) {
	m, answers := questioned(t, 80, 24)
	m.frame.Mouse = true
	b := m.layout.Question
	m.Update(tea.MouseClickMsg{X: 4, Y: b.Y + b.H - 1, Button: tea.MouseLeft})
	if m.focus != questionPane || len(*answers) != 0 {
		t.Fatalf("a click: focus %v, answers %v; want the focus alone", m.focus, *answers)
	}
}

// While the draft holds text, all keys go into it, whenever a question appears and however long the pauses are.
func TestKeysOfADraftNeverAnswer(t *testing.T) {
	const seed = 11
	random := rand.New(rand.NewPCG(seed, 0))
	letters := []rune("yynn abcde?/!jk")
	m := asking(t, 80, 24)
	for range 300 {
		m.Turn = turn.Model{Context: m.Context, Number: m.Turn.Number + 1, Cancel: func() {}}
		m.Busy = true
		m.Question.Ask(question.Question{})
		m.setFocus(draftPane)
		m.composer.SetDraft("")
		answers := new([]bool)
		text := "w"
		for range 1 + random.IntN(30) {
			text += string(letters[random.IntN(len(letters))])
		}
		at := random.IntN(len(text))
		for i, r := range text {
			if i == at {
				askAbout(m, answers)
			}
			if i > 0 && random.IntN(4) == 0 {
				quiet(m)
			}
			m.Update(char(r))
		}
		if got := m.composer.Text(); got != text || len(*answers) > 0 || !m.Question.HasQuestion() {
			t.Fatalf("typed %q with a question at %d: the draft is %q, the answers %v", text, at, got, *answers)
		}
	}
}
