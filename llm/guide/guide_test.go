package guide

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"winnow/docs"
	"winnow/history"
	"winnow/llm"
)

var update = flag.Bool("update", false, "write the list of acts into docs/start.md")

// ask sends a conversation to the guide through winnow's client. The texts alternate between user and guide.
func ask(t *testing.T, texts ...string) (llm.Reply, *llm.Error) {
	t.Helper()
	r := llm.Request{Model: modelName}
	for i, text := range texts {
		role := []history.Role{history.User, history.Assistant}[i%2]
		r.Messages = append(r.Messages, history.Message{Role: role, Content: text, Status: history.Complete})
	}
	var reply llm.Reply
	for event, err := range llm.NewClient(NewEndpoint(docs.Pages, 0)).Stream(t.Context(), r) {
		var failure *llm.Error
		if errors.As(err, &failure) {
			return reply, failure
		}
		if err != nil {
			t.Fatalf("%q: %v is no *llm.Error", texts, err)
		}
		reply.Add(event)
	}
	return reply, nil
}

func TestWinnowsClientUnderstandsEveryAct(t *testing.T) {
	want := map[string]string{
		"long":              "text, end done, stop",
		"corrupt-tool-call": "text, 1 call, end done, length",
		"cut-stream":        "text, end cut, : broken",
		"overflow":          "end , : overflow",
	}
	for _, a := range acts {
		for _, message := range []string{"/guide " + a.name, "before\n\n/guide " + a.name + " ", a.asked + "?"} {
			if message == "?" {
				continue
			}
			reply, failure := ask(t, message)
			got := ""
			if strings.HasPrefix(reply.Text, signature) {
				got += "text, "
			}
			if len(reply.Calls) > 0 {
				got += fmt.Sprintf("%d call, ", len(reply.Calls))
			}
			got += fmt.Sprintf("end %s, %s", reply.Finished.End, reply.Finished.Reason)
			if failure != nil {
				got += ": " + string(failure.Kind)
			}
			if got != want[a.name] {
				t.Errorf("%q gives %q, want %q", message, got, want[a.name])
			}
		}
	}
	if long, _ := ask(t, "/guide long"); len(long.Text) < longBytes {
		t.Errorf("the long answer has %d bytes", len(long.Text))
	}
}

func TestRequestOverTheWindowIsRefused(t *testing.T) {
	_, failure := ask(t, strings.Repeat("word ", 5000))
	if failure == nil || failure.Kind != llm.ErrTooLong || failure.Limit != contextWindow || failure.Prompt < 5000 {
		t.Errorf("5,000 words give %+v, want the window and their tokens", failure)
	}
	reply, failure := ask(t, strings.Repeat("word ", 4000))
	if failure != nil || reply.Usage.Prompt < 4000 || reply.Usage.Prompt > contextWindow || reply.Usage.Answer < 20 {
		t.Errorf("4,000 words give %+v and usage %+v, want an answer", failure, reply.Usage)
	}
}

func TestWinnowsClientFindsTheModelAndItsWindow(t *testing.T) {
	client := llm.NewClient(NewEndpoint(docs.Pages, 0))
	models, err := client.Models(t.Context())
	if err != nil || len(models) != 1 || models[0].ID != modelName || models[0].Window.Tokens != contextWindow {
		t.Errorf("models are %+v (%v), want the guide with its window", models, err)
	}
}

func TestAnAnswerKeepsItsPaceUntilItIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		body := strings.NewReader(`{"model":"guide","messages":[{"role":"user","content":"hello"}]}`)
		req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", body)
		resp, err := NewEndpoint(docs.Pages, time.Second).Doer.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		for range 3 {
			if n, err := resp.Body.Read(make([]byte, 4096)); n == 0 || err != nil {
				t.Fatalf("read %d bytes: %v", n, err)
			}
		}
		if took := time.Since(begun); took != 3*time.Second {
			t.Errorf("three pieces took %s, want a second each", took)
		}
		cancel()
		rest, err := io.ReadAll(resp.Body)
		if !errors.Is(err, context.Canceled) || strings.Contains(string(rest), "[DONE]") {
			t.Errorf("after the cancel came %q and %v", rest, err)
		}
		time.Sleep(time.Second) // The goroutine notices the end at its next piece.
	})
}

// TestDocsListTheActs checks the table in docs/start.md, which go test ./llm/guide -update writes.
func TestDocsListTheActs(t *testing.T) {
	const file = "../../docs/start.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	table := "| send | what happens |\n|---|---|\n"
	for _, a := range acts {
		table += fmt.Sprintf("| `/guide %s` | %s |\n", a.name, strings.ReplaceAll(a.what, "my", "the guide's"))
	}
	before, rest, _ := strings.Cut(string(page), "guide's own list -->\n\n")
	_, after, found := strings.Cut(rest, "<!-- end of acts -->")
	want := before + "guide's own list -->\n\n" + table + "\n<!-- end of acts -->" + after
	if !found {
		t.Fatalf("%s has no place for the list", file)
	}
	if *update {
		err = os.WriteFile(file, []byte(want), 0o644)
	} else if string(page) != want {
		t.Errorf("%s lists other acts, want\n%s", file, table)
	}
	if err != nil {
		t.Fatal(err)
	}
}
