// Package notice is what the application says beside the conversation: a sentence in the lower line that goes by
// itself, and above the draft an alert with what can be done about it, or news, until they are dealt with. It
// decides what is shown and for how long, not what is said.
package notice

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/notice/bell"
)

// shownFor is how long a sentence stays in the lower line, and how much longer for each of its words behind the first
// ten: a long one is read for longer.
const (
	shownFor  = 4 * time.Second
	atLeast   = 1500 * time.Millisecond // so long keys do not take a sentence away
	eachWord  = 250 * time.Millisecond
	freeWords = 10
)

// Cause is what an alert is about, and so what ends it.
type Cause int

// The causes.
const (
	Failed       Cause = iota // the last turn
	TooLong                   // the draft does not fit, until it does
	Unreachable               // the model in use cannot be asked, until it can or another is chosen
	OtherAddress              // the endpoint in use is at another address, until the user agrees to it
)

// Alert is something that went wrong.
type Alert struct {
	Text  string
	Way   string // what the user can do about it, in lines below; "" for nothing
	Cause Cause
}

// Sentence is a sentence for the user.
type Sentence struct {
	Text  string
	Error bool // something did not work
	Done  bool // something that the user asked for was done
	Turn  bool // it is about the turn that runs, and over with it
}

// Model is what is said now. Its zero value says nothing.
type Model struct {
	Bell bell.Model

	sentence Sentence
	number   int // of the sentence
	read     int // the number of the newest sentence that was shown for as long as it takes to read it
	alert    Alert
	news     string // what happened to the history
}

// OverMsg says that a sentence could be read: the next key takes it away. Without a rest it was shown for long enough.
type OverMsg struct {
	number int
	rest   time.Duration // until it goes by itself
}

// mostOfSentence is the most of a sentence that is kept, in bytes: more than its lines have room for on any screen.
const mostOfSentence = 4 << 10

// Show shows a sentence for a while.
func (m *Model) Show(n Sentence) tea.Cmd {
	n.Text = strings.ToValidUTF8(n.Text[:min(len(n.Text), mostOfSentence)], "")
	m.sentence = n
	m.number++
	long := time.Duration(max(0, strings.Count(n.Text, " ")-freeWords)) * eachWord
	return over(atLeast+long, OverMsg{m.number, shownFor - atLeast})
}

// Say shows a sentence, "" none.
func (m *Model) Say(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return m.Show(Sentence{Text: text})
}

// Error shows why something did not work.
func (m *Model) Error(text string) tea.Cmd { return m.Show(Sentence{Text: text, Error: true}) }

// over is a command that gives an OverMsg after a time.
func over(after time.Duration, msg OverMsg) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg { return msg })
}

// Over has the next key take a sentence away, and takes it away where no key did; a newer one in its place stays.
func (m *Model) Over(msg OverMsg) tea.Cmd {
	switch {
	case msg.number != m.number || m.sentence.Text == "":
	case msg.rest > 0:
		m.read = m.number
		return over(msg.rest, OverMsg{number: m.number})
	default:
		m.Hush()
	}
	return nil
}

// Hush takes the sentence away.
func (m *Model) Hush() { m.sentence.Text = "" }

// EndTurn takes a sentence away that is about the turn that ran.
func (m *Model) EndTurn() {
	if m.sentence.Turn {
		m.Hush()
	}
}

// Number is that of the newest sentence.
func (m *Model) Number() int { return m.number }

// Key takes the sentence away that a key was pressed on, once it could be read; where the keys are for something else
// now also before: it stands where the new keys are listed. A sentence that is newer than the one with the number
// before stays.
func (m *Model) Key(before int, away bool) {
	if m.number == before && (m.read == before || away && !m.sentence.Error) {
		m.Hush()
	}
}

// Sentence is what the lower line says, "" for nothing.
func (m *Model) Sentence() string { return m.sentence.Text }

// Warn shows an alert until it is dealt with.
func (m *Model) Warn(a Alert) { m.alert = a }

// Alert is what went wrong last. Its text is "" where the user has closed it.
func (m *Model) Alert() Alert { return m.alert }

// Resolve ends an alert with a cause, and says whether there was one.
func (m *Model) Resolve(c Cause) bool {
	if !m.Is(c) {
		return false
	}
	m.alert = Alert{}
	return true
}

// Is says whether the last alert has a cause, whether or not the user has closed it.
func (m *Model) Is(c Cause) bool { return m.alert.Cause == c }

// News shows news until something is sent.
func (m *Model) News(news string) { m.news = news }

// Clear ends the alert and the news.
func (m *Model) Clear() { m.alert, m.news = Alert{}, "" }

// Close closes the alert, else the news, and says whether there was one.
func (m *Model) Close() bool {
	switch {
	case m.alert.Text != "":
		m.alert.Text = ""
	case m.news != "":
		m.news = ""
	default:
		return false
	}
	return true
}
