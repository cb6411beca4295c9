package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// change is one mutant: an operator of the source and its replacement.
type change struct {
	id       int
	unit     string // the package's name in the report; of lifecycle, its file
	function string
	from, to string
	nth      int // of those in the function that read the same, from 1
}

// String returns the key of a change, which the lists of lived and equivalent mutants use. It has no line numbers, so
// that it survives edits elsewhere.
func (c change) String() string {
	key := fmt.Sprintf("%s %s: %s → %s", c.unit, c.function, c.from, c.to)
	if c.nth > 1 {
		key += fmt.Sprintf(" #%d", c.nth)
	}
	return key
}

// edit replaces bytes of a file. The finder makes edits in the order of evaluation, so that those of one offset nest.
type edit struct {
	at, length int
	text       string
}

// finder finds the mutants of a file and how to compile all of them into it.
type finder struct {
	unit     string
	source   []byte
	file     *token.File
	info     *types.Info
	imports  map[string]string // names of packages in this file, by path
	nextID   func() int
	function string
	constant types.Type // of the constant expression around

	edits   []edit
	changes []change
	skipped []string // what could not be made a call
}

func (f *finder) at(p token.Pos) int { return f.file.Offset(p) }

func (f *finder) text(n ast.Node) string {
	return strings.Join(strings.Fields(string(f.source[f.at(n.Pos()):f.at(n.End())])), " ")
}

func (f *finder) replace(at token.Pos, length int, text string) {
	f.edits = append(f.edits, edit{f.at(at), length, text})
}

// add notes a mutant of from, which replaces the operator at a position.
func (f *finder) add(n ast.Node, at token.Pos, operator, by string) int {
	offset, end := f.at(at), f.at(n.End())
	before, after := string(f.source[f.at(n.Pos()):offset]), string(f.source[offset+len(operator):end])
	c := change{
		id: f.nextID(), unit: f.unit, function: f.function, nth: 1,
		from: f.text(n), to: strings.Join(strings.Fields(before+by+after), " "),
	}
	for _, other := range f.changes {
		if other.function == c.function && other.from == c.from && other.to == c.to {
			c.nth++
		}
	}
	f.changes = append(f.changes, c)
	return c.id
}

// declarations finds the mutants of a file. Declared constants have none: the language allows no call there.
func (f *finder) declarations(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			f.function = d.Name.Name
			if d.Recv != nil {
				f.function = strings.TrimPrefix(f.text(d.Recv.List[0].Type), "*") + "." + f.function
			}
			f.walk(d.Body)
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				v := s.(*ast.ValueSpec) //nolint:forcetypeassert // of a var, there is nothing else
				f.function = "var " + v.Names[0].Name
				for _, value := range v.Values {
					f.walk(value)
				}
			}
		}
	}
}

func (f *finder) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.ArrayType:
			f.walk(n.Elt) // its length is a constant
			return false
		case *ast.CallExpr: // also a conversion, whose operand has a type of its own
			outer := f.constant
			f.constant = nil
			f.walk(n.Fun)
			for _, argument := range n.Args {
				f.walk(argument)
			}
			f.constant = outer
			return false
		case *ast.BinaryExpr:
			f.binary(n)
			return false
		case *ast.UnaryExpr:
			return !f.unary(n)
		case *ast.IncDecStmt:
			f.step(n)
		case *ast.AssignStmt:
			return !f.assign(n)
		}
		return true
	})
}

// call is the call that replaces an operator.
type call struct{ name, by string }

var (
	boundaries = map[token.Token]call{
		token.LSS: {"Less", "<="}, token.LEQ: {"LessEqual", "<"}, token.GTR: {"Greater", ">="},
		token.GEQ: {"GreaterEqual", ">"},
	}
	negations = map[token.Token]string{
		token.EQL: "!=", token.NEQ: "==", token.LSS: ">=", token.LEQ: ">", token.GTR: "<=", token.GEQ: "<",
	}
	arithmetic = map[token.Token]call{
		token.ADD: {"Add", "-"}, token.SUB: {"Sub", "+"}, token.MUL: {"Mul", "/"}, token.QUO: {"Quo", "*"},
		token.REM: {"Rem", "*"},
	}
	logical = map[token.Token]call{token.LAND: {"And", "||"}, token.LOR: {"Or", "&&"}}
)

func (f *finder) binary(n *ast.BinaryExpr) {
	operator := n.Op.String()
	plain := func() {
		f.walk(n.X)
		f.walk(n.Y)
	}
	switch {
	case negations[n.Op] != "":
		f.replace(n.Pos(), 0, fmt.Sprintf("mutant.Not(%d, ", f.add(n, n.OpPos, operator, negations[n.Op])))
		if c, ok := boundaries[n.Op]; ok {
			f.operands(n, c, "")
		} else {
			plain()
		}
		f.replace(n.End(), 0, ")")
	case logical[n.Op].name != "":
		c := logical[n.Op]
		f.replace(n.Pos(), 0, fmt.Sprintf("mutant.%s(%d, ", c.name, f.add(n, n.OpPos, operator, c.by)))
		f.walk(n.X)
		f.replace(n.OpPos, len(operator), ", func() bool { return (")
		f.walk(n.Y)
		f.replace(n.End(), 0, ") })")
	case arithmetic[n.Op].name != "":
		name, ok := f.numeric(n)
		if !ok {
			plain()
			return
		}
		f.operands(n, arithmetic[n.Op], name)
	default:
		plain()
	}
}

// operands replaces an operator whose operands are both evaluated.
func (f *finder) operands(n *ast.BinaryExpr, c call, typeArgument string) {
	// The operands of a constant have no type of their own, but as calls they need it.
	if value := f.info.Types[n]; value.Value != nil && f.constant == nil {
		f.constant = value.Type
		defer func() { f.constant = nil }()
	}
	operator := n.Op.String()
	f.replace(n.Pos(), 0, fmt.Sprintf("mutant.%s%s(%d, ", c.name, typeArgument, f.add(n, n.OpPos, operator, c.by)))
	f.walk(n.X)
	f.replace(n.OpPos, len(operator), ", ")
	f.walk(n.Y)
	f.replace(n.End(), 0, ")")
}

// unary replaces -x and reports whether it did.
func (f *finder) unary(n *ast.UnaryExpr) bool {
	if n.Op != token.SUB {
		return false
	}
	name, ok := f.numeric(n)
	if !ok {
		return false
	}
	f.replace(n.OpPos, 1, fmt.Sprintf("mutant.Minus%s(%d, ", name, f.add(n, n.OpPos, "-", "")))
	f.walk(n.X)
	f.replace(n.End(), 0, ")")
	return true
}

// step replaces x++ and x--.
func (f *finder) step(n *ast.IncDecStmt) {
	t, ok := f.named(f.info.TypeOf(n.X))
	if !ok {
		f.skipped = append(f.skipped, f.text(n))
		return
	}
	by, operator := "--", "+="
	if n.Tok == token.DEC {
		by, operator = "++", "-="
	}
	id := f.add(n, n.TokPos, n.Tok.String(), by)
	f.replace(n.TokPos, 2, fmt.Sprintf(" %s mutant.Signed[%s](%d, 1)", operator, t, id))
}

// assign replaces x += y and x -= y, and reports whether it did.
func (f *finder) assign(n *ast.AssignStmt) bool {
	by := map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+="}[n.Tok]
	if by == "" {
		return false
	}
	basic, ok := f.info.TypeOf(n.Lhs[0]).Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsNumeric == 0 {
		return false
	}
	t := ""
	if f.info.Types[n.Rhs[0]].Value != nil {
		name, ok := f.named(f.info.TypeOf(n.Lhs[0]))
		if !ok {
			f.skipped = append(f.skipped, f.text(n))
			return false
		}
		t = "[" + name + "]"
	}
	f.walk(n.Lhs[0])
	f.replace(n.Rhs[0].Pos(), 0, fmt.Sprintf("mutant.Signed%s(%d, ", t, f.add(n, n.TokPos, n.Tok.String(), by)))
	f.walk(n.Rhs[0])
	f.replace(n.Rhs[0].End(), 0, ")")
	return true
}

// numeric reports whether an expression is a number, and returns the type argument that its call needs: the type of a
// constant cannot be inferred.
func (f *finder) numeric(n ast.Expr) (string, bool) {
	value := f.info.Types[n]
	basic, ok := value.Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsNumeric == 0 {
		return "", false
	}
	if value.Value == nil {
		return "", true
	}
	t := value.Type
	if f.constant != nil {
		t = f.constant
	}
	name, ok := f.named(t)
	if !ok {
		f.skipped = append(f.skipped, f.text(n))
	}
	return "[" + name + "]", ok
}

// named returns how this file writes a type.
func (f *finder) named(t types.Type) (string, bool) {
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	known := true
	name := types.TypeString(t, func(p *types.Package) string {
		local, ok := f.imports[p.Path()]
		known = known && ok
		return local
	})
	return strings.TrimPrefix(name, "."), known
}

// mutated returns the file with all mutants in it.
func (f *finder) mutated() []byte {
	slices.SortStableFunc(f.edits, func(a, b edit) int { return a.at - b.at })
	var out strings.Builder
	last := 0
	for _, e := range f.edits {
		out.Write(f.source[last:e.at])
		out.WriteString(e.text)
		last = e.at + e.length
	}
	out.Write(f.source[last:])
	return []byte(out.String())
}
