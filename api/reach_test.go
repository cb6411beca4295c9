package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// program is package api with all packages of ours that it imports, with types.
type program struct {
	t        *testing.T
	files    *token.FileSet
	packages map[string]*types.Package
	info     *types.Info
	nodes    map[types.Object]ast.Node // functions and variables of packages: the code of their names
}

// loadProgram reads our packages from source, and others as the compiler has exported them.
func loadProgram(t *testing.T) *program {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,GoFiles,Export", "./api")
	list.Dir = ".."
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	require.NoError(t, err, problems.String())
	p := &program{
		t: t, files: token.NewFileSet(), packages: map[string]*types.Package{}, nodes: map[types.Object]ast.Node{},
		info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}},
	}
	exported := map[string]string{}
	foreign := importer.ForCompiler(p.files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exported[path])
	})
	config := types.Config{Importer: importing(func(path string) (*types.Package, error) {
		if ours := p.packages[path]; ours != nil {
			return ours, nil
		}
		return foreign.Import(path)
	})}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; { // imported ones come first
		var found struct {
			ImportPath, Export string
			GoFiles            []string
		}
		if err := decoder.Decode(&found); errors.Is(err, io.EOF) {
			return p
		} else if require.NoError(t, err); !strings.HasPrefix(found.ImportPath, "perennial/") {
			exported[found.ImportPath] = found.Export
			continue
		}
		var files []*ast.File
		for _, name := range found.GoFiles {
			path := filepath.Join("..", strings.TrimPrefix(found.ImportPath, "perennial/"), name)
			file, err := parser.ParseFile(p.files, path, nil, 0)
			require.NoError(t, err)
			files = append(files, file)
		}
		p.packages[found.ImportPath], err = config.Check(found.ImportPath, p.files, files, p.info)
		require.NoError(t, err)
		for _, file := range files {
			p.note(file)
		}
	}
}

type importing func(path string) (*types.Package, error)

func (f importing) Import(path string) (*types.Package, error) { return f(path) }

// note records the code of the names of a file.
func (p *program) note(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				p.nodes[p.info.Defs[d.Name]] = d.Body
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				for i := 0; ok && i < len(v.Values); i++ {
					p.nodes[p.info.Defs[v.Names[i]]] = v.Values[i]
				}
			}
		}
	}
}

// reach is the set of code that can be called from one place, by rapid type analysis: a method of an interface leads
// only to the types that the reached code names.
type reach struct {
	*program
	skip   func(types.Object) bool
	seen   map[visited]bool
	given  *types.Const   // the input that the visited code is called with; nil: any
	within *types.Package // of the code that is visited
	named  []types.Type
	// types named by code outside of the rules: the commands among them are those that an operation gives
	ordered []types.Type
	calls   []*types.Func // of interfaces
	made    []*ast.CallExpr
}

// visited is code, and its input.
type visited struct {
	object types.Object
	given  *types.Const
}

// rules are the packages that judge commands. A command that only they name is not one that an operation gives: a rule
// that needs another command's rule calls it by name.
var rules = []string{"perennial/billing/lifecycle", "perennial/billing/recording", "perennial/billing/foresight"}

// reachFrom returns all calls that can be made from there.
func (p *program) reachFrom(from ast.Node, skip func(types.Object) bool) []*ast.CallExpr {
	r := &reach{program: p, skip: skip, seen: map[visited]bool{}}
	r.visit(from, false)
	return r.made
}

func (r *reach) visit(n ast.Node, judges bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return !judges // a command is carried out after it was judged: a refusal then is a server error
		case *ast.TypeAssertExpr: // asks for a type and makes none
			r.visit(n.X, judges)
			return false
		case *ast.CaseClause:
			if r.forOthers(n.List) {
				return false
			}
			for _, s := range n.Body {
				r.visit(s, judges)
			}
			return false
		case *ast.KeyValueExpr:
			return !r.forOthers([]ast.Expr{n.Key})
		case *ast.SelectorExpr:
			if n.Sel.Name == "Code" { // of a fault that is compared
				return false
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Is" && len(n.Args) == 2 {
				r.visit(n.Args[0], judges) // the other one is compared
				return false
			}
			r.made = append(r.made, n)
			if calledIn(n, "fault") == "New" {
				if of, ok := n.Args[1].(*ast.SelectorExpr); ok { // the code of another fault
					r.visit(of.X, judges)
				}
			}
			if f := r.called(n); f != nil {
				was := r.given
				if r.given = r.inputIn(n.Args); r.given == nil && takesInput(f) {
					r.given = was
				}
				r.use(f)
				r.given = was
				if of, ok := n.Fun.(*ast.SelectorExpr); ok {
					r.visit(of.X, judges)
				}
				for _, arg := range n.Args {
					r.visit(arg, judges)
				}
				return false
			}
		case *ast.Ident:
			r.mention(r.info.Uses[n])
		}
		return true
	})
}

func (r *reach) use(object types.Object) {
	switch o := object.(type) {
	case *types.TypeName:
		r.name(o)
	case *types.Func:
		o = o.Origin()
		receiver := o.Signature().Recv()
		if receiver != nil && types.IsInterface(receiver.Type()) {
			r.given = nil // methods of this type may be called with anything
			if !r.seen[visited{object: o}] {
				r.seen[visited{object: o}] = true
				r.calls = append(r.calls, o)
				if o.Name() == judge {
					r.dispatch(o, r.ordered)
				} else {
					r.dispatch(o, r.named)
				}
			}
			return
		}
		r.enter(o)
	case *types.Var:
		r.enter(o)
	}
}

func (r *reach) name(o *types.TypeName) {
	both := []types.Type{o.Type(), types.NewPointer(o.Type())}
	again := func(judged bool) {
		for _, call := range r.calls {
			if (call.Name() == judge) == judged {
				r.dispatch(call, both)
			}
		}
	}
	if !r.seen[visited{object: o}] {
		r.seen[visited{object: o}] = true
		r.named = append(r.named, both...)
		again(false)
	}
	if outside := r.within == nil || !slices.Contains(rules, r.within.Path()); outside && !slices.Contains(r.ordered, both[0]) {
		r.ordered = append(r.ordered, both...)
		again(true)
	}
}

// judge is the method by which a command returns its effect or its refusal.
const judge = "judge"

// dispatch calls a method of an interface on the types that have it.
func (r *reach) dispatch(call *types.Func, on []types.Type) {
	wanted, ok := call.Signature().Recv().Type().Underlying().(*types.Interface)
	for _, t := range on {
		if ok && !types.IsInterface(t) && types.Implements(t, wanted) {
			if method, _, _ := types.LookupFieldOrMethod(t, true, call.Pkg(), call.Name()); method != nil {
				r.use(method)
			}
		}
	}
}

func (r *reach) enter(object types.Object) {
	node, here := r.nodes[object], visited{object, r.given}
	if node == nil || r.seen[here] || r.skip(object) {
		return
	}
	r.seen[here] = true
	was := r.within
	r.within = object.Pkg()
	r.visit(node, object.Name() == judge)
	r.within = was
}

// registered returns the handlers of all operations, by the operation's name.
func (p *program) registered() map[string]ast.Node {
	handlers := map[string]ast.Node{}
	for object, node := range p.nodes {
		if !strings.HasPrefix(object.Pkg().Path()+"/", "perennial/api/") {
			continue
		}
		ast.Inspect(node, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			handler := map[string]int{
				"Register": 2, "RegisterRaw": 3, "RegisterPlain": 3, "RegisterPage": 2, "RegisterFile": 3,
			}[calledIn(call, "httpkit")]
			if handler == 0 {
				return true
			}
			for _, e := range call.Args[1].(*ast.CompositeLit).Elts {
				if pair := e.(*ast.KeyValueExpr); pair.Key.(*ast.Ident).Name == "Name" {
					name, err := strconv.Unquote(pair.Value.(*ast.BasicLit).Value)
					require.NoError(p.t, err)
					handlers[name] = call.Args[handler]
				}
			}
			return true
		})
	}
	return handlers
}
