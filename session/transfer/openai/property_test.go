package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"winnow/history/message"
)

// spelled is a text and one of the many ways to write it in JSON.
type spelled struct{ text, json string }

// spellings draws a text of any bytes, every character written plainly or as one of its escapes.
func spellings(t *rapid.T, label string) spelled {
	var text, out strings.Builder
	out.WriteByte('"')
	for _, piece := range rapid.SliceOfN(rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{"\xff", "\xed\xa0\xbd", "\xed\xb8\x80", "\x00", `\`, `"`, "/", "\n", "{", "]", ",", "😀", `\u0041`}),
	), 0, 6).Draw(t, label) {
		for len(piece) > 0 {
			r, n := utf8.DecodeRuneInString(piece)
			text.WriteString(piece[:n])
			plain := r >= ' ' && r != '"' && r != '\\'
			switch {
			case r == utf8.RuneError && n == 1, plain && rapid.Bool().Draw(t, "plain"):
				out.WriteString(piece[:n])
			case r == '\n' && rapid.Bool().Draw(t, "short"):
				out.WriteString(`\n`)
			case strings.ContainsRune(`"\/`, r):
				out.WriteString(`\` + piece[:n])
			case r > 0xFFFF:
				a, b := utf16.EncodeRune(r)
				fmt.Fprintf(&out, `\u%04x\u%04X`, a, b)
			default:
				fmt.Fprintf(&out, `\u%04x`, r)
			}
			piece = piece[n:]
		}
	}
	out.WriteByte('"')
	return spelled{text.String(), out.String()}
}

// blanks draws what may stand between the parts of JSON; a line feed only where the form has room
// for it.
func blanks(t *rapid.T, lines bool) string {
	all := []string{"", " ", "\t", "\r"}
	if lines {
		all = append(all, "\n", "\n  ")
	}
	return rapid.SampledFrom(all).Draw(t, "blanks")
}

// object writes members as an object with any blanks between its parts.
func object(t *rapid.T, lines bool, members []string) string {
	var b strings.Builder
	b.WriteString("{")
	for i, m := range members {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(blanks(t, lines) + m + blanks(t, lines))
	}
	return b.String() + "}"
}

// TestTranscriptLosesNoByte writes messages in every form a file can have and wants every text, id,
// call and unknown key back as it was.
func TestTranscriptLosesNoByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]string{"list", "object", "lines"}).Draw(t, "form")
		lines := form != "lines"
		var want []message.Message
		var extras, file []string
		for range rapid.IntRange(1, 5).Draw(t, "messages") {
			m, extra, text := anyMessage(t, lines)
			want, extras, file = append(want, m), append(extras, extra), append(file, text)
		}
		var text string
		switch form {
		case "list":
			text = "[" + strings.Join(file, blanks(t, true)+",") + "]"
		case "object":
			text = `{"messages":` + "[" + strings.Join(file, ","+blanks(t, true)) + "]}"
		case "lines":
			text = strings.Join(file, "\n")
		}
		tr := NewReader(strings.NewReader(text), false)
		for i := range want {
			got, err := tr.Next()
			if err != nil || got.Broken != nil {
				t.Fatalf("message %d of %q: %+v, %v", i, text, got.Broken, err)
			}
			if !reflect.DeepEqual(got.Message.Message, want[i]) {
				t.Fatalf("message %d of %q is\n%#v, want\n%#v", i, text, got.Message, want[i])
			}
			if string(got.Extra) != extras[i] {
				t.Fatalf("message %d of %q: extra\n%s, want\n%s", i, text, got.Extra, extras[i])
			}
			if got.Extra != nil && !json.Valid(got.Extra) {
				t.Fatalf("message %d of %q: the extra %q is not JSON", i, text, got.Extra)
			}
		}
		if m, err := tr.Next(); err == nil || len(tr.About().Remarks) > 0 {
			t.Fatalf("behind the last message of %q: %+v, %v, %v", text, m, err, tr.About().Remarks)
		}
	})
}

// anyMessage draws a message with the way it stands in a file.
func anyMessage(t *rapid.T, lines bool) (m message.Message, extra, text string) {
	between := func(key, value string) string {
		return `"` + key + `"` + blanks(t, lines) + ":" + blanks(t, lines) + value
	}
	content, id, name, callID := spellings(t, "content"), spellings(t, "id"), spellings(t, "name"), spellings(t, "call id")
	m = message.Message{
		Role: message.Assistant, Status: message.Imported,
		Content: content.text, Label: id.text, Name: name.text, ToolCallID: callID.text,
	}
	members := []string{
		between("role", `"assistant"`), between("content", content.json), between("id", id.json),
		between("name", name.json), between("tool_call_id", callID.json),
	}
	var calls []string
	for range rapid.IntRange(0, 2).Draw(t, "calls") {
		call, function, arguments := spellings(t, "id"), spellings(t, "function"), spellings(t, "arguments")
		if rapid.Bool().Draw(t, "arguments are an object") {
			arguments.json = object(t, lines, []string{between("k", arguments.json), between("n", "1.50")})
			arguments.text = arguments.json
		}
		m.ToolCalls = append(m.ToolCalls, message.ToolCall{ID: call.text, Name: function.text, Arguments: arguments.text})
		calls = append(calls, object(t, lines, []string{
			between("id", call.json), between("type", `"function"`),
			between("function", object(t, lines, []string{between("name", function.json), between("arguments", arguments.json)})),
		}))
	}
	if len(calls) > 0 {
		members = append(members, between("tool_calls", "["+strings.Join(calls, blanks(t, lines)+",")+"]"))
	}
	var kept []string
	for i := range rapid.IntRange(0, 3).Draw(t, "unknown keys") {
		key, value := spellings(t, "key"), spellings(t, "value")
		key.json = fmt.Sprintf(`"x%d`, i) + key.json[1:]
		if rapid.Bool().Draw(t, "the value is a list") {
			value.json = "[" + blanks(t, lines) + value.json + ",-1.0E+2,null ,{}]"
		}
		members = append(members, key.json+blanks(t, lines)+":"+value.json)
		kept = append(kept, key.json+":"+value.json)
	}
	if len(kept) > 0 {
		extra = `{"message":{` + strings.Join(kept, ",") + "}}"
	}
	// The order of the keys means nothing to a reader, but the unknown ones are kept in theirs.
	known := rapid.Permutation(members[:len(members)-len(kept)]).Draw(t, "order")
	return m, extra, object(t, lines, append(known, members[len(members)-len(kept):]...))
}

// FuzzTranscript reads any file. It must end, number what it reads in order, and take every value
// that is a message by encoding/json's word too.
func FuzzTranscript(f *testing.F) {
	for _, seed := range []string{
		`[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"a"}],"tool_calls":[{"id":1,"function":{"name":"f","arguments":{}}}]}]`,
		`{"title":"x","messages":[{"role":"user","content":null}],"model":"m"}`,
		"{\"role\":\"user\",\"content\":\"\\ud83d\"}\n{\"role\":\n",
		"{\n\"role\":\"user\"\n}\n{}", `[}{"]`, "\xEF\xBB\xBF{",
		`[{"role":"user","content":[{"image_url":{"url":"data:image/png;base64,AAEC"}},"x",{"image_url":"data:;base64,"}]}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		// Where encoding/json reads a list of messages, it reads the same ones.
		var list []struct{ Role, Content string }
		if json.Unmarshal(file, &list) != nil {
			list = nil
		}
		tr := NewReader(bytes.NewReader(file), false)
		for i := 0; ; i++ {
			m, err := tr.Next()
			if err == io.EOF && i < len(list) {
				t.Fatalf("%d messages are read of %q, want %d", i, file, len(list))
			}
			if err != nil {
				return
			}
			if i < len(list) && m.Broken == nil && alike(file) {
				m, want := m.Message, list[i]
				if m.Content != want.Content || m.Status == message.Quarantined && string(m.Role) != want.Role {
					t.Fatalf("message %d of %q is %q %q, want %q %q", i, file, m.Role, m.Content, want.Role, want.Content)
				}
			}
			if m.Index != i || m.Line < 1 || i > len(file) {
				t.Fatalf("message %d of %q has index %d and line %d", i, file, m.Index, m.Line)
			}
			if m.Extra != nil && !json.Valid(m.Extra) {
				t.Fatalf("message %d of %q: the extra %q is not JSON", i, file, m.Extra)
			}
		}
	})
}

// alike says that encoding/json takes the texts of a file as a transcript does: it replaces what is
// not UTF-8 and minds no capitals in keys, and the last of equal keys may be null.
func alike(file []byte) bool {
	lower := bytes.ToLower(file)
	return utf8.Valid(file) && bytes.Equal(lower, file) && !bytes.Contains(lower, []byte(`\u`)) &&
		!bytes.Contains(lower, []byte("null")) && !bytes.Contains(lower, []byte("\ufffd"))
}
