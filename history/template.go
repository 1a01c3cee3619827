package history

import (
	_ "embed"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

// PromptTemplate is winnow's own template of the text form, in the language of
// text/template. Beside that language's own functions a template has indent, which puts four blanks
// in front of every line.
//
//go:embed prompt.tmpl
var PromptTemplate string

// TemplateError says what is wrong with a template, and where.
type TemplateError struct {
	Line   int    // from 1
	Column int    // in bytes from 1, 0 unknown
	Text   string // what is wrong
}

func (e *TemplateError) Error() string {
	return fmt.Sprintf("line %d of the template: %s", e.Line, e.Text)
}

// RenderPrompt writes a prompt by a template. A template gets the fields of Prompt and PromptMessage
// and nothing else. What is wrong with it is a *TemplateError.
func RenderPrompt(p Prompt, text string) (string, error) {
	t, err := template.New(templateName).Option("missingkey=error").Funcs(template.FuncMap{"indent": indent}).Parse(text)
	if err != nil {
		return "", templateError(err)
	}
	var b strings.Builder
	if err := t.Execute(&b, p); err != nil {
		return "", templateError(err)
	}
	return b.String(), nil
}

// indent puts four blanks in front of every line that is not blank.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// templateName is what the template library calls the text in its errors.
const templateName = "prompt"

var (
	templateFault = regexp.MustCompile(`^template: ` + templateName + `:(\d+)(?::(\d+))?: (?:executing "[^"]*" at (<.*?>): )?((?s).*)$`)
	noField       = regexp.MustCompile(`can't evaluate field (\S+) in type history\.(\w+)`)
)

// templateError takes the place out of the library's error, and names the fields there are.
func templateError(err error) error {
	part := templateFault.FindStringSubmatch(err.Error())
	if part == nil {
		return &TemplateError{Line: 1, Text: strings.TrimPrefix(err.Error(), "template: ")}
	}
	e := &TemplateError{Text: part[4]}
	e.Line, _ = strconv.Atoi(part[1])
	e.Column, _ = strconv.Atoi(part[2])
	if field := noField.FindStringSubmatch(part[4]); field != nil {
		of, has := "the conversation", reflect.TypeFor[Prompt]()
		if field[2] == "PromptMessage" {
			of, has = "a message", reflect.TypeFor[PromptMessage]()
		}
		var names []string
		for i := range has.NumField() {
			names = append(names, has.Field(i).Name)
		}
		e.Text = fmt.Sprintf("%s has no field %s; it has %s", of, field[1], strings.Join(names, ", "))
	}
	return e
}
