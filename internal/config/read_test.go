package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/vault"
)

// A setting without a reader would be a broken promise: every field that a variable sets must be read by the program,
// which is cmd/perennial with its folders, the only one that gets a Config.
func TestSettings_EachIsRead(t *testing.T) {
	t.Parallel()
	read := fieldsRead(t, filepath.Join("..", "..", "cmd", "perennial"), "perennial/cmd/perennial")
	require.NotEmpty(t, read)
	for _, v := range Variables() {
		example := v.Example
		if v.Name == "PERENNIAL_KEK" {
			example = vault.NewKEK()
		}
		var c Config
		require.Empty(t, v.set(&c, example), v.Name)
		fields := fieldsSet(reflect.ValueOf(c))
		require.NotEmpty(t, fields, "%s sets nothing", v.Name)
		for _, field := range fields {
			require.True(t, read[field], "%s sets %s, and nothing in cmd/perennial reads it", v.Name, field)
		}
	}
}

// fieldsSet names the fields that are not zero, each as Type.Field.
func fieldsSet(v reflect.Value) (names []string) {
	for i := range v.NumField() {
		field := v.Field(i)
		switch {
		case field.IsZero():
		case field.Kind() == reflect.Struct && field.Type() != reflect.TypeFor[Secret]():
			names = append(names, fieldsSet(field)...)
		default:
			names = append(names, v.Type().Name()+"."+v.Type().Field(i).Name)
		}
	}
	return names
}

// fieldsRead names the fields of this package's structs that a program and its own packages read: selects elsewhere than
// on the left of an assignment. Only they and this package are known to the type checker; what concerns others stays
// unknown to it.
func fieldsRead(t *testing.T, dir, path string) map[string]bool {
	t.Helper()
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	p := &program{t: t, dir: dir, path: path, files: token.NewFileSet(), info: info, known: map[string]*types.Package{}}
	ours := p.check("perennial/internal/config", ".", nil)
	p.parsed = nil
	_, err := p.Import(path)
	require.NoError(t, err)

	written := map[ast.Expr]bool{}
	for _, file := range p.parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok {
				for _, left := range a.Lhs {
					written[left] = true
				}
			}
			return true
		})
	}
	read := map[string]bool{}
	for expression, s := range info.Selections {
		field, ok := s.Obj().(*types.Var)
		if !ok || field.Pkg() != ours || written[expression] {
			continue
		}
		receiver := s.Recv()
		if p, ok := receiver.(*types.Pointer); ok {
			receiver = p.Elem()
		}
		if named, ok := receiver.(*types.Named); ok {
			read[named.Obj().Name()+"."+field.Name()] = true
		}
	}
	return read
}

// sources parses the Go files of a directory without its tests.
func sources(t *testing.T, files *token.FileSet, dir string) (all []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		all = append(all, file)
	}
	return all
}

// program imports the packages of a program that are its own; others are empty, unless they were checked before.
type program struct {
	t         *testing.T
	dir, path string
	files     *token.FileSet
	info      *types.Info
	known     map[string]*types.Package
	parsed    []*ast.File
}

// Import implements types.Importer.
func (p *program) Import(path string) (*types.Package, error) {
	if known := p.known[path]; known != nil {
		return known, nil
	}
	if within, ours := strings.CutPrefix(path, p.path); ours {
		return p.check(path, filepath.Join(p.dir, filepath.FromSlash(within)), p.info), nil
	}
	empty := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
	empty.MarkComplete()
	return empty, nil
}

// check ignores errors about imports that are empty.
func (p *program) check(path, dir string, info *types.Info) *types.Package {
	files := sources(p.t, p.files, dir)
	lenient := &types.Config{Importer: p, Error: func(error) {}}
	pkg, _ := lenient.Check(path, p.files, files, info)
	p.known[path], p.parsed = pkg, append(p.parsed, files...)
	return pkg
}
