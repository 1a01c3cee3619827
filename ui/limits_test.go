package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// What the application is divided into are parts with a folder, a type and tests of their own. More than so many
// fields or methods are a part that has not found its folder.
const (
	mostFields  = 20
	mostMethods = 120
)

func TestTheApplicationStaysSmall(t *testing.T) {
	structs := map[string]*ast.StructType{}
	methods := 0
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && typeName(d.Recv.List[0].Type) == "Model" {
					methods++
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						if fields, ok := s.Type.(*ast.StructType); ok {
							structs[s.Name.Name] = fields
						}
					}
				}
			}
		}
	}
	if n := fieldsOf("Model", structs); n < 10 || n > mostFields {
		t.Errorf("ui.Model has %d fields, want at most %d", n, mostFields)
	}
	if methods < 50 || methods > mostMethods {
		t.Errorf("ui.Model has %d methods, want at most %d", methods, mostMethods)
	}
}

// fieldsOf counts the fields of a struct. One whose type is a struct of this package counts by the fields of that.
func fieldsOf(name string, structs map[string]*ast.StructType) int {
	n := 0
	for _, f := range structs[name].Fields.List {
		each := 1
		if of := typeName(f.Type); structs[of] != nil {
			each = fieldsOf(of, structs)
		}
		n += max(1, len(f.Names)) * each
	}
	return n
}

// typeName is the name of a type, or of what it points to; "" for a type of another package.
func typeName(e ast.Expr) string {
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
