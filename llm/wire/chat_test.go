package wire

import "testing"

// A chunk that looks like the one before it is read as if it stood alone.
func TestAChunkLikeTheLastOneIsReadAsAnyOther(t *testing.T) {
	t.Parallel()
	const head = `{"id":"a","choices":[{"index":0,"delta":{"content": `
	chunks := []string{
		head + `"One \"two\""},"finish_reason":null}]}`,
		head + `" three\n"},"finish_reason":null}]}`,
		head + `null},"finish_reason":null}]}`,
		head + `"a","reasoning":"b"},"finish_reason":null}]}`,
		head + `["x"]},"finish_reason":null}]}`,
		head + `"","tool_calls":[{"index":0,"id":"1","function":{"name":"f","arguments":"{}"}}]},"finish_reason":null}]}`,
		`{"echo":{"content":"E"},"choices":[{"delta":{"content":"T"}}]}`,
		`{"echo":{"content":"F"},"choices":[{"delta":{"content":"T"}}]}`,
		head + `"end"},"finish_reason":"stop"}]}`,
	}
	for _, before := range chunks {
		for _, chunk := range chunks {
			both, alone := NewAnswer(Chat), NewAnswer(Chat)
			both.content("begins", false) // Behind text, <think> is text, and blanks are kept.
			alone.content("begins", false)
			for _, c := range []string{before, chunk} {
				both.Events()
				if err := both.Read([]byte(c)); err != nil {
					t.Fatal(err)
				}
			}
			alone.Events()
			if err := alone.Read([]byte(chunk)); err != nil {
				t.Fatal(err)
			}
			got, want := both.Events(), alone.Events()
			if len(got) > 0 && got[0].Channel >= Calls {
				continue
			}
			if len(got) != len(want) || len(got) > 0 && got[0].Text != want[0].Text {
				t.Errorf("behind %s\n%s\ngives %v, want %v", before, chunk, got, want)
			}
		}
	}
}
