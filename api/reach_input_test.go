package api

import (
	"go/ast"
	"go/types"
	"slices"
)

// The machines of subscriptions and of collection refuse by their input: the reason of one input is not one of an
// operation with another input. So code that is called with an input is visited with it, and branches for other inputs
// are left out.
var inputs = []string{"perennial/billing/subscribing.input", "perennial/billing/collection.Kind"}

// carriers have an input among their fields.
var carriers = []string{"perennial/billing/collection.Input"}

// called is the function or method that a call names; nil: a value, or a function with types in brackets.
func (r *reach) called(call *ast.CallExpr) *types.Func {
	var name *ast.Ident
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	default:
		return nil
	}
	f, _ := r.info.Uses[name].(*types.Func)
	return f
}

// mention visits an object that is named but not called. A table is looked up with the input of its reader; a function
// that is passed on is called with anything.
func (r *reach) mention(object types.Object) {
	if _, table := object.(*types.Var); !table {
		was := r.given
		defer func() { r.given = was }()
		r.given = nil
	}
	r.use(object)
}

// inputIn is the one input that arguments name; nil: none, or several.
func (r *reach) inputIn(args []ast.Expr) *types.Const {
	var found []*types.Const
	for _, arg := range args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				if c := r.input(name); c != nil && !slices.Contains(found, c) {
					found = append(found, c)
				}
			}
			return true
		})
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// input is the input that an expression names.
func (r *reach) input(e ast.Expr) *types.Const {
	name, ok := e.(*ast.Ident)
	if of, selects := e.(*ast.SelectorExpr); selects {
		name, ok = of.Sel, true
	}
	if !ok {
		return nil
	}
	c, _ := r.info.Uses[name].(*types.Const)
	if c == nil || !slices.Contains(inputs, c.Type().String()) {
		return nil
	}
	return c
}

// takesInput reports whether a function passes its input on.
func takesInput(f *types.Func) bool {
	for v := range f.Signature().Params().Variables() {
		if name := v.Type().String(); slices.Contains(inputs, name) || slices.Contains(carriers, name) {
			return true
		}
	}
	return false
}

// forOthers reports whether the code of these cases, or keys, is for other inputs than the given one.
func (r *reach) forOthers(cases []ast.Expr) bool {
	if r.given == nil || len(cases) == 0 {
		return false
	}
	return !slices.ContainsFunc(cases, func(e ast.Expr) bool {
		c := r.input(e)
		return c == nil || c == r.given || c.Type() != r.given.Type()
	})
}
