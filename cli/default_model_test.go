package cli

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/llm/llmtest"
	"winnow/session/sessiontest"
)

// run asks the nearest model that a service lists in the place of winnow's own default, which is older, and says
// so. What the user named stays.
func TestRunReplacesADefaultThatTheServiceDoesNotList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, flag, list, asked string }{
		{"nothing is named", "", `{"data":[{"id":"deepseek-v4-pro"},{"id":"other"}]}`, "deepseek-v4-pro"},
		{"only the service is named", "deepseek", `{"data":[{"id":"deepseek-v4-pro"}]}`, "deepseek-v4-pro"},
		{"the model is named", "deepseek/deepseek-chat", `{"data":[{"id":"deepseek-v4-pro"}]}`, "deepseek-chat"},
		{"it is listed", "deepseek", `{"data":[{"id":"deepseek-v4-pro"},{"id":"deepseek-chat"}]}`, "deepseek-chat"},
		{"there is no list", "", "", "deepseek-chat"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan string, 3)
			requests := new(llmtest.Ledger)
			server := httptest.NewServer(requests.Count(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var body struct{ Model string }
				switch _ = json.NewDecoder(r.Body).Decode(&body); { // a GET has none
				case r.Host == "api.deepseek.com" && strings.HasSuffix(r.URL.Path, "/chat/completions"):
					asked <- body.Model
					io.WriteString(w, `data: {"choices":[{"delta":{"content":"Hello."},"finish_reason":"stop"}]}`+
						"\n\ndata: [DONE]\n\n")
				case strings.HasSuffix(r.URL.Path, "/models") && test.list != "":
					io.WriteString(w, test.list)
				default:
					http.NotFound(w, r)
				}
			})))
			defer server.Close()
			dir := t.TempDir()
			defer sessiontest.WantAnnounced(t, requests, filepath.Join(dir, "winnow.db"))
			open := func(name string) *os.File {
				f, err := os.Create(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { f.Close() })
				return f
			}
			env := map[string]string{
				"HOME": dir, "WINNOW_DB": filepath.Join(dir, "winnow.db"), "DEEPSEEK_API_KEY": "key-of-deepseek-0001",
			}
			p := &program{
				in: open("in"), out: &printer{file: open("out")}, err: open("err"),
				env: func(name string) string { return env[name] }, now: time.Now, build: "test",
				observe: sessiontest.Observe(requests),
				network: dialing(func(ctx context.Context, network, _ string) (net.Conn, error) {
					return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
				}),
			}
			args := []string{"run", "hello"}
			if test.flag != "" {
				args = append(args, "-m", test.flag)
			}
			code := p.main(t.Context(), args)
			said, _ := os.ReadFile(filepath.Join(dir, "err"))
			if code != OK || len(asked) != 1 {
				t.Fatalf("exit %d after %d requests: %s", code, len(asked), said)
			}
			replaced := strings.Contains(string(said),
				"deepseek does not list deepseek-chat, winnow's default model as of")
			if got := <-asked; got != test.asked || replaced != (test.asked != "deepseek-chat") {
				t.Errorf("asked %s, want %s; said %s", got, test.asked, said)
			}
		})
	}
}
