package store

import (
	"context"
	"encoding/json"
	flags "flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

var update = flags.Bool("update", false, "write what the scripts return into their files")

// TestScripts runs the scripts in testdata/scripts. A line of a script calls a method of Store or window, with
// arguments in JSON, where structs have the names of their Go fields. The result is indented below the line, without
// empty values.
//
// A line such as "chat, hello = BeginSession {} {}" binds results instead of showing them. Later arguments use their
// ids as $chat, and so does the output. A result that is a function is called by a line with its name and (). A line
// that begins with "name: " runs in another window on the same file, which is opened on first use; the window reader is
// read-only.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	must(t, "list the scripts", err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			must(t, "read the script", err)
			p := &script{
				T: t, path: newPath(t), clock: noon(), windows: map[string]*Store{}, bound: map[string]reflect.Value{},
			}
			_, err = p.window("main").durable.Exec(`UPDATE home SET number = 1`)
			must(t, "number the file", err)
			var got strings.Builder
			for line := range strings.Lines(string(text)) {
				if strings.HasPrefix(line, "\t") {
					continue
				}
				got.WriteString(line)
				if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
					got.WriteString(p.run(line))
				}
			}
			if *update {
				must(t, "write the script", os.WriteFile(file, []byte(got.String()), 0o600))
			} else if got.String() != string(text) {
				t.Errorf("it is\n%s\nwant\n%s", got.String(), text)
			}
		})
	}
}

// script is a running script.
type script struct {
	*testing.T
	path    string
	clock   *clock
	windows map[string]*Store
	bound   map[string]reflect.Value // bound results by name: ids and functions
}

// window is a store with additional methods for scripts.
type window struct {
	*Store
	p *script
}

func (p *script) window(name string) window {
	if p.windows[name] == nil {
		p.windows[name] = openAt(p, p.path, Options{Now: p.clock.now, ReadOnly: name == "reader"})
	}
	return window{p.windows[name], p}
}

var scriptLine = regexp.MustCompile(`^(?:([\w, ]+) = )?(?:(\w+): )?(\w+)(\(\))? ?(.*)$`)

// run runs a line and returns its output.
func (p *script) run(text string) (shown string) {
	text = strings.ReplaceAll(text, "FOLDER", filepath.Dir(p.path))
	part := scriptLine.FindStringSubmatch(text)
	if part == nil {
		p.Fatalf("this is no line of a script: %s", text)
	}
	name := "main"
	if part[2] != "" {
		name = part[2]
	}
	call := reflect.ValueOf(p.window(name)).MethodByName(part[3])
	if part[4] != "" {
		call = p.bound[part[3]]
	}
	if !call.IsValid() {
		p.Fatalf("there is no %s: %s", part[3], text)
	}
	names := strings.FieldsFunc(part[1], func(r rune) bool { return r == ',' || r == ' ' })
	for i, result := range call.Call(p.arguments(call.Type(), part[5])) {
		err, failed := result.Interface().(error)
		switch {
		case failed:
			shown += "\terror: " + err.Error() + "\n"
		case i >= len(names):
			shown += show(p.T, result)
		case result.Kind() == reflect.Struct:
			p.bound[names[i]] = result.FieldByName("ID")
		default:
			p.bound[names[i]] = result
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.bound)) {
		if id := fmt.Sprint(p.bound[name]); p.bound[name].Kind() != reflect.Func && len(id) > 9 {
			shown = strings.ReplaceAll(shown, id, "$"+name)
		}
	}
	return strings.ReplaceAll(shown, filepath.Dir(p.path), "FOLDER")
}

// arguments decodes the arguments of a line for a method. Missing ones are zero values.
func (p *script) arguments(method reflect.Type, text string) (all []reflect.Value) {
	text = regexp.MustCompile(`\$\w+`).ReplaceAllStringFunc(text, func(name string) string {
		v, bound := p.bound[name[1:]]
		if !bound {
			p.Fatalf("%s is not bound: %s", name, text)
		}
		id, err := json.Marshal(v.Interface())
		must(p, "write an id", err)
		return string(id)
	})
	in := json.NewDecoder(strings.NewReader(text))
	for i := range method.NumIn() {
		switch of := method.In(i); {
		case i == 0 && of == reflect.TypeFor[context.Context]():
			all = append(all, reflect.ValueOf(p.Context()))
		case method.IsVariadic() && i == method.NumIn()-1:
			for in.More() {
				all = append(all, p.argument(in, of.Elem()))
			}
		default:
			all = append(all, p.argument(in, of))
		}
	}
	return all
}

func (p *script) argument(in *json.Decoder, of reflect.Type) reflect.Value {
	v := reflect.New(of)
	if of.Kind() == reflect.Struct {
		var fields json.RawMessage
		if err := in.Decode(&fields); err != io.EOF {
			must(p, "read an argument", err)
			p.setFields(v.Elem(), fields)
		}
	} else {
		must(p, "read an argument", in.Decode(v.Interface()))
	}
	return v.Elem()
}

// setFields sets fields of a struct by their Go names.
func (p *script) setFields(of reflect.Value, text json.RawMessage) {
	var fields map[string]json.RawMessage
	must(p, "read the fields", json.Unmarshal(text, &fields))
	for name, value := range fields {
		must(p, "set "+name, json.Unmarshal(value, of.FieldByName(name).Addr().Interface()))
	}
}

// show returns a result as indented JSON without empty values, one line for each element of a list.
func show(t *testing.T, r reflect.Value) (text string) {
	if r.Kind() == reflect.Slice {
		for i := range r.Len() {
			text += show(t, r.Index(i))
		}
		return text
	}
	if r.Kind() == reflect.String && r.Len() > 0 {
		return "\t" + r.String() + "\n"
	}
	if r.Kind() == reflect.Func || r.IsZero() {
		return ""
	}
	encoded, err := json.Marshal(r.Interface())
	must(t, "write a result", err)
	in := json.NewDecoder(strings.NewReader(string(encoded)))
	in.UseNumber()
	var v any
	must(t, "read a result", in.Decode(&v))
	encoded, err = json.Marshal(withoutEmpty(v))
	must(t, "write a result", err)
	return "\t" + string(encoded) + "\n"
}

func withoutEmpty(v any) any {
	if fields, ok := v.(map[string]any); ok {
		maps.DeleteFunc(fields, func(name string, of any) bool {
			fields[name] = withoutEmpty(of)
			empty := []string{"map[]", "[]", "", "0", "false", "<nil>", "0001-01-01T00:00:00Z"}
			return slices.Contains(empty, fmt.Sprint(fields[name]))
		})
	}
	if list, ok := v.([]any); ok {
		for i := range list {
			list[i] = withoutEmpty(list[i])
		}
	}
	return v
}

// Later advances the clock.
func (w window) Later(d string) error {
	by, err := time.ParseDuration(d)
	w.p.clock.add(by)
	return err
}

// Exit closes the window.
func (w window) Exit(name string) error {
	delete(w.p.windows, name)
	return w.Close()
}

// Die makes the window look dead to the others, as if its program had ended.
func (w window) Die() error { return os.Remove(w.path + "-live-" + w.owner.Token()) }

// Files returns the files beside the history.
func (w window) Files() (all []string) {
	for _, below := range []string{"*", "*/*"} {
		found, _ := filepath.Glob(filepath.Join(filepath.Dir(w.path), below))
		all = append(all, found...)
	}
	return all
}

// Exec runs a statement.
func (w window) Exec(query string, args ...any) error {
	_, err := w.durable.Exec(query, args...)
	return err
}

// Read reads one message.
func (w window) Read(id int64) (Message, error) { return messageOf(w.Store, id) }

// Set sets fields of a session.
func (w window) Set(ctx context.Context, session string, fields json.RawMessage) error {
	return w.UpdateSession(ctx, session, func(row *Session) { w.p.setFields(reflect.ValueOf(row).Elem(), fields) })
}

// Say stores a message in the session with a title, after the message with the text parent, and binds it to its text.
func (w window) Say(ctx context.Context, title, parent string, role history.Role, text string) error {
	var session string
	var behind int64
	err := w.reads.QueryRow(`
		SELECT s.id, coalesce(m.id, 0)
		FROM sessions s
		LEFT JOIN messages m ON m.session = s.n AND m.content = ?
		WHERE s.title = ?`, []byte(parent), title).Scan(&session, &behind)
	must(w.p, "find "+parent, err)
	m, err := w.AppendMessage(ctx, says(session, behind, role, text))
	w.p.bound[text] = reflect.ValueOf(m.ID)
	return err
}

// SetModelFacts stores what is known about a model.
func (w window) SetModelFacts(ctx context.Context, url, model string, to ModelFacts) error {
	return w.UpdateModelFacts(ctx, url, model, func(l *ModelFacts) { *l = to })
}

// Find returns the hits of a search.
func (w window) Find(in SearchQuery) []string { return hitsOf(w.p, w.Store, in) }

// File imports a conversation. used is its last use in Unix milliseconds, 0 for unknown.
func (w window) File(ctx context.Context, title string, used int64, messages ...string) (Session, ImportResult, error) {
	out, err := w.Import(ctx, conversationOf(title, used, messages))
	row := out.Session
	out.Session = Session{}
	return row, out, err
}

// conversationOf returns a conversation of messages written as "label<parent: text"; the first has no parent. Labels
// that begin with u are user messages. The prefix * marks the end of the active branch, - an excluded message, and ~
// one that is still streaming.
func conversationOf(origin string, used int64, messages []string) ImportedConversation {
	at := timeOf(used)
	row := Session{Source: "chatgpt", Origin: origin, Title: origin, Created: at, Updated: at}
	c := ImportedConversation{Session: row, Leaf: -1}
	place := map[string]int{"": -1}
	for i, m := range messages {
		head, text, _ := strings.Cut(m, ": ")
		label, parent, _ := strings.Cut(strings.TrimLeft(head, "*-~"), "<")
		u := ImportedMessage{Message: said(history.Assistant, text), After: place[parent], Excluded: head[0] == '-'}
		if label[0] == 'u' {
			u.Role = history.User
		}
		switch head[0] {
		case '*':
			c.Leaf = i
		case '~':
			u.Status = history.Streaming
		}
		u.Label, u.CreatedMS, place[label] = label, max(1000, used), i
		c.Messages = append(c.Messages, u)
	}
	return c
}

// Tree returns the messages of a session, each after its parent, with a star at the leaf.
func (w window) Tree(title string) (tree string, err error) {
	err = w.reads.QueryRow(`
		SELECT group_concat(coalesce(p.content || '>', '') || m.content || iif(m.id = s.leaf, '*', ''), ', '
			ORDER BY p.content, m.content)
		FROM sessions s
		JOIN messages m ON m.session = s.n
		LEFT JOIN messages p ON p.id = m.parent
		WHERE s.title = ?`, title).Scan(&tree)
	return tree, err
}

// Rows returns the values of a query with one column.
func (w window) Rows(query string) ([]string, error) {
	return inTx(w.p.Context(), w.view, "read", func(t *tx) []string { return sqlite.List[string](t, query) })
}

// Titles returns the titles of the listed sessions.
func (w window) Titles(ctx context.Context, f SessionFilter) (titles []string, err error) {
	list, err := w.Sessions(ctx, f)
	for _, row := range list {
		titles = append(titles, row.Title)
	}
	return titles, err
}

// Named returns the id of the session that an id or a prefix finds.
func (w window) Named(ctx context.Context, prefix string) (string, error) {
	row, err := w.Session(ctx, prefix)
	return row.ID, err
}

// SpoilIndex damages the search index and nothing else.
func (w window) SpoilIndex() error {
	return w.Exec("UPDATE found_segdir SET root = x'00ffffffffffffffffff7f'; " +
		"UPDATE found_segments SET block = x'00ffffffffffffffffff7f'")
}
