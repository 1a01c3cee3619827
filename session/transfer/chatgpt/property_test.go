package chatgpt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// TestChatGPTKeepsEveryTextAndBranch writes random trees as a mapping in any order, with nodes that hold
// nothing between the messages, and wants every text back behind the one that it followed.
func TestChatGPTKeepsEveryTextAndBranch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 15).Draw(t, "nodes")
		above := make([]int, n)
		texts := make([]string, n)
		kids := make([][]string, n)
		for i := range above {
			above[i] = rapid.IntRange(-1, i-1).Draw(t, "above")
			if above[i] >= 0 {
				kids[above[i]] = append(kids[above[i]], fmt.Sprint("n", i))
			}
		}
		members := make([]string, n)
		real := map[string]int{}
		for i := range n {
			message := "null"
			if rapid.IntRange(0, 3).Draw(t, "is a message") > 0 {
				text := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\xff", "\x00", `\`, `"`, "{", "😀"})), 0, 4).Draw(t, "text"), "")
				role := rapid.SampledFrom([]string{"user", "assistant", "tool"}).Draw(t, "role")
				if strings.TrimSpace(text) == "" {
					text = "x"
				}
				texts[i] = text
				real[fmt.Sprint("n", i)] = i
				message = fmt.Sprintf(`{"id":"n%d","author":{"role":"%s"},"create_time":%d,"content":{"content_type":"text","parts":[%s]}}`, i, role, i+1, rawjson.Quote(text))
			}
			parent := "null"
			if above[i] >= 0 {
				parent = fmt.Sprintf(`"n%d"`, above[i])
			}
			list, err := json.Marshal(kids[i])
			if err != nil {
				t.Fatal(err)
			}
			members[i] = fmt.Sprintf(`"n%d":{"id":"n%d","parent":%s,"children":%s,"message":%s}`, i, i, parent, list, message)
		}
		leaf := rapid.IntRange(0, n-1).Draw(t, "leaf")
		file := fmt.Sprintf(`[{"conversation_id":"c","title":"t","current_node":"n%d","mapping":{%s}}]`, leaf, strings.Join(rapid.Permutation(members).Draw(t, "order"), ",\n"))

		conv, err := NewReader(strings.NewReader(file), nil, false).Next()
		if err != nil || conv.Broken != nil || len(conv.Remarks) > 0 {
			t.Fatalf("%s is read as %+v, %v", file, conv, err)
		}
		if len(conv.Messages) != len(real) {
			t.Fatalf("%d messages are read of %d in %s", len(conv.Messages), len(real), file)
		}
		// speaks is the nearest message at or above a node.
		speaks := func(i int) string {
			for ; i >= 0; i = above[i] {
				if name := fmt.Sprint("n", i); texts[i] != "" {
					return name
				}
			}
			return ""
		}
		label := func(at int) string {
			if at < 0 {
				return ""
			}
			return conv.Messages[at].Label
		}
		seen := map[int]int{}
		for at, m := range conv.Messages {
			i := real[m.Label]
			if m.Content != texts[i] || label(m.After) != speaks(above[i]) || m.CreatedMS != int64(i+1)*1000 {
				t.Fatalf("message %s of %s is %q behind %q at %d, want %q behind %q", m.Label, file, m.Content, label(m.After), m.CreatedMS, texts[i], speaks(above[i]))
			}
			// Children of one node keep their order.
			if before, ok := seen[above[i]]; ok && above[i] >= 0 && before > i {
				t.Fatalf("message %s of %s stands behind a later sibling", m.Label, file)
			}
			seen[above[i]] = i
			if m.After >= at {
				t.Fatalf("message %d of %s stands before message %d", at, file, m.After)
			}
		}
		if want := speaks(leaf); want != "" && label(conv.Leaf) != want {
			t.Fatalf("the leaf of %s is %q, want %q", file, label(conv.Leaf), want)
		}
	})
}

// FuzzChatGPT reads any file. It must end, and what it reads can be stored.
func FuzzChatGPT(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(text).Files[0].Data)
	}
	for _, seed := range []string{
		"", "{", "[", "]", "[{}", `{"conversations":`, `{"conversations":[`, `{"mapping":{}}{"mapping":{}}`, "\xEF\xBB\xBF[]",
		`[{"mapping":{"":{"message":{"content":{"content_type":"thoughts","thoughts":[[],{"chunks":[1]}]}}}}}]`,
		`[{"mapping":{"a":{"parent":"a","children":[1,"a","a"],"message":{"content":{"parts":[[],{},null,7,{"asset_pointer":"file-"}]},"metadata":{"attachments":[1,{},{"id":""}]}}}}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		c := NewReader(bytes.NewReader(file), onlyCat, false)
		for i := 0; ; i++ {
			conv, err := c.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatalf("%q ends with %v", file, err)
			}
			if conv.Index != i || i > len(file) {
				t.Fatalf("conversation %d of %q has index %d", i, file, conv.Index)
			}
			if conv.Leaf >= len(conv.Messages) || conv.Leaf < 0 && len(conv.Messages) > 0 {
				t.Fatalf("conversation %d of %q ends at %d of %d", i, file, conv.Leaf, len(conv.Messages))
			}
			if conv.Session.Origin == "" && len(conv.Messages) > 0 {
				t.Fatalf("conversation %d of %q has no id", i, file)
			}
			labels := map[string]bool{}
			for at, m := range conv.Messages {
				if m.Label == "" || labels[m.Label] || m.After >= at {
					t.Fatalf("message %d of %q is %q behind %d", at, file, m.Label, m.After)
				}
				labels[m.Label] = true
				if m.Extra != nil && !json.Valid(m.Extra) {
					t.Fatalf("message %d of %q: the extra %q is not JSON", at, file, m.Extra)
				}
				for _, call := range m.ToolCalls {
					if !json.Valid([]byte(call.Arguments)) {
						t.Fatalf("message %d of %q calls with %q", at, file, call.Arguments)
					}
				}
				if m.Status == message.Imported && !conversation.KnownRole(m.Role) {
					t.Fatalf("message %d of %q is sent as %q", at, file, m.Role)
				}
			}
		}
	})
}
