package transfer

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"winnow/session/transfer/chatgpt"
	"winnow/session/transfer/openai"
	"winnow/session/transfer/rawjson"
)

func TestLayoutOfAFileIsSeenAtItsBeginning(t *testing.T) {
	large := `"text":"` + strings.Repeat("x", 1<<20) + `",`
	for file, want := range map[string]layout{
		"":                                  messagesLayout,
		"a word":                            messagesLayout,
		"[":                                 messagesLayout,
		`[{"role":"user"}]`:                 messagesLayout,
		`{"messages":[]}`:                   messagesLayout,
		`{"title":"x","mapping":{}}`:        chatGPTLayout,
		"\xEF\xBB\xBF [ {\"mapping\" : {}}": chatGPTLayout,
		`[{` + large + `"x":[{"role":1}],"mapping":{}}]`: chatGPTLayout,
		`{"conversations":[]}`:                           chatGPTLayout,
		`{"conversations":3,"role":"user"}`:              messagesLayout,
		`{"role":"user","mapping":{}}`:                   messagesLayout,
		`{"winnow":1,"sessions":[]}`:                     archiveLayout,
		"SQLite format 3\x00 and more":                   sqliteLayout,
		"SQLite format 4":                                messagesLayout,
		"PK\x03\x04":                                     exportLayout,
		`{"title":"cut`:                                  messagesLayout,
	} {
		if got, err := detect(strings.NewReader(file)); got != want || err != nil {
			t.Errorf("%.40q is taken for %d, %v; want %d", file, got, err, want)
		}
	}
	broken := errors.New("the disk broke")
	if _, err := detect(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// manyTimes is a stream that says one text again and again.
type manyTimes struct {
	text string
	at   int
	left int
}

func (m *manyTimes) Read(b []byte) (int, error) {
	if m.left <= 0 {
		return 0, io.EOF
	}
	n := copy(b, m.text[m.at:])
	m.at = (m.at + n) % len(m.text)
	m.left -= n
	return n, nil
}

func TestTooLargeValueEndsAnImport(t *testing.T) {
	stream := func(before string) io.Reader {
		return io.MultiReader(strings.NewReader(before), &manyTimes{text: strings.Repeat("x", 1<<16), left: rawjson.LargestValue + 1<<20}, strings.NewReader(`"}]`))
	}
	if _, err := chatgpt.NewReader(stream(`[{"mapping":{},"title":"`), nil, false).Next(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a conversation of more than %d bytes: %v", rawjson.LargestValue, err)
	}
	if _, err := openai.NewReader(stream(`[{"role":"user","content":"`), false).Next(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a message of more than %d bytes: %v", rawjson.LargestValue, err)
	}
	if _, err := openai.NewReader(stream(`{"role":"user","content":"`), false).Next(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a line of more than %d bytes: %v", rawjson.LargestValue, err)
	}
	m, err := openai.NewReader(stream(`[{"role":"user","content":"`), true).Next()
	if err != nil || len(m.Content) < rawjson.LargestValue {
		t.Errorf("with Large: %d bytes, %v", len(m.Content), err)
	}
	// What does not tell the layout within the limit is read as messages, which then says so.
	if layout, err := detect(stream(`{"a":"`)); layout != messagesLayout || err != nil {
		t.Errorf("the layout is %v, %v", layout, err)
	}
}
