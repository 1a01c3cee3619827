package openai

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// readAll reads a transcript to its end.
func readAll(t *testing.T, file io.Reader) ([]conversation.Message, conversation.About) {
	t.Helper()
	tr := NewReader(file, false)
	var all []conversation.Message
	for {
		m, err := tr.Next()
		if err == io.EOF {
			return all, tr.About()
		}
		if err != nil {
			t.Fatalf("Next after %d messages: %v", len(all), err)
		}
		all = append(all, m)
	}
}

// outline is what was read, one line a message: its line in the file, who says what, or why it is no message.
func outline(all []conversation.Message) string {
	var b strings.Builder
	for i, m := range all {
		if m.Index != i {
			fmt.Fprintf(&b, "index %d: ", m.Index)
		}
		if m.Broken != nil {
			fmt.Fprintf(&b, "%d: broken %s%s\n", m.Line, m.Broken.Field, m.Broken.What)
			continue
		}
		fmt.Fprintf(&b, "%d: %s %q\n", m.Line, m.Message.Role, m.Message.Content)
	}
	return b.String()
}

const twoSaid = "1: user \"hi\"\n1: assistant \"ho\"\n"

func TestTranscriptKnowsItsForm(t *testing.T) {
	const hi, ho = `{"role":"user","content":"hi"}`, `{"role":"assistant","content":"ho"}`
	for name, c := range map[string]struct{ file, want, remarks string }{
		"list":                   {"[" + hi + "," + ho + "]", twoSaid, ""},
		"list over lines":        {"\n[\n" + hi + ",\n" + ho + "\n]\n", "3: user \"hi\"\n4: assistant \"ho\"\n", ""},
		"object":                 {`{"messages":[` + hi + "," + ho + "]}", twoSaid, ""},
		"object, keys around":    {`{"title":"T","x":{"messages":[]},"messages":[` + hi + "," + ho + `],"model":"m"}`, twoSaid, ""},
		"lines":                  {hi + "\n" + ho + "\n", "1: user \"hi\"\n2: assistant \"ho\"\n", ""},
		"lines of other systems": {hi + "\r\n\r\n" + ho, "1: user \"hi\"\n3: assistant \"ho\"\n", ""},
		"mark at the beginning":  {"\xEF\xBB\xBF[" + hi + "," + ho + "]", twoSaid, ""},
		"mark and lines":         {"\xEF\xBB\xBF" + hi + "\n" + ho, "1: user \"hi\"\n2: assistant \"ho\"\n", ""},
		"one message":            {hi, "1: user \"hi\"\n", ""},
		"messages over lines":    {"{\n\"role\":\"user\",\n\"content\":\"hi\"}\n{\n\"role\":\"assistant\",\"content\":\"ho\"}", "1: user \"hi\"\n4: assistant \"ho\"\n", ""},
		"nothing":                {" \n", "", ""},
		"empty list":             {"[]", "", ""},
		"no list":                {`{"messages":null}`, "1: broken messagesis not a list of messages\n", ""},
		"empty object":           {`{}`, "1: broken has neither a role nor content, so it is not a message\n", ""},

		// What is broken costs nothing else.
		"broken line":      {hi + "\n{\"role\":\n" + ho, "1: user \"hi\"\n2: broken is not JSON (byte 8 of it: unexpected end of JSON input)\n3: assistant \"ho\"\n", ""},
		"broken 1st line":  {"{\"role\":\"us\n" + hi + "\n" + ho, "1: broken is not JSON (byte 11 of it: unexpected end of JSON input)\n2: user \"hi\"\n3: assistant \"ho\"\n", ""},
		"raw line feed":    {"{\"role\":\"user\",\"content\":\"a\nb\"}\n" + hi, "1: broken is not JSON (byte 28 of it: invalid character '\\n' in string literal)\n3: user \"hi\"\n", ""},
		"unclosed line":    {`{"role":"user"` + "\n" + hi, "1: broken is not JSON (byte 14 of it: unexpected end of JSON input)\n2: user \"hi\"\n", ""},
		"words, then JSON": {"Here it is:\n" + hi, "1: broken is not JSON (byte 1 of it: invalid character 'H' looking for beginning of value)\n2: user \"hi\"\n", ""},
		"broken element":   {`[{"role":"user",},` + hi + `,7,null,"x",` + ho + `]`, "1: broken is not JSON (byte 16 of it: invalid character '}' looking for beginning of object key string)\n1: user \"hi\"\n1: broken is a number, not an object with a role and a content\n1: broken is null, not an object with a role and a content\n1: broken is a text, not an object with a role and a content\n1: assistant \"ho\"\n", ""},
		"odd commas":       {"[," + hi + ",," + ho + ",]", twoSaid, ""},
		"stray bracket":    {"[" + hi + "}," + ho + "]", "1: user \"hi\"\n1: broken is not JSON (byte 1 of it: invalid character '}' looking for beginning of value)\n1: assistant \"ho\"\n", ""},
		"cut off in list":  {"[" + hi + "," + ho, twoSaid, "the file ends before its list of messages does; what came before is imported"},
		"cut off inside":   {"[" + hi + `,{"role":"assis`, "1: user \"hi\"\n1: broken is cut off: the file ends inside it\n", "the file ends before its list of messages does; what came before is imported"},
		"more behind":      {"[" + hi + "]\n[" + ho + "]", "1: user \"hi\"\n", "there is more after the conversation, from line 2 on; only one conversation per file is imported"},
		"two objects":      {`{"messages":[` + hi + "]}\n{\"messages\":[" + ho + "]}", "1: user \"hi\"\n", "there is more after the conversation, from line 2 on; only one conversation per file is imported"},
		"broken behind":    {`{"messages":[` + hi + `],"title" "x"}`, "1: user \"hi\"\n", "the data after the messages cannot be read; the messages are imported"},
		"null byte":        {"[" + hi + ",\x00," + ho + "]", "1: user \"hi\"\n1: broken is not JSON (byte 1 of it: invalid character '\\x00' looking for beginning of value)\n1: assistant \"ho\"\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			all, about := readAll(t, strings.NewReader(c.file))
			if got := outline(all); got != c.want {
				t.Errorf("%q is read as\n%swant\n%s", c.file, got, c.want)
			}
			remarks := ""
			for _, r := range about.Remarks {
				remarks += r.Field + r.What
			}
			if remarks != c.remarks {
				t.Errorf("%q: remarks %q, want %q", c.file, remarks, c.remarks)
			}
			slow, _ := readAll(t, iotest.OneByteReader(strings.NewReader(c.file)))
			if !reflect.DeepEqual(slow, all) {
				t.Errorf("%q, read byte by byte, is\n%swant\n%s", c.file, outline(slow), outline(all))
			}
		})
	}
}

func TestTranscriptSaysWhatTheFileSays(t *testing.T) {
	_, about := readAll(t, strings.NewReader(`{"id":"c1","title":"A \"T\"","system":"Be brief.\ud83d\ude00","messages":[],"x":[1],"model":"m","model2":7}`))
	want := conversation.About{Title: `A "T"`, Model: "m", System: "Be brief.😀", Unused: []string{"id", "x", "model2"}}
	if !reflect.DeepEqual(about, want) {
		t.Errorf("About is\n%+v, want\n%+v", about, want)
	}
}

func TestTranscriptOfAnotherFileEnds(t *testing.T) {
	for name, c := range map[string]struct {
		file io.Reader
		want error
	}{
		"a log":       {strings.NewReader(strings.Repeat("hello [2026-11-21]\n", 300)), ErrNotMessages},
		"words":       {strings.NewReader("[" + strings.Repeat("hello, ", 300)), ErrNotMessages},
		"a table":     {strings.NewReader(strings.Repeat("a,b,c\n", 300)), ErrNotMessages},
		"a null":      {strings.NewReader("\x00\x01\x02"), ErrNotMessages},
		"UTF-16":      {strings.NewReader("\xFF\xFE[\x00"), ErrNotUTF8},
		"broken disk": {io.MultiReader(strings.NewReader(`[{"role":"user","content":"hi"},{"ro`), iotest.ErrReader(io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF},
		"broken too":  {io.MultiReader(strings.NewReader(`{"ro`), iotest.ErrReader(io.ErrUnexpectedEOF)), io.ErrUnexpectedEOF},
	} {
		tr := NewReader(c.file, false)
		var err error
		for err == nil {
			_, err = tr.Next()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: the transcript ends with %v, want %v", name, err, c.want)
		}
	}
}

func TestTranscriptWithAMessageIsReadToItsEnd(t *testing.T) {
	file := strings.Repeat("?\n", maxBroken-1) + `{"role":"user","content":"hi"}` + "\n" + strings.Repeat("?\n", 2*maxBroken)
	if all, _ := readAll(t, strings.NewReader(file)); len(all) != 3*maxBroken {
		t.Errorf("%d values are read, want %d", len(all), 3*maxBroken)
	}
}

// one reads a file of one message.
func one(t *testing.T, file string) conversation.Message {
	t.Helper()
	all, _ := readAll(t, strings.NewReader(file))
	if len(all) != 1 || all[0].Broken != nil {
		t.Fatalf("%s is read as %s, want one message", file, outline(all))
	}
	return all[0]
}

func TestTranscriptTakesAMessageAsItIs(t *testing.T) {
	call := func(id, name, arguments string) []message.ToolCall {
		return []message.ToolCall{{ID: id, Name: name, Arguments: arguments}}
	}
	for name, c := range map[string]struct {
		file    string
		want    message.Message
		extra   string
		remarks string
	}{
		"plain":          {`{"role":"user","content":"a\n\"b\" \u00e9 \ud83d\ude00","name":"kim"}`, message.Message{Role: "user", Content: "a\n\"b\" é 😀", Name: "kim"}, "", ""},
		"not UTF-8":      {"{\"role\":\"user\",\"content\":\"a\xff\\n\xfe\"}", message.Message{Role: "user", Content: "a\xff\n\xfe"}, "", ""},
		"half a pair":    {`{"role":"user","content":"a\ud83dz\ude00"}`, message.Message{Role: "user", Content: "a\xed\xa0\xbdz\xed\xb8\x80"}, "", ""},
		"null byte":      {`{"role":"user","content":"\u0000"}`, message.Message{Role: "user", Content: "\x00"}, "", ""},
		"null content":   {`{"role":"assistant","content":null}`, message.Message{Role: "assistant"}, "", ""},
		"no content":     {`{"role":"assistant"}`, message.Message{Role: "assistant"}, "", ""},
		"id":             {`{"role":"user","content":"x","id":"m-1"}`, message.Message{Role: "user", Content: "x", Label: "m-1"}, "", ""},
		"id, a number":   {`{"role":"user","content":"x","id":12345678901234567890}`, message.Message{Role: "user", Content: "x", Label: "12345678901234567890"}, "", ""},
		"id, an object":  {`{"role":"user","content":"x","id":{"a" : 1}}`, message.Message{Role: "user", Content: "x"}, `{"message":{"id":{"a" : 1}}}`, "id is an object, not a text; it is kept, but not used"},
		"unknown keys":   {`{"role":"user","z":1.0,"content":"x","\u0061 b": [ 1, {"k":"\u00e9"} ],"z":2}`, message.Message{Role: "user", Content: "x"}, `{"message":{"z":1.0,"\u0061 b":[ 1, {"k":"\u00e9"} ],"z":2}}`, ""},
		"a key twice":    {`{"role":"user","content":"a","content":"b"}`, message.Message{Role: "user", Content: "b"}, `{"message":{"content":"a"}}`, "content appears more than once; the last one is used"},
		"thoughts":       {`{"role":"assistant","content":"x","reasoning":"r"}`, message.Message{Role: "assistant", Content: "x", Reasoning: "r"}, "", ""},
		"two thoughts":   {`{"role":"assistant","content":"x","reasoning":"r","reasoning_content":"c"}`, message.Message{Role: "assistant", Content: "x", Reasoning: "c"}, `{"message":{"reasoning":"r"}}`, ""},
		"developer":      {`{"role":"developer","content":"x"}`, message.Message{Role: "system", Content: "x"}, `{"message":{"role":"developer"}}`, ""},
		"orchestrator":   {`{"role":"orchestrator","content":"x"}`, message.Message{Role: "assistant", Content: "x"}, `{"message":{"role":"orchestrator"}}`, ""},
		"function":       {`{"role":"function","name":"f","content":"x"}`, message.Message{Role: "tool", Name: "f", Content: "x"}, `{"message":{"role":"function"}}`, ""},
		"capitals":       {`{"role":" User ","content":"x"}`, message.Message{Role: "user", Content: "x"}, `{"message":{"role":" User "}}`, ""},
		"narrator":       {`{"role":"narrator","content":"x"}`, message.Message{Role: "narrator", Content: "x", Status: message.Quarantined}, "", `role is "narrator", which is not a known role; the message is kept and shown, but never sent`},
		"role, a number": {`{"role":7,"content":"x"}`, message.Message{Role: "7", Content: "x", Status: message.Quarantined}, "", "role is a number, not a text; the message is kept and shown, but never sent"},
		"no role":        {`{"content":"x"}`, message.Message{Content: "x", Status: message.Quarantined}, "", "role is missing; the message is kept and shown, but never sent"},

		"content, a number":  {`{"role":"tool","content":1.50}`, message.Message{Role: "tool", Content: "1.50"}, "", "content is a number, not a string; its JSON is used as the text"},
		"content, an object": {`{"role":"tool","content":{"rain" : true}}`, message.Message{Role: "tool", Content: `{"rain" : true}`}, "", "content is an object, not a string; its JSON is used as the text"},
		"one text":           {`{"role":"user","content":[{"type":"text","text":"a\nb"}]}`, message.Message{Role: "user", Content: "a\nb"}, `{"message":{"content":[{"type":"text","text":""}]}}`, ""},
		"two texts":          {`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache":1}]}`, message.Message{Role: "user", Content: "a\n\nb"}, `{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache":1}]}}`, ""},
		"an image": {
			`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAEC","detail":"low"}}]}`,
			message.Message{Role: "user", Content: "see", Parts: []message.Part{{Kind: message.ImagePart, MediaType: "image/png", Data: []byte{0, 1, 2}}}},
			`{"message":{"content":[{"type":"text","text":""},{"type":"image_url","image_url":{"url":"data:image/png;base64,","detail":"low"}}]}}`, "",
		},
		"other parts": {
			`{"role":"user","content":["hi",{"type":"input_audio","input_audio":{"data":"AA"}},{"type":"image_url","image_url":"https://example.com/a.png"},3]}`,
			message.Message{Role: "user", Content: "hi"},
			`{"message":{"content":["",{"type":"input_audio","input_audio":{"data":"AA"}},{"type":"image_url","image_url":"https://example.com/a.png"},3]}}`,
			"content contains data that winnow cannot send (input_audio, an image that is not in the file, a number); it is kept, but not used",
		},

		"calls": {
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1,}"}}]}`,
			message.Message{Role: "assistant", ToolCalls: call("c1", "f", `{"a": 1,}`)},
			"", "",
		},
		"arguments, an object": {
			`{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":{"a" : 1.0}}}]}`,
			message.Message{Role: "assistant", ToolCalls: call("c1", "f", `{"a" : 1.0}`)},
			"", "",
		},
		"odd calls": {
			`{"role":"assistant","tool_calls":[{"index":0,"id":7,"type":"custom","function":{"name":null,"strict":true}},{"name":"g","arguments":null,"x":1}]}`,
			message.Message{Role: "assistant", ToolCalls: []message.ToolCall{{ID: "7"}, {Name: "g", Arguments: "null"}}},
			`{"tool_calls":{"0":{"index":0,"type":"custom","function":{"name":null,"strict":true}},"1":{"x":1}}}`, "",
		},
		"function_call": {
			`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}`,
			message.Message{Role: "assistant", ToolCalls: call("", "f", "{}")},
			"", "",
		},
		"calls, no list": {
			`{"role":"assistant","content":"x","tool_calls":{"a":1}}`,
			message.Message{Role: "assistant", Content: "x"},
			`{"message":{"tool_calls":{"a":1}}}`, "tool_calls is an object, not a list; it is kept, but not used",
		},
		"a call, no object": {
			`{"role":"assistant","tool_calls":["f",{"id":"c"}]}`,
			message.Message{Role: "assistant", ToolCalls: call("c", "", "")},
			`{"message":{"tool_calls":["f",{"id":"c"}]}}`, "tool_calls holds a text among its calls; it is kept, but not used",
		},
		"result": {`{"role":"tool","tool_call_id":"c1","content":""}`, message.Message{Role: "tool", ToolCallID: "c1"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.want.Status == "" {
				c.want.Status = message.Imported
			}
			got := one(t, c.file)
			if !reflect.DeepEqual(got.Message.Message, c.want) {
				t.Errorf("%s is read as\n%+v, want\n%+v", c.file, got.Message, c.want)
			}
			if string(got.Extra) != c.extra {
				t.Errorf("%s: extra\n%s, want\n%s", c.file, got.Extra, c.extra)
			}
			var remarks []string
			for _, r := range got.Remarks {
				remarks = append(remarks, r.Field+" "+r.What)
			}
			if all := strings.Join(remarks, "; "); all != c.remarks {
				t.Errorf("%s: remarks\n%s, want\n%s", c.file, all, c.remarks)
			}
		})
	}
}

func TestTranscriptReadsTimes(t *testing.T) {
	const ms = 1761744600123
	for stamp, want := range map[string]int64{
		`"2025-10-29T13:30:00.123Z"`:            ms,
		`"2025-10-29T14:30:00.123456789+01:00"`: ms,
		`"2025-10-29T13:30:00.123456"`:          ms, // without a zone it is UTC
		`"2025-10-29 13:30:00.123"`:             ms,
		`1761744600.123`:                        ms,
		`"1761744600.123"`:                      ms,
		`1761744600123`:                         ms,
		`1761744600123456`:                      ms,
		`1761744600123000000`:                   ms,
		`-1`:                                    -1000,
		`"2025-10-29"`:                          1761696000000,
	} {
		m := one(t, `{"role":"user","content":"x","timestamp":`+stamp+`}`)
		if m.Message.CreatedMS != want || m.BadTime != "" || m.Extra != nil {
			t.Errorf("timestamp %s is %d (%q, extra %s), want %d", stamp, m.Message.CreatedMS, m.BadTime, m.Extra, want)
		}
	}
	for stamp, want := range map[string]string{
		`"yesterday"`:            `is "yesterday", which is not a time`,
		`0`:                      `is "0", which is not a time`,
		`1e300`:                  `is "1e300", which is not a time`,
		`"NaN"`:                  `is "NaN", which is not a time`,
		`"0001-01-01T00:00:00Z"`: `is "0001-01-01T00:00:00Z", which is not a time`,
		`[1]`:                    "is a list, not a time",
	} {
		m := one(t, `{"role":"user","content":"x","timestamp":`+stamp+`}`)
		if m.Message.CreatedMS != 0 || m.BadTime != want || string(m.Extra) != `{"message":{"timestamp":`+stamp+`}}` {
			t.Errorf("timestamp %s is %d (%q, extra %s), want none and %q", stamp, m.Message.CreatedMS, m.BadTime, m.Extra, want)
		}
	}
	for _, none := range []string{`null`, `""`} {
		m := one(t, `{"role":"user","content":"x","timestamp":`+none+`}`)
		if m.Message.CreatedMS != 0 || m.BadTime != "" {
			t.Errorf("timestamp %s is %d (%q), want none", none, m.Message.CreatedMS, m.BadTime)
		}
	}
}

func TestAttachedTextsBecomeParts(t *testing.T) {
	m, err := NewReader(strings.NewReader(`[{"role":"user","content":"hi","attachments":[{"type":"code","language":"go","content":"a"},{"filename":"n.md","text":"b"},{"type":"image","url":"u"}]}]`), false).Next()
	want := []message.Part{
		{Kind: message.TextPart, Name: "go attachment", MediaType: "text/plain", Text: "a"},
		{Kind: message.TextPart, Name: "n.md", MediaType: "text/plain", Text: "b"},
	}
	if err != nil || !slices.EqualFunc(m.Message.Parts, want, func(a, b message.Part) bool {
		return a.Kind == b.Kind && a.Name == b.Name && a.MediaType == b.MediaType && a.Text == b.Text
	}) {
		t.Errorf("the parts are %+v, %v; want %+v", m.Message.Parts, err, want)
	}
	if kept := string(m.Extra); kept != `{"message":{"attachments":[{"type":"image","url":"u"}]}}` {
		t.Errorf("what is kept beside is %s", kept)
	}
}
