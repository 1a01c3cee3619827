package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"winnow/llm"
	"winnow/session/store"
)

// WindowTimeout is how long a turn waits for a server to state its window.
const WindowTimeout = 3 * time.Second

// FindWindow loads what was learned about the model and asks its server for the window, unless the window is known. It
// may wait for the network.
func (m *Model) FindWindow(ctx context.Context) error {
	if m.Window().Tokens > 0 {
		return nil
	}
	learned, err := m.deps.Store.ModelFacts(ctx, m.Client.Endpoint().BaseURL, m.Name)
	if err != nil {
		return err
	}
	m.Client.Learn(m.Name, ParseLearned(learned))
	stated, unstated := m.Client.StatedWindow(ctx, m.Name)
	m.mu.Lock()
	if m.window.Tokens > 0 {
		m.mu.Unlock()
		return nil // Another goroutine has found it.
	}
	m.learned = learned
	m.ratios = slices.Repeat([]float64{learned.Ratio}, min(learned.Samples, keptRatios))
	m.window = m.facts(m.known).Window()
	m.mu.Unlock()
	if unstated != nil {
		m.deps.Log.Debug("ask for the window", "model", m.Name, "err", unstated)
		return nil
	}
	m.noteStated(ctx, stated)
	return nil
}

// noteStated takes the window that the server states. Its date is when the server first stated it.
func (m *Model) noteStated(ctx context.Context, stated llm.Window) (changed bool) {
	m.mu.Lock()
	changed = stated.Tokens > 0 && stated.Tokens != m.learned.Stated
	if changed {
		m.learned.Stated, m.learned.StatedAt = stated.Tokens, m.deps.Now()
		m.limit = 0
	}
	if stated.At = m.learned.StatedAt; stated.Tokens == 0 {
		stated.At = time.Time{}
	}
	if stated.Tokens > 0 && stated.Tokens < m.ranWith && stated.MaxTokens > 0 {
		stated.MaxTokens = stated.Tokens // It runs the model with a smaller window than requested.
	}
	m.stated = stated
	m.window = m.facts(m.known).Window()
	m.mu.Unlock()
	if changed {
		if err := m.SaveLearned(ctx); err != nil && !errors.Is(err, store.ErrReadOnly) {
			m.deps.Log.Warn("keep what the server says of its window", "err", err)
		}
	}
	return changed
}

// Window returns the model's context window; Tokens is 0 before it is found.
func (m *Model) Window() llm.Window { return m.now().window }

// WindowFacts returns everything that is known about the model's window.
func (m *Model) WindowFacts() llm.WindowFacts { return m.facts(m.now()) }

func (m *Model) facts(k known) llm.WindowFacts {
	return KnownWindows(m.Client.Endpoint(), m.Name, k.learned, k.stated)
}

// KnownWindows returns what is known about a model's window from the configuration, from storage, and from what its
// server states now.
func KnownWindows(e llm.Endpoint, model string, l store.ModelFacts, stated llm.Window) llm.WindowFacts {
	f := llm.WindowFacts{Model: model, Remote: !e.IsSelfHosted(), Configured: e.ConfiguredWindow(model), Stated: stated}
	if l.Chosen > 0 {
		f.Chosen = llm.Window{Tokens: l.Chosen, Source: "set with /window", At: l.ChosenAt}
	}
	if l.Window > 0 {
		f.FromRefusal = llm.Window{Tokens: l.Window, Source: "the server's refusal", At: l.WindowAt}
	}
	return f
}

// SetWindow sets the model's window for all sessions. 0 removes the setting and forgets windows learned from refusals.
func (m *Model) SetWindow(ctx context.Context, tokens int) error {
	if tokens < 0 {
		return fmt.Errorf("a window of %d tokens is not possible; auto detects it", tokens)
	}
	err := m.deps.Store.UpdateModelFacts(ctx, m.Client.Endpoint().BaseURL, m.Name, func(l *store.ModelFacts) {
		l.Window, l.WindowAt = 0, time.Time{}
		l.Chosen, l.ChosenAt = tokens, time.Time{}
		if tokens > 0 {
			l.ChosenAt = m.deps.Now().Truncate(time.Millisecond).UTC()
		}
	})
	if err != nil && !errors.Is(err, store.ErrReadOnly) {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.applyWindow(tokens)
	return nil
}

// applyWindow uses a window set by the user. The caller holds the lock.
func (m *Model) applyWindow(tokens int) {
	m.learned.Chosen, m.learned.ChosenAt = tokens, m.deps.Now()
	m.learned.Window, m.learned.WindowAt = 0, time.Time{}
	m.limit, m.shrunkTo = 0, 0
	m.window = m.facts(m.known).Window()
}

// WithWindow returns a copy of the model as SetWindow would leave it. Nothing is stored.
func (m *Model) WithWindow(tokens int) (*Model, error) {
	if tokens < 0 {
		return nil, fmt.Errorf("a window of %d tokens is not possible; 0 detects it", tokens)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	other := &Model{Client: m.Client, Name: m.Name, Unavailable: m.Unavailable, deps: m.deps, known: m.known}
	other.applyWindow(tokens)
	return other, nil
}

// ActualWindow returns the window of the server if it contradicts the one that the user set: the one it states, or the
// limit after a truncation. Otherwise ok is false.
func (m *Model) ActualWindow() (tokens int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	set, over := m.facts(m.known).Contradicted()
	switch {
	case over:
		return m.window.Tokens, true
	case set.Tokens > 0 && m.limit > 0 && m.limit < set.Tokens:
		return m.limit, true
	}
	return 0, false
}

// NoteAnswered records that the model answered. A server that could not state its window before the model ran may be
// able to now.
func (m *Model) NoteAnswered() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ran, m.ranWith = m.ran || m.window.AskAgain, m.askedWindow()
}

// askedWindow returns the window that the server is asked to run the model with. It is 0 if the server does not take
// such a request, or if the window is only a guess, which could take too much memory. The caller holds the lock.
func (m *Model) askedWindow() int {
	if m.window.Assumed || m.window.ByName || m.Client.Wire(m.Name) != llm.OllamaWire {
		return 0
	}
	return m.window.Tokens
}

// QueryWindowAfterRun asks the server for a window that it could not state before the model ran, once after each
// answer. It reports whether the window is new. It may wait for the network; a turn that begins in the meantime does
// not wait.
func (m *Model) QueryWindowAfterRun(ctx context.Context) (other bool) {
	m.mu.Lock()
	due := m.ran
	m.ran = false
	m.mu.Unlock()
	return due && m.QueryWindow(ctx)
}

// QueryWindow asks the server for its window again, and reports whether it is new.
func (m *Model) QueryWindow(ctx context.Context) (other bool) {
	ctx, cancel := context.WithTimeout(ctx, WindowTimeout)
	defer cancel()
	stated, err := m.Client.StatedWindow(ctx, m.Name)
	return err == nil && stated.Tokens > 0 && m.noteStated(ctx, stated)
}

// ListedWindows returns what is known about the windows of the models that endpoints list: from the configuration, from
// storage, from the servers and from the models' names. Windows that would only be assumed are left empty. st may be
// nil. If reading the store fails, the windows are what is known without it.
func ListedWindows(
	ctx context.Context, st *store.Store, endpoints []llm.Endpoint, list []llm.Model, now time.Time,
) (windows []llm.Window, failed error) {
	for _, m := range list {
		var e llm.Endpoint
		if i := slices.IndexFunc(endpoints, func(e llm.Endpoint) bool { return e.Name == m.Endpoint }); i >= 0 {
			e = endpoints[i]
		}
		var known store.ModelFacts
		if st != nil && failed == nil {
			known, failed = st.ModelFacts(ctx, e.BaseURL, m.ID)
		}
		stated := m.Window
		if stated.At = known.StatedAt; stated.Tokens != known.Stated {
			stated.At = now
		}
		window := KnownWindows(e, m.ID, known, stated).Window()
		if window.Assumed {
			window = llm.Window{}
		}
		windows = append(windows, window)
	}
	return windows, failed
}
