package storetest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	_ "github.com/mattn/go-sqlite3" // for those who open a file to pass it to Canonical
)

// Canonical tells everything that a history shares with those of other machines, as lines in order. Numbers of rows do
// not count: two histories have the same lines where the same was said and decided in them, in whatever order it got
// there. Each line begins with the session's id.
func Canonical(ctx context.Context, db *sql.DB) ([]string, error) {
	c := canonical{
		ctx: ctx, db: db, message: map[int64]string{0: "-"}, session: map[int64]string{},
		of: map[int64]string{}, request: map[int64]string{0: "-"},
	}
	for _, read := range []func() error{
		c.sessionNames, c.messageNames, c.requestNames, c.sessions, c.messages,
		c.requests, c.verdicts, c.summaries,
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	slices.Sort(c.lines)
	return c.lines, nil
}

// canonical names rows by what they say and where they stand.
type canonical struct {
	ctx     context.Context
	db      *sql.DB
	session map[int64]string // ids, by key
	message map[int64]string
	of      map[int64]string // sessions of messages
	request map[int64]string
	lines   []string
}

func (c *canonical) line(session, kind string, values ...any) {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	c.lines = append(c.lines, session+" "+kind+" "+string(text))
}

func name(of ...any) string {
	sum := sha256.Sum256(fmt.Append(nil, of...))
	return hex.EncodeToString(sum[:6])
}

// each reads rows whose columns are all texts or numbers.
func (c *canonical) each(query string, columns int, take func(v []any) error) error {
	rows, err := c.db.QueryContext(c.ctx, query)
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		v, into := make([]any, columns), make([]any, columns)
		for i := range v {
			into[i] = &v[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i := range v {
			if text, is := v[i].([]byte); is {
				v[i] = string(text)
			}
		}
		if err := take(v); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (c *canonical) sessionNames() error {
	return c.each(`SELECT n, id FROM sessions`, 2, func(v []any) error {
		c.session[v[0].(int64)] = v[1].(string)
		return nil
	})
}

func (c *canonical) messageNames() error {
	return c.each(`
		SELECT id, session, parent, role, created_ms, hex(hash)
		FROM messages
		ORDER BY id`, 6, func(v []any) error {
		id := v[0].(int64)
		c.of[id] = c.session[v[1].(int64)]
		c.message[id] = name(c.of[id], c.message[v[2].(int64)], v[3], v[4], v[5])
		return nil
	})
}

func (c *canonical) requestNames() error {
	return c.each(`SELECT id, session, user, created_ms, body_hash, purpose FROM requests`, 6, func(v []any) error {
		c.request[v[0].(int64)] = name(c.session[v[1].(int64)], c.message[v[2].(int64)], v[3], v[4], v[5])
		return nil
	})
}

func (c *canonical) sessions() error {
	return c.each(`
		SELECT s.n, s.leaf, s.forked_at, s.parent, s.created_ms, s.title, s.title_from,
			s.pinned, s.archived, s.deleted_ms, s.messages, s.turns,
			s.endpoint, s.model, s.preset, s.overrides, s.system, s.system_fixed, s.dir, s.source, s.origin,
			(SELECT json_group_array(tag) FROM (SELECT hex(tag) AS tag FROM tags WHERE session = s.n ORDER BY 1))
		FROM sessions s`, 22, func(v []any) error {
		id := c.session[v[0].(int64)]
		fork := "-"
		if at := v[2].(int64); c.of[at] != "" && c.of[at] == v[3] {
			fork = c.message[at]
		}
		c.line(id, "session", append([]any{c.message[v[1].(int64)], fork}, v[3:]...)...)
		return nil
	})
}

func (c *canonical) messages() error {
	return c.each(`
		SELECT m.id, m.parent, m.request, m.session, m.role, m.status, m.created_ms,
			hex(m.hash), hex(m.content), hex(m.reasoning), hex(coalesce(m.extra, '')),
			m.finish_reason, m.fault, m.alone, m.endpoint, m.model, m.label, hex(m.name), hex(m.tool_call_id),
			(SELECT json_group_array(hex(call_id) || hex(name) || hex(arguments))
				FROM (SELECT * FROM tool_calls WHERE message = m.id ORDER BY place)),
			(SELECT json_group_array(kind || hex(name) || media_type || hex(hash) || hex(data))
				FROM (
					SELECT p.kind, p.name, p.media_type, a.hash, a.data
					FROM parts p
					JOIN attachments a ON a.id = p.attachment
					WHERE p.message = m.id
					ORDER BY p.place
				)),
			(SELECT value FROM registers WHERE item = m.id AND name = 'flag' AND value <> '""'),
			(SELECT value FROM registers WHERE item = m.id AND name = 'remedy' AND value <> '""')
		FROM messages m`, 23, func(v []any) error {
		request := c.request[v[2].(int64)]
		if request == "" {
			request = "-" // of another session, or purged
		}
		if c.session[v[3].(int64)] == "" {
			return fmt.Errorf("message %d has no session", v[0])
		}
		c.line(c.session[v[3].(int64)], "message", append([]any{
			c.message[v[0].(int64)], c.message[v[1].(int64)],
			request,
		}, v[4:]...)...)
		return nil
	})
}

func (c *canonical) requests() error {
	return c.each(`
		SELECT id, session, user, CAST(options AS TEXT), created_ms, endpoint, model,
			rules, tokenizer, estimate, body_hash, prompt_tokens, cached_tokens,
			answer_tokens, reasoning_tokens, first_token_ns, took_ns, retries, finish, ended, error,
			cost_nano, cost_from, purpose,
			cache_write_tokens, price_source, reusable_tokens, reusable_ns,
			fault, cut_expected, entries, sum, added
		FROM requests`, 34, func(v []any) error {
		options, _ := v[3].(string)
		c.line(c.session[v[1].(int64)], "request", append([]any{
			c.request[v[0].(int64)], c.message[v[2].(int64)],
			c.options(c.session[v[1].(int64)], options),
		}, v[4:]...)...)
		return nil
	})
}

// options are what decided a request, with names in place of ids.
func (c *canonical) options(session, text string) any {
	var all map[string]any
	if json.Unmarshal([]byte(text), &all) != nil {
		return text
	}
	named := func(v any) any {
		if id, is := v.(float64); is {
			return c.message[int64(id)]
		}
		return v
	}
	for _, key := range []string{"leaf"} {
		if v, there := all[key]; there {
			all[key] = named(v)
		}
	}
	if turn, is := all["turn"].([]any); is {
		for i := range turn {
			turn[i] = named(turn[i])
		}
	}
	for _, key := range []string{"flags", "remedies"} {
		if of, is := all[key].(map[string]any); is {
			out := map[string]any{}
			for id, v := range of {
				var n int64
				fmt.Sscan(id, &n)
				out[c.message[n]] = v
			}
			all[key] = out
		}
	}
	if of, is := all["summary"].(map[string]any); is {
		delete(of, "ID")
	}
	if v, there := all["guessed"]; there {
		again, _ := json.Marshal(v)
		all["guessed"] = c.runs(session, string(again))
	}
	return all
}

// runs are the names of the messages of a session that runs of ids hold.
func (c *canonical) runs(session, text string) []string {
	var runs [][2]int64
	if json.Unmarshal([]byte(text), &runs) != nil {
		return []string{text}
	}
	var out []string
	for id, of := range c.of {
		if of == session && slices.ContainsFunc(runs, func(r [2]int64) bool { return r[0] <= id && id <= r[1] }) {
			out = append(out, c.message[id])
		}
	}
	slices.Sort(out)
	return out
}

func (c *canonical) verdicts() error {
	return c.each(`
		SELECT r.id, v.message, r.session, v.position, v.role, v.disposition,
			v.level, v.level_in_place, v.cause, v.pinned, v.whole, v.recalled,
			v.tokens_before, v.tokens_after, v.chars_before, v.chars_after, v.cuts, v.inserted, v.repairs
		FROM requests r
		JOIN verdicts v ON v.session = r.session
			AND v.chain = r.chain
			AND v.first_request <= r.id
			AND (v.last_request IS NULL OR v.last_request >= r.id)
		WHERE r.sum IS NOT NULL`, 19, func(v []any) error {
		c.line(c.session[v[2].(int64)], "verdict", append([]any{c.request[v[0].(int64)], c.message[v[1].(int64)]},
			v[3:]...)...)
		return nil
	})
}

func (c *canonical) summaries() error {
	return c.each(`
		SELECT session, first, last, messages, created_ms, endpoint, model, hex(text), sources
		FROM summaries`, 9, func(v []any) error {
		id := c.session[v[0].(int64)]
		sources, _ := v[8].(string)
		c.line(id, "summary", append([]any{c.message[v[1].(int64)], c.message[v[2].(int64)], c.runs(id, sources)},
			v[3:8]...)...)
		return nil
	})
}

// Differ is the first line that one of two histories has and the other has not, "" where they are the same.
func Differ(a, b []string) string {
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return "only the second has " + b[i]
		case i >= len(b):
			return "only the first has " + a[i]
		case a[i] != b[i]:
			same := 0
			for same < min(len(a[i]), len(b[i])) && a[i][same] == b[i][same] {
				same++
			}
			same = max(0, same-40)
			return strings.Join([]string{
				"the first has", a[i][same:], "where the second has", b[i][same:],
				"in " + a[i],
			}, "\n")
		}
	}
	return ""
}
