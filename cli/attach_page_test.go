package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// A page is asked of its host when the user has agreed, and goes with the message as text.
func TestAPageIsAttachedToAMessage(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<h1>Opening hours</h1><script>alert(1)</script><p>From <b>nine</b> to five.</p>")
	}))
	t.Cleanup(site.Close)
	model := newScriptedServer("200\n" + `data: {"choices":[{"index":0,"delta":{"content":"From nine."},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]")
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("[tools]\nfetch_hosts = [\"127.0.0.1\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, env := serve(t, append(home(t), "WINNOW_CONFIG="+config), model)
	chat := startIn(t, env, 110, 32, "-m", "openai/small")
	chat.want("small", "enter send")
	chat.send("/attach " + site.URL + "/hours" + enterKey)
	chat.want("Fetch a page from 127.0.0.1", "Don’t fetch it")
	chat.send(enterKey)
	chat.want("The page was not fetched.")
	chat.send("/attach " + site.URL + "/hours" + enterKey)
	chat.want("Don’t fetch it")
	if n := asked.Load(); n != 0 {
		t.Errorf("the page was asked for %d times before the user agreed", n)
	}
	chat.send("\x1b[B" + enterKey)
	chat.waitFor("the chip", regexp.MustCompile(`~\d+ tokens`).MatchString)
	chat.send("When do they open?" + enterKey)
	chat.waitFor("the answer", answered)
	model.mu.Lock()
	body := string(model.asked)
	model.mu.Unlock()
	if !strings.Contains(body, `# Opening hours\n\nFrom **nine** to five.`) || strings.Contains(body, "alert") {
		t.Errorf("the request does not hold the page as text: %s", body)
	}
	chat.send(ctrlD)
	chat.end()
}
