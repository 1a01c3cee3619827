// Package notice shows messages of winnow itself: a sentence in the footer that disappears after some seconds, and
// below the last message an alert with a way out, or news, until they are closed. It decides what is shown and for how
// long, not what is said.
package notice

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/notice/bell"
)

// A sentence is shown for shownFor, and eachWord longer for every word beyond freeWords.
const (
	shownFor  = 4 * time.Second
	eachWord  = 250 * time.Millisecond
	freeWords = 10
)

// Cause is what an alert is about, which decides what ends it.
type Cause int

// The causes.
const (
	TurnFailed       Cause = iota // until the next turn
	DraftTooLong                  // until the draft fits the window
	ModelUnreachable              // until the model can be asked or another one is chosen
	AddressChanged                // until the user accepts the endpoint's new address
)

// Alert is a failure that is shown until it is resolved or closed.
type Alert struct {
	Text   string
	WayOut string // what the user can do, shown below the text; "" for nothing
	Cause  Cause
}

// Sentence is a short message in the footer.
type Sentence struct {
	Text  string
	Error bool // something did not work
	Done  bool // something that the user asked for was done, such as a copy
}

// Model is what is shown now. Its zero value shows nothing.
type Model struct {
	Bell bell.Model

	sentence Sentence
	number   app.Latest // of the sentence
	alert    Alert
	news     string // such as a damaged history file
}

// mostOfSentence is how many bytes of a sentence are kept, which is more than any screen has room for.
const mostOfSentence = 4 << 10

// Show shows a sentence for some seconds.
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

// Say shows a sentence. It does nothing for "".
func (m *Model) Say(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return m.Show(Sentence{Text: text})
}

// Error shows a sentence about something that did not work.
func (m *Model) Error(text string) tea.Cmd { return m.Show(Sentence{Text: text, Error: true}) }

// ClearSentence removes the sentence.
func (m *Model) ClearSentence() { m.sentence.Text = "" }

// SentenceNumber returns the number of the newest sentence, for KeyPressed.
func (m *Model) SentenceNumber() app.Latest { return m.number }

// KeyPressed removes the sentence after a key that moved the focus (away), because it hides the hints of the new pane.
// Errors stay, and so does a sentence that the key itself caused: one newer than before, the number from before the
// key.
func (m *Model) KeyPressed(before app.Latest, away bool) {
	if m.number == before && away && !m.sentence.Error {
		m.ClearSentence()
	}
}

// Sentence returns the text of the sentence, "" for none.
func (m *Model) Sentence() string { return m.sentence.Text }

// ShowAlert shows an alert in place of the one before.
func (m *Model) ShowAlert(a Alert) { m.alert = a }

// Alert returns the last alert. Its text is "" if the user has closed it.
func (m *Model) Alert() Alert { return m.alert }

// Resolve removes the alert if it has a cause.
func (m *Model) Resolve(c Cause) {
	if m.AlertIs(c) {
		m.alert = Alert{}
	}
}

// AlertIs reports whether the last alert has a cause, even if the user has closed it.
func (m *Model) AlertIs(c Cause) bool { return m.alert.Cause == c }

// ShowNews shows a text until a message is sent or the user closes it.
func (m *Model) ShowNews(news string) { m.news = news }

// ClearAlerts removes the alert and the news.
func (m *Model) ClearAlerts() { m.alert, m.news = Alert{}, "" }

// CloseAlert closes the alert, else the news, and reports whether there was one.
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
