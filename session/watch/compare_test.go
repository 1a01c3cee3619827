package watch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"winnow/llm/pricing"
	"winnow/llm/watch"
)

// Each case is a request, the next one, and what winnow says about the two.
func TestComparisons(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/compare/*.txtar")
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		ok(t, err)
		part := map[string]string{}
		for _, f := range a.Files {
			part[f.Name] = string(f.Data)
		}
		w := watch.Wire(strings.TrimSpace(part["wire"]))
		before, now := knownOf(t, w, part["before"]), knownOf(t, w, part["now"])
		b := breakOf(before, now, time.Minute, used(50_000, 0), used(60_000, 2_000))
		now.Row.Break = b
		blocks, params := compare(&before.Body, &now.Body, size), changedParams(&before.Body, &now.Body)
		v := View{Request: now.Row, Against: &before.Row, Blocks: blocks, Params: params}
		got := headOf(v) + "\n"
		if b != nil {
			got += fmt.Sprintf("%s: %s\n", b.Class, b.What)
		}
		for _, c := range blocks {
			got += strings.TrimSpace(fmt.Sprintf("%-9s %s %s", c.Verdict, c.Place, c.Reason)) + "\n"
		}
		for _, s := range watch.Damage(now.Body) {
			got += "! " + s + "\n"
		}
		if got != part["want"] {
			t.Errorf("%s: got\n%swant\n%s", name, got, part["want"])
		}
	}
}

func perBlock(string) int { return 1 }

// drawBlocks draws the blocks of a request, many of which are equal.
func drawBlocks(t *rapid.T) (r watch.Request) {
	for i := range rapid.IntRange(0, 12).Draw(t, "blocks") {
		b := watch.Block{Place: fmt.Sprintf("messages[%d]", i)}
		b.Kind = rapid.SampledFrom([]watch.Kind{watch.Tool, watch.User, watch.Call}).Draw(t, "kind")
		b.Text = rapid.SampledFrom([]string{"a", "b", "a\nb\nc", "a\n…\nc", ""}).Draw(t, "text")
		b.ID = rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "id")
		b.Key = string(b.Kind) + b.ID + b.Text
		r.Blocks = append(r.Blocks, b)
	}
	return r
}

// Each block of both requests is in the comparison once, and a request is the same as itself.
func TestEachBlockIsComparedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		before, now := drawBlocks(t), drawBlocks(t)
		var next []watch.Block
		was := map[string]bool{}
		all := compare(&before, &now, perBlock)
		n := tally(all)
		for _, c := range all {
			if c.Verdict != Gone {
				next = append(next, c.Block)
			}
			if c.Was == nil != (c.Verdict == New || c.Verdict == Same) || c.Was != nil && was[c.Was.Place] {
				t.Fatalf("%s was %+v, %v", c.Place, c.Was, was)
			}
			if c.Was != nil {
				was[c.Was.Place] = true
			}
		}
		if !slices.Equal(next, now.Blocks) || len(was)+n[Same] != len(before.Blocks) || len(all) != len(next)+n[Gone] {
			t.Fatalf("%v of %d blocks before and %d now", n, len(before.Blocks), len(now.Blocks))
		}
		same, fresh := tally(compare(&now, &now, perBlock)), tally(compare(nil, &now, perBlock))
		if same[Same] != len(now.Blocks) || fresh[New] != len(now.Blocks) {
			t.Fatalf("a request is %v to itself, and a first one %v", same, fresh)
		}
	})
}

// A comparison of very many blocks would take too long.
func TestVeryManyBlocksAreNotRead(t *testing.T) {
	t.Parallel()
	k := read(Request{Wire: watch.Chat}, []byte(`{"messages":[`+strings.Repeat("1,", 10_000)+`1]}`))
	if k.Wire != watch.NotRead {
		t.Errorf("%d blocks are read", len(k.Blocks))
	}
}

// A head speaks of the cache only where the request is compared with the one that it was measured against.
func TestHeads(t *testing.T) {
	t.Parallel()
	v := View{Blocks: []Compared{{Block: watch.Block{Place: "messages[0]"}, Verdict: New}}}
	heads := headOf(v) + "\n"
	v.Request.Break = &Break{Class: ByServer, What: "what", Missed: 58_120, Extra: pricing.Dollar * 36 / 100}
	v.Request.Before, v.Against = 4, &Request{ID: 3}
	heads += headOf(v) + "\n"
	v.Against = &Request{ID: 4}
	heads += headOf(v)
	const want = "the first request of its conversation\nsame up to messages[0]\n" +
		"what; 58,120 tokens not read from the cache, $0.36 more"
	if heads != want {
		t.Errorf("got\n%s\nwant\n%s", heads, want)
	}
}

func TestServersThatReadLittleAreNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range [][4]int{{900, 0, 400, 900}, {900, 0, 500}, {900, 50, 400}, {900, 0, -1}, {300, 0, 1}} {
		row := Request{Tokens: watch.Parts{History: c[0], Images: c[1]}, Usage: pricing.Usage{Prompt: c[2]}}
		if got := unread(row); got != c[3] {
			t.Errorf("%v: %d", c, got)
		}
	}
}

// Tools that a server loads later, and the line in which Claude Code names itself, are no part of the prompt.
func TestWhatIsNotKeyedHasNoTokens(t *testing.T) {
	t.Parallel()
	k := knownOf(t, watch.Messages, `{"tools":[{"name":"a","defer_loading":true}],"messages":[],
		"system":[{"type":"text","text":"x-anthropic-billing-header: cch=1"},{"type":"text","text":"S"}]}`)
	if p := k.Row.Tokens; p != (watch.Parts{System: 1}) {
		t.Errorf("the tokens are %+v", p)
	}
}
