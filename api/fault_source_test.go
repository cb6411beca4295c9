package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

// made is one place of the source that makes a fault.
type made struct {
	where string // file:line
	dir   string
	kind  fault.Kind
	codes []string
	texts []string // none: put together when it is made
	after bool     // says when to repeat the request
}

// source is one package, as far as faults need it.
type source struct {
	t     *testing.T
	files *token.FileSet
	dir   string
	decls []ast.Decl
	room  []*source // others whose codes become faults here
}

// shared are packages that make faults of codes which others of their room pass.
var shared = map[string]string{"db/core": "db"}

// madeIn reads the packages below dirs, without the files and folders of skip.
func madeIn(t *testing.T, dirs []string, skip map[string]string) []made {
	t.Helper()
	packages, skipped := map[string]*source{}, map[string]bool{}
	for _, dir := range dirs {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", dir), func(path string, entry fs.DirEntry, err error) error {
			name := strings.TrimPrefix(filepath.ToSlash(path), "../")
			switch {
			case err != nil:
				return err
			case skip[name] != "" && entry.IsDir():
				skipped[name] = true
				return fs.SkipDir
			case skip[name] != "":
				skipped[name] = true
				return nil
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			s := packages[filepath.Dir(path)]
			if s == nil {
				s = &source{t: t, files: token.NewFileSet(), dir: filepath.ToSlash(filepath.Dir(name))}
				packages[filepath.Dir(path)] = s
			}
			file, err := parser.ParseFile(s.files, path, nil, 0)
			if err == nil {
				s.decls = append(s.decls, file.Decls...)
			}
			return err
		}))
	}
	require.Len(t, skipped, len(skip), "what is left out exists: %v", skip)
	var all []made
	for _, s := range packages {
		for _, other := range packages {
			if room := shared[s.dir]; room != "" && other != s && strings.HasPrefix(other.dir+"/", room+"/") {
				s.room = append(s.room, other)
			}
		}
	}
	for _, s := range packages {
		all = append(all, s.made()...)
	}
	slices.SortFunc(all, func(a, b made) int { return strings.Compare(a.where, b.where) })
	return all
}

func (s *source) made() []made {
	var all []made
	for _, decl := range s.decls {
		within, _ := decl.(*ast.FuncDecl)
		var path []ast.Node
		ast.Inspect(decl, func(n ast.Node) bool {
			if n == nil {
				path = path[:len(path)-1]
				return true
			}
			path = append(path, n)
			if m, ok := s.madeBy(n, within); ok {
				m.where, m.dir, m.after = s.files.Position(n.Pos()).String(), s.dir, after(path)
				all = append(all, m)
			}
			return true
		})
	}
	return all
}

// madeBy reads fault.New(kind, code, detail, …), fault.InvalidParam(param, code, detail, …) and ProblemField{Code: …}.
func (s *source) madeBy(n ast.Node, within *ast.FuncDecl) (made, bool) {
	if field, ok := n.(*ast.CompositeLit); ok {
		return s.madeByField(field, within)
	}
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 3 {
		return made{}, false
	}
	name := calledIn(call, "fault")
	if s.dir == "billing/fault" {
		name = calledIn(call, "")
		if within.Name.Name == "InvalidParam" {
			return made{}, false
		}
	}
	m := made{kind: fault.Invalid}
	switch name {
	case "New":
		m.kind = kindOf(call.Args[0])
	case "InvalidParam":
	default:
		return m, false
	}
	var known bool
	m.codes, known = s.strings(call.Args[1], within)
	require.True(s.t, known, "%s: the code is not found in the source", s.files.Position(call.Pos()))
	detail := call.Args[2]
	if format, _ := s.strings(detail, within); slices.Equal(format, []string{"%s"}) && len(call.Args) > 3 {
		detail = call.Args[3]
	}
	m.texts, _ = s.strings(detail, within)
	return m, true
}

func (s *source) madeByField(field *ast.CompositeLit, within *ast.FuncDecl) (made, bool) {
	if name, ok := field.Type.(*ast.Ident); !ok || name.Name != "ProblemField" {
		return made{}, false
	}
	m := made{kind: fault.Invalid}
	for _, e := range field.Elts {
		if pair := e.(*ast.KeyValueExpr); pair.Key.(*ast.Ident).Name == "Code" {
			var known bool
			m.codes, known = s.strings(pair.Value, within)
			require.True(s.t, known, s.files.Position(field.Pos()))
		}
	}
	return m, true
}

// strings returns every text that an expression can be; known is false where that cannot be determined. A fault that
// takes the code of another is known and adds none.
func (s *source) strings(e ast.Expr, within *ast.FuncDecl) (texts []string, known bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return []string{text}, err == nil
	case *ast.BinaryExpr:
		left, first := s.strings(e.X, within)
		right, second := s.strings(e.Y, within)
		for _, l := range left {
			for _, r := range right {
				texts = append(texts, l+r)
			}
		}
		return texts, first && second
	case *ast.SelectorExpr:
		if e.Sel.Name == "Code" {
			return nil, true
		}
		texts = s.column(e.Sel.Name)
		return texts, len(texts) > 0
	case *ast.Ident:
		if at := parameter(within, e.Name); at >= 0 {
			return s.arguments(within.Name.Name, at)
		}
		texts = s.constant(e.Name, within)
		return texts, len(texts) > 0
	}
	return nil, false
}

// arguments returns the texts that the calls of a function, in its package and in those that share it, pass as one
// parameter.
func (s *source) arguments(function string, at int) (texts []string, known bool) {
	known = true
	for _, from := range append([]*source{s}, s.room...) {
		by := ""
		if from != s {
			by = path.Base(s.dir)
		}
		for _, decl := range from.decls {
			within, _ := decl.(*ast.FuncDecl)
			ast.Inspect(decl, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && calledIn(call, by) == function {
					more, ok := from.strings(call.Args[at], within)
					texts, known = append(texts, more...), known && ok
				}
				return true
			})
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts), known
}

// column returns the texts in one field of the package's tables: variables that are slices of anonymous structs.
func (s *source) column(field string) (texts []string) {
	s.values(func(_ string, v ast.Expr) {
		table, ok := v.(*ast.CompositeLit)
		if !ok {
			return
		}
		list, ok := table.Type.(*ast.ArrayType)
		if !ok {
			return
		}
		row, ok := list.Elt.(*ast.StructType)
		if !ok {
			return
		}
		at := indexOf(row.Fields, field)
		for _, e := range table.Elts {
			if at >= 0 {
				more, _ := s.strings(e.(*ast.CompositeLit).Elts[at], nil)
				texts = append(texts, more...)
			}
		}
	})
	return texts
}

// constant returns the text of a constant of the function or the package.
func (s *source) constant(name string, within *ast.FuncDecl) (texts []string) {
	take := func(of string, v ast.Expr) {
		if of == name {
			texts, _ = s.strings(v, nil)
		}
	}
	s.values(take)
	if within != nil && within.Body != nil {
		for _, statement := range within.Body.List {
			if d, ok := statement.(*ast.DeclStmt); ok {
				valuesOf(d.Decl, take)
			}
		}
	}
	return texts
}

// values visits the constants and variables of the package.
func (s *source) values(visit func(name string, v ast.Expr)) {
	for _, decl := range s.decls {
		valuesOf(decl, visit)
	}
}

func valuesOf(decl ast.Decl, visit func(name string, v ast.Expr)) {
	general, ok := decl.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range general.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok {
			for i := range v.Values {
				visit(v.Names[i].Name, v.Values[i])
			}
		}
	}
}

// after reports whether .After follows the call at the end of path.
func after(path []ast.Node) bool {
	for i := len(path) - 2; i > 0; i -= 2 {
		chained, ok := path[i].(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if chained.Sel.Name == "After" {
			return true
		}
	}
	return false
}

// calledIn returns the name of a called function of a package, "" for the own one.
func calledIn(call *ast.CallExpr, pkg string) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		if pkg == "" {
			return f.Name
		}
	case *ast.SelectorExpr:
		if of, ok := f.X.(*ast.Ident); ok && of.Name == pkg {
			return f.Sel.Name
		}
	}
	return ""
}

func kindOf(e ast.Expr) fault.Kind {
	name := ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	}
	return map[string]fault.Kind{
		"Invalid": fault.Invalid, "Unauthorized": fault.Unauthorized, "Forbidden": fault.Forbidden,
		"NotFound": fault.NotFound, "Conflict": fault.Conflict, "Gone": fault.Gone, "RateLimited": fault.RateLimited,
		"Unavailable": fault.Unavailable, "Internal": fault.Internal,
	}[name]
}

func parameter(within *ast.FuncDecl, name string) int {
	if within == nil {
		return -1
	}
	return indexOf(within.Type.Params, name)
}

func indexOf(fields *ast.FieldList, name string) int {
	at := 0
	for _, f := range fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				return at
			}
			at++
		}
	}
	return -1
}
