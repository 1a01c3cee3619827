// Package languages tells the parts of source code apart. The lexers are chroma's, each read when its language is first
// met: chroma's own package of lexers reads all of them whenever a program starts that has it. It colours nothing.
package languages

import (
	"archive/zip"
	_ "embed" // holds the lexers
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
)

// lexerFiles is an archive of chroma's lexers, as XML, and of an index of them. A test writes it.
//
//go:embed lexers.zip
var lexerFiles string

// indexFile has a line for each name, alias and file extension of a language: that name, a tab, and the file of its lexer.
const indexFile = "index"

// library holds the lexers that were read.
type library struct {
	files fs.FS
	index string

	mu   sync.Mutex
	read map[string]chroma.Lexer // by name as it was asked for, nil for none
}

// shared is the library of the program: a lexer that was read serves everybody.
var shared = sync.OnceValue(func() *library {
	l := &library{read: map[string]chroma.Lexer{}}
	if files, err := zip.NewReader(strings.NewReader(lexerFiles), int64(len(lexerFiles))); err == nil {
		l.files = files
		index, _ := fs.ReadFile(files, indexFile)
		l.index = "\n" + string(index)
	}
	return l
})

// Lexer is the lexer of a language by its name, an alias of it or the extension of its files, nil where there is none. It
// may be used by several goroutines.
func Lexer(language string) chroma.Lexer {
	l := shared()
	l.mu.Lock()
	defer l.mu.Unlock()
	lexer, ok := l.read[language]
	if !ok {
		lexer = l.find(language)
		l.read[language] = lexer
	}
	return lexer
}

func (l *library) find(language string) chroma.Lexer {
	file := l.file(language)
	if file == "" {
		return nil
	}
	if same, ok := l.read[file]; ok { // under another name
		return same
	}
	// A lexer looks others up in its registry while it reads. So each has its own, which does not change any more.
	var found chroma.Lexer
	if lexer := l.load(chroma.NewLexerRegistry(), map[string]bool{}, file); lexer != nil {
		found = chroma.Coalesce(lexer)
	}
	l.read[file] = found
	return found
}

// file is the file of a language, "" for none.
func (l *library) file(language string) string {
	if strings.ContainsAny(language, "\t\n") {
		return ""
	}
	_, rest, ok := strings.Cut(l.index, "\n"+strings.ToLower(language)+"\t")
	if !ok {
		return ""
	}
	file, _, _ := strings.Cut(rest, "\n")
	return file
}

// other finds the languages within a language; the name of one may also stand in the text.
var other = regexp.MustCompile(`<using lexer="([^"]+)"|<(usingbygroup)[ >]`)

// load reads a lexer, with those of the languages within it, into a registry. It is nil for one that cannot be read.
func (l *library) load(registry *chroma.LexerRegistry, loaded map[string]bool, file string) chroma.Lexer {
	loaded[file] = true
	text, err := fs.ReadFile(l.files, file)
	if err != nil {
		return nil
	}
	lexer, err := chroma.NewXMLLexer(l.files, file)
	if err != nil {
		return nil
	}
	registry.Register(lexer)
	for _, within := range other.FindAllSubmatch(text, -1) {
		if len(within[2]) > 0 {
			l.loadAll(registry, loaded)
		} else if file := l.file(string(within[1])); file != "" && !loaded[file] {
			l.load(registry, loaded, file)
		}
	}
	return lexer
}

// loadAll reads all lexers into a registry, for a language that may hold any other.
func (l *library) loadAll(registry *chroma.LexerRegistry, loaded map[string]bool) {
	names, _ := fs.Glob(l.files, "*.xml")
	for _, name := range names {
		if !loaded[name] {
			l.load(registry, loaded, name)
		}
	}
}
