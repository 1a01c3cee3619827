package history

import (
	"errors"
	"strings"
	"testing"
)

// wire reads a request from lines of "role content". In "assistant content | id name arguments | …"
// the rest are calls, and "tool id content" answers one.
func wire(t *testing.T, text string) []Message {
	t.Helper()
	var messages []Message
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		pieces := strings.Split(line, " | ")
		role, content, _ := strings.Cut(strings.TrimSpace(pieces[0]), " ")
		m := Message{Role: Role(role), Content: strings.TrimSpace(content)}
		if m.Role == Tool {
			m.ToolCallID, m.Content, _ = strings.Cut(m.Content, " ")
		}
		for _, piece := range pieces[1:] {
			id, rest, _ := strings.Cut(piece, " ")
			name, arguments, _ := strings.Cut(rest, " ")
			m.ToolCalls = append(m.ToolCalls, ToolCall{ID: id, Name: name, Arguments: arguments})
		}
		messages = append(messages, m)
	}
	return messages
}

func TestValidRules(t *testing.T) {
	for _, tt := range []struct {
		rule    string // "" where accepted
		index   int
		text    string
		profile Profile
	}{
		{"", 0, "system be brief\nuser hi\nassistant hello\nuser bye", Profile{}},
		{"", 0, "user hi", Profile{}},
		{"V1", 0, "", Profile{}},
		{"V1", 1, "system be brief", Profile{}},
		{"V1", 1, "system be brief\nassistant hello\nuser hi", Profile{}},
		{"V1", 0, "tool a x\nuser hi", Profile{}},
		{"V1", 1, "system be brief\nsystem be kind\nuser hi", Profile{}},
		{"V1", 2, "user hi\nassistant hello\nsystem be brief\nuser bye", Profile{}},

		{"", 0, "user hi\nassistant | a look {}\ntool a found", Profile{}},
		{"V2", 1, "user hi\nassistant hello", Profile{}},
		{"V2", 1, "user hi\nassistant | a look {}", Profile{}},

		{"", 0, "user hi\nassistant two | a look {} | b look {}\ntool b x\ntool a y\nassistant | c look {}\ntool c z\nuser bye", Profile{}},
		{"V3", 1, "user hi\nassistant |  look {}\ntool  x", Profile{}},
		{"V3", 1, "user hi\nassistant | a  {}\ntool a x", Profile{}},
		{"V3", 3, "user hi\nassistant | a look {}\ntool a x\nassistant | a look {}\ntool a x", Profile{}},
		{"V3", 1, "user hi\nassistant | a look {} | b look {}\ntool a x", Profile{}},
		{"V3", 1, "user hi\nassistant | a look {}\nuser bye\ntool a x", Profile{}},
		{"V3", 3, "user hi\nassistant | a look {}\ntool a x\ntool a x", Profile{}},
		{"V3", 1, "user hi\ntool a x", Profile{}},
		{"V3", 4, "user hi\nassistant | a look {}\ntool a x\nuser more\ntool a y", Profile{}},

		{"", 0, "user hi\nassistant | a look {\"b\": [1]}\ntool a x", Profile{}},
		{"V4", 1, "user hi\nassistant | a look \ntool a x", Profile{}},
		{"V4", 1, "user hi\nassistant | a look null\ntool a x", Profile{}},
		{"V4", 1, "user hi\nassistant | a look \"{}\"\ntool a x", Profile{}},
		{"V4", 1, "user hi\nassistant | a look [1]\ntool a x", Profile{}},
		{"V4", 1, "user hi\nassistant | a look {}{}\ntool a x", Profile{}},
		{"V4", 1, "user hi\nassistant | a look {\"b\": \"c\ntool a x", Profile{}},

		{"V5", 0, "user\nassistant hello\nuser hi", Profile{}},
		{"V5", 1, "user hi\nassistant\nuser bye", Profile{}},
		{"V5", 2, "user hi\nassistant | a look {}\ntool a", Profile{}},
		{"V5", 0, "system\nuser hi", Profile{}},

		{"", 0, "user hi\nassistant | a look {}\ntool a x\nuser bye", Profile{}},
		{"", 0, "user hi\nassistant | a look {}\ntool a x\nassistant ok\nuser bye", Profile{NoToolToUser: true}},
		{"V6", 3, "user hi\nassistant | a look {}\ntool a x\nuser bye", Profile{NoToolToUser: true}},
		{"", 0, "user hi\nuser you", Profile{}},
		{"", 0, "user hi\nassistant | a look {} | b look {}\ntool a x\ntool b y", Profile{MergeSameRole: true}},
		{"", 0, "user hi\nassistant first | a look {}\ntool a x", Profile{MergeSameRole: true}},
		{"V6", 2, "user hi\nassistant first\nassistant | a look {}\ntool a x", Profile{MergeSameRole: true}},
		{"V6", 1, "user hi\nuser you", Profile{MergeSameRole: true}},
		{"V6", 2, "user hi\nassistant one\nassistant two\nuser bye", Profile{MergeSameRole: true}},

		{"V7", 1, "user hi\ndeveloper hello\nuser bye", Profile{}},
		{"V7", 0, "user hi | a look {}\ntool a x", Profile{}},

		{"", 0, "user hi\nassistant | call_1-A look {}\ntool call_1-A x", Profile{}},
		{"V8", 1, "user hi\nassistant | call.1 look {}\ntool call.1 x", Profile{}},
		{"V8", 1, "user hi\nassistant | élan look {}\ntool élan x", Profile{}},
		{"", 0, "user hi\nassistant | abcDEF123 look {}\ntool abcDEF123 x", Profile{ToolIDLength: 9}},
		{"V8", 1, "user hi\nassistant | call_1 look {}\ntool call_1 x", Profile{ToolIDLength: 9}},
		{"V8", 1, "user hi\nassistant | call_1234 look {}\ntool call_1234 x", Profile{ToolIDLength: 9}},
	} {
		checkValid(t, tt.text, wire(t, tt.text), tt.profile, tt.rule, tt.index)
	}
}

func checkValid(t *testing.T, name string, messages []Message, p Profile, rule string, index int) {
	t.Helper()
	err := Valid(messages, p)
	var invalid *InvalidError
	switch {
	case rule == "" && err != nil:
		t.Errorf("Valid with %+v of\n%s\n got %v, want no error", p, name, err)
	case rule != "" && (!errors.As(err, &invalid) || invalid.Rule != rule || invalid.Index != index):
		t.Errorf("Valid with %+v of\n%s\n got %v, want rule %s of message %d", p, name, err, rule, index+1)
	}
}

// Some faults have no place in a line of text.
func TestValidFields(t *testing.T) {
	image := []Part{{Kind: ImagePart, MediaType: "image/png", Data: []byte{1}}}
	for _, tt := range []struct {
		name     string
		messages []Message
		rule     string
	}{
		{"an image speaks", []Message{{Role: User, Parts: image}}, ""},
		{"an empty part does not", []Message{{Role: User, Parts: []Part{{Kind: TextPart, Text: " "}}}}, "V5"},
		{"blanks are blank", []Message{{Role: User, Content: " \n\u00a0"}}, "V5"},
		{"a name", []Message{{Role: User, Content: "hi", Name: "Ann"}}, "V7"},
		{"a user who answers a call", []Message{{Role: User, Content: "hi", ToolCallID: "a"}}, "V7"},
	} {
		checkValid(t, tt.name, tt.messages, Profile{}, tt.rule, 0)
	}
}
