package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// slowAnswer returns the answer of the slow server's model: numbered words, so that every prefix is recognisable.
func slowAnswer(words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "w%05d ", i)
	}
	return b.String()
}

// slowServer streams answers word by word, for many conversations at once. Each conversation has its own path.
type slowServer struct {
	*served
	mu    sync.Mutex
	turns map[string]*slowTurn
}

// slowTurn is one turn as the server sees it: rounds of tool calls, then an answer.
type slowTurn struct {
	tools int             // rounds of tool calls before the answer
	words int             // of the answer
	pace  time.Duration   // between words
	reach func(turnPoint) // called at each point of the turn, before the server goes on

	mu     sync.Mutex
	bodies []string // of the requests
}

// turnPoint is a point of a turn as the server sees it.
type turnPoint struct {
	what  string // asked, word, said or done
	round int    // the number of the request, from 0
	word  int    // the number of words written so far
}

// newSlowServer starts a server for the programs of an environment. Kills may keep up to kills requests from being
// sent.
func newSlowServer(t testing.TB, env []string, kills int) *slowServer {
	t.Helper()
	s := &slowServer{turns: map[string]*slowTurn{}}
	s.served = listen(t, env, http.HandlerFunc(s.serve))
	s.Killed = kills
	return s
}

// add adds a turn and returns the base URL of its endpoint.
func (s *slowServer) add(turn *slowTurn) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprintf("/turn%d", len(s.turns))
	s.turns[name] = turn
	return s.URL + name + "/v1"
}

func (s *slowServer) serve(w http.ResponseWriter, r *http.Request) {
	name, chat := strings.CutSuffix(r.URL.Path, "/v1/chat/completions")
	s.mu.Lock()
	turn := s.turns[name]
	s.mu.Unlock()
	if !chat || turn == nil {
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client died while sending
	}
	turn.mu.Lock()
	turn.bodies = append(turn.bodies, string(body))
	round := len(turn.bodies) - 1
	turn.mu.Unlock()
	turn.reach(turnPoint{"asked", round, 0})
	w.Header().Set("Content-Type", "text/event-stream")
	if round < turn.tools {
		event(w, map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d", round), "type": "function",
			"function": map[string]any{"name": "look", "arguments": fmt.Sprintf(`{"round": %d}`, round)},
		}}}, "tool_calls")
	} else {
		turn.say(w, r, round)
	}
	io.WriteString(w, "data: [DONE]\n\n")
	w.(http.Flusher).Flush()
	turn.reach(turnPoint{"done", round, turn.words})
}

func (t *slowTurn) say(w http.ResponseWriter, r *http.Request, round int) {
	tick := time.NewTicker(max(t.pace, time.Microsecond))
	defer tick.Stop()
	for i := range t.words {
		event(w, map[string]any{"content": fmt.Sprintf("w%05d ", i)}, "")
		t.reach(turnPoint{"word", round, i + 1})
		if t.pace > 0 {
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	}
	event(w, map[string]any{}, "stop")
	t.reach(turnPoint{"said", round, t.words})
}

// asked returns the bodies of the requests so far.
func (t *slowTurn) asked() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.bodies...)
}

// event writes one event of a streamed answer.
func event(w http.ResponseWriter, delta map[string]any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	text, err := json.Marshal(map[string]any{"choices": []any{choice}})
	if err != nil {
		panic(err) // maps of strings and numbers are JSON
	}
	fmt.Fprintf(w, "data: %s\n\n", text)
	w.(http.Flusher).Flush()
}
