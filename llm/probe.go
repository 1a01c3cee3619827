package llm

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// probeTime is how long a local server has to answer: it is on this machine and only lists its
// models.
const probeTime = 150 * time.Millisecond

// localServers are the servers people run on their own machine, at their default ports. Only the
// loopback address is asked, never the network.
var localServers = []struct{ name, base string }{
	{"ollama", "http://127.0.0.1:11434/v1"},
	{"llama.cpp", "http://127.0.0.1:8080/v1"},
	{"lmstudio", "http://127.0.0.1:1234/v1"},
	{"vllm", "http://127.0.0.1:8000/v1"},
}

// localEndpoints are the servers that may run on this machine.
func localEndpoints(d Doer) []Endpoint {
	var endpoints []Endpoint
	for _, s := range localServers {
		endpoints = append(endpoints, Endpoint{Name: s.name, BaseURL: s.base, Doer: d})
	}
	return endpoints
}

// asked is what came of asking an endpoint for its models.
type asked struct {
	endpoint Endpoint // with Default filled in where it was empty
	err      error
}

// ask asks all endpoints at once for their models. The answers stand in the order of the
// endpoints.
func ask(ctx context.Context, endpoints []Endpoint, timeout time.Duration) []asked {
	if timeout <= 0 {
		timeout = probeTime
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answers := make([]asked, len(endpoints))
	var wait sync.WaitGroup
	for i, e := range endpoints {
		wait.Go(func() {
			client := NewClient(e)
			models, err := client.Models(ctx)
			client.rest()
			if err == nil && e.Default == "" {
				e.Default = firstChat(models)
			}
			answers[i] = asked{e, err}
		})
	}
	wait.Wait()
	return answers
}

// firstChat is the first model to chat with, "" for none.
func firstChat(models []Model) string {
	for _, m := range chatModels(models) {
		return m.ID
	}
	return ""
}

// chatModels are the models that are not, by their names, for something else than chatting.
func chatModels(models []Model) []Model {
	return slices.DeleteFunc(slices.Clone(models), func(m Model) bool {
		name := strings.ToLower(m.ID)
		return slices.ContainsFunc([]string{"embed", "rerank", "whisper", "tts", "moderation", "bge-", "dall-e"}, func(other string) bool {
			return strings.Contains(name, other)
		})
	})
}
