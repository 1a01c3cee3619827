// Package notice is what the application says beside the conversation: a sentence in the lower line that goes by
// itself, and above the draft an alert with what can be done about it, or news, until they are dealt with. It
// decides what is shown and for how long, not what is said.
package notice

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/notice/bell"
)

// shownFor is how long a sentence stays in the lower line, and how much longer for each of its words behind the first
// ten: a long one is read for longer.
const (
	shownFor  = 4 * time.Second
	eachWord  = 250 * time.Millisecond
	freeWords = 10
)

// Cause is what an alert is about, and so what ends it.
type Cause int

// The causes.
const (
	TurnFailed       Cause = iota // the last turn
	DraftTooLong                  // the draft does not fit, until it does
	ModelUnreachable              // the model in use cannot be asked, until it can or another is chosen
	AddressChanged                // the endpoint in use is at another address, until the user agrees to it
)

// Alert is something that went wrong.
type Alert struct {
	Text   string
	WayOut string // what the user can do about it, in lines below; "" for nothing
	Cause  Cause
}

// Sentence is a sentence for the user.
type Sentence struct {
	Text  string
	Error bool // something did not work
	Done  bool // something that the user asked for was done
}

// Model is what is said now. Its zero value says nothing.
type Model struct {
	Bell bell.Model

	sentence Sentence
	number   app.Latest // of the sentence
	alert    Alert
	news     string // what happened to the history
}

// mostOfSentence is the most of a sentence that is kept, in bytes: more than its lines have room for on any screen.
const mostOfSentence = 4 << 10

// Show shows a sentence for a while.
func (m *Model) Show(n Sentence) tea.Cmd {
	n.Text = strings.ToValidUTF8(n.Text[:min(len(n.Text), mostOfSentence)], "")
	m.sentence = n
	expired := m.number.Begin()
	long := time.Duration(max(0, strings.Count(n.Text, " ")-freeWords)) * eachWord
	return tea.Tick(shownFor+long, func(time.Time) tea.Msg {
		return expired(func() tea.Cmd {
			m.ClearSentence()
			return nil
		})
	})
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

// Hush takes the sentence away.
func (m *Model) ClearSentence() { m.sentence.Text = "" }

// Number is that of the newest sentence.
func (m *Model) SentenceNumber() app.Latest { return m.number }

// Key takes the sentence away where a key has the next ones be for something else: it stands where these are listed. An
// error stays, and so does a sentence that is newer than the one with the number before.
func (m *Model) KeyPressed(before app.Latest, away bool) {
	if m.number == before && away && !m.sentence.Error {
		m.ClearSentence()
	}
}

// Sentence is what the lower line says, "" for nothing.
func (m *Model) Sentence() string { return m.sentence.Text }

// Warn shows an alert until it is dealt with.
func (m *Model) ShowAlert(a Alert) { m.alert = a }

// Alert is what went wrong last. Its text is "" where the user has closed it.
func (m *Model) Alert() Alert { return m.alert }

// Resolve ends an alert with a cause.
func (m *Model) Resolve(c Cause) {
	if m.AlertIs(c) {
		m.alert = Alert{}
	}
}

// Is says whether the last alert has a cause, whether or not the user has closed it.
func (m *Model) AlertIs(c Cause) bool { return m.alert.Cause == c }

// News shows news until something is sent.
func (m *Model) ShowNews(news string) { m.news = news }

// Clear ends the alert and the news.
func (m *Model) ClearAlerts() { m.alert, m.news = Alert{}, "" }

// Close closes the alert, else the news, and says whether there was one.
func (m *Model) CloseAlert() bool {
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
