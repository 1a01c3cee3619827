package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"winnow/history"
	"winnow/llm"
)

// Mistake is one thing wrong with a configuration file.
type Mistake struct {
	File         string
	Line, Column int // from 1; 0 where the mistake has no place
	Text         string
}

func (m *Mistake) Error() string {
	if m.Line == 0 {
		return fmt.Sprintf("%s: %s", m.File, m.Text)
	}
	return fmt.Sprintf("%s, line %d, column %d: %s", m.File, m.Line, m.Column, m.Text)
}

// Decode reads the text of a configuration file over the defaults and returns every mistake in it,
// in the order of the file. With a mistake the Config is of no use.
func Decode(file string, doc []byte) (Config, []*Mistake) {
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
	keys := readKeys(doc)
	c := withPreset(presetOf(doc))
	d := toml.NewDecoder(bytes.NewReader(replaceWords(doc, keys)))
	if err := d.DisallowUnknownFields().Decode(&c); err != nil {
		return Config{}, decodeMistakes(file, err)
	}
	var err error
	if c.contextKeys, err = contextKeys(replaceWords(doc, keys), c.Context.Preset); err != nil {
		return Config{}, decodeMistakes(file, err)
	}
	return c, check(file, keys, c)
}

// contextKeys are the keys of [context] that a file sets to something else than its preset does, as TOML: a
// file that holds all keys, as config init writes it, does not fix them under other presets.
func contextKeys(doc []byte, preset string) (string, error) {
	var set struct {
		Context map[string]any `toml:"context"`
	}
	if err := toml.Unmarshal(doc, &set); err != nil {
		return "", err
	}
	policy := withPreset(preset).Context
	text, err := toml.Marshal(policy)
	if err != nil {
		return "", err
	}
	base := map[string]any{}
	if err := toml.Unmarshal(text, &base); err != nil {
		return "", err
	}
	maps.DeleteFunc(set.Context, func(key string, value any) bool {
		return key == "preset" || reflect.DeepEqual(value, base[key])
	})
	if len(set.Context) == 0 {
		return "", nil
	}
	text, err = toml.Marshal(set.Context)
	return string(text), err
}

// presetOf is the preset a file names. It is read first because the other keys of [context] go
// over it.
func presetOf(doc []byte) string {
	var loose struct {
		Context struct {
			Preset any `toml:"preset"`
		} `toml:"context"`
	}
	err := toml.Unmarshal(doc, &loose)
	if name, ok := loose.Context.Preset.(string); ok && err == nil {
		return name
	}
	return defaultPreset
}

// decodeMistakes turns the decoder's errors into sentences about the file.
func decodeMistakes(file string, err error) []*Mistake {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		out := make([]*Mistake, 0, len(strict.Errors))
		for i := range strict.Errors {
			e := &strict.Errors[i]
			row, column := e.Position()
			out = append(out, &Mistake{File: file, Line: row, Column: column, Text: unknownKey(e.Key())})
		}
		return out
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		row, column := wrong.Position()
		return []*Mistake{{File: file, Line: row, Column: column, Text: wrongValue(wrong)}}
	}
	return []*Mistake{{File: file, Text: strings.TrimPrefix(err.Error(), "toml: ")}}
}

// unknownKey says which key winnow does not know, and which one was meant.
func unknownKey(key toml.Key) string {
	known := keysAt(reflect.TypeFor[Config](), key[:len(key)-1])
	last := key[len(key)-1]
	text := fmt.Sprintf("unknown key %q", strings.Join(key, "."))
	if len(known) == 0 && len(key) > 1 {
		return fmt.Sprintf("unknown table [%s]", strings.Join(key[:len(key)-1], ".")) +
			llm.DidYouMean(key[0], keysAt(reflect.TypeFor[Config](), nil))
	}
	if table, name := keyElsewhere(last); table != "" {
		return text + fmt.Sprintf("; did you mean %s under [%s]?", name, table)
	}
	return text + llm.DidYouMean(last, known)
}

// keyElsewhere is the table, and its key, that a key written as one word may mean: summarizer_model is model under
// [summary]. Both are "" where there is none.
func keyElsewhere(key string) (table, name string) {
	const alike = 4 // letters at the beginning
	first, rest, _ := strings.Cut(key, "_")
	for _, table := range keysAt(reflect.TypeFor[Config](), nil) {
		begins := len(table) >= alike && strings.HasPrefix(first, table[:alike])
		if begins && slices.Contains(keysAt(reflect.TypeFor[Config](), []string{table}), rest) {
			return table, rest
		}
	}
	return "", ""
}

// wrongValue says what a key takes, where the file gives something of another type.
func wrongValue(e *toml.DecodeError) string {
	text := strings.TrimPrefix(e.Error(), "toml: ")
	key := e.Key()
	if len(key) == 0 {
		return "invalid TOML: " + text
	}
	t := typeAt(reflect.TypeFor[Config](), key)
	if t == nil {
		return text
	}
	return fmt.Sprintf("%s must be %s", strings.Join(key, "."), kindWords(key, t))
}

func kindWords(key []string, t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	word := ""
	if len(key) == 2 && key[0] == "context" {
		word = specialWord(key[1])
	}
	switch {
	case word != "":
		return fmt.Sprintf("a whole number or %q", word)
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "a quoted string"
	case t.Kind() == reflect.Slice:
		return `a list of strings such as ["one", "two"]`
	default:
		return "a table"
	}
}

// The words that stand for a number in [context]. "auto" is 0, which leaves the choice to winnow;
// "unlimited" is history.NoLimit.
const (
	autoWord      = "auto"
	unlimitedWord = "unlimited"
)

// specialWord is the word that a key of [context] takes in place of a number, "" for none.
func specialWord(key string) string {
	switch key {
	case "budget", "output_reserve", "step_tokens":
		return autoWord
	case "user_max_chars", "assistant_max_chars", "assistant_recall_chars", "tool_max_chars",
		"last_whole_max_tokens", "recall_max_tokens", "max_messages", "max_context_tokens":
		return unlimitedWord
	}
	return ""
}

// replaceWords writes the numbers that special words stand for in their place. Lines stay where
// they are, and so do the columns in front of the word.
func replaceWords(doc []byte, keys []fileKey) []byte {
	var out []byte
	last := 0
	for _, k := range keys {
		if len(k.path) != 2 || k.path[0] != "context" || k.value == "" || k.value != specialWord(k.path[1]) {
			continue
		}
		number := "0"
		if k.value == unlimitedWord {
			number = fmt.Sprint(int64(history.NoLimit))
		}
		out = append(append(out, doc[last:k.valueFrom]...), number...)
		last = k.valueTo
	}
	return append(out, doc[last:]...)
}

// fileKey is one key of a file: where it is, and the text of its value where that is a string.
type fileKey struct {
	path               []string
	line, column       int
	value              string
	valueFrom, valueTo int // the bytes of the string with its quotes
}

// readKeys lists the keys of a file as far as it can be parsed; the decoder reports what cannot.
func readKeys(doc []byte) []fileKey {
	var p unstable.Parser
	p.Reset(doc)
	var table []string
	var out []fileKey
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, _ = keyPath(e)
			out = append(out, fileKeyOf(&p, e, table))
		case unstable.KeyValue:
			path, _ := keyPath(e)
			k := fileKeyOf(&p, e, append(append([]string(nil), table...), path...))
			if v := e.Value(); v.Kind == unstable.String {
				k.value = string(v.Data)
				k.valueFrom, k.valueTo = int(v.Raw.Offset), int(v.Raw.Offset+v.Raw.Length)
			}
			out = append(out, k)
		}
	}
	return out
}

func fileKeyOf(p *unstable.Parser, e *unstable.Node, path []string) fileKey {
	_, raw := keyPath(e)
	at := p.Shape(raw).Start
	return fileKey{path: path, line: at.Line, column: at.Column}
}

func keyPath(e *unstable.Node) (path []string, first unstable.Range) {
	it := e.Key()
	for it.Next() {
		if path == nil {
			first = it.Node().Raw
		}
		path = append(path, string(it.Node().Data))
	}
	return path, first
}

// MistakeAt is a mistake about a key of a file.
func MistakeAt(file string, doc []byte, key, text string) *Mistake {
	return at(file, readKeys(doc), key, text)
}

// at makes a Mistake of a key of the file. A key that the file does not have gets no place.
func at(file string, keys []fileKey, path, text string) *Mistake {
	m := &Mistake{File: file, Text: text}
	for _, k := range keys {
		if strings.Join(k.path, ".") == path {
			m.Line, m.Column = k.line, k.column
		}
	}
	return m
}
