package httpkit

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"perennial/internal/telemetry"
)

// paths finds the operation of a request segment by segment. mux compares a path with the pattern of one route after
// the other, which takes longer the more operations there are. It still serves all other routes, and all requests that
// get 404 or 405. The zero value is ready.
type paths struct {
	literals map[string]*paths
	variable *paths
	methods  map[string]*endpoint
}

// endpoint is one operation under one prefix.
type endpoint struct {
	template  string
	variables []string // their names, in order
	serve     http.HandlerFunc
}

// add makes the operation of a template such as /api/plans/{id} known.
func (p *paths) add(method, template string, serve http.HandlerFunc) {
	e := &endpoint{template: template, serve: serve}
	for segment := range strings.SplitSeq(strings.TrimPrefix(template, "/"), "/") {
		if variable(segment) {
			e.variables = append(e.variables, strings.Trim(segment, "{}"))
		}
		p = p.child(segment)
	}
	if p.methods == nil {
		p.methods = map[string]*endpoint{}
	}
	p.methods[method] = e
}

// child returns the node for a segment of a template.
func (p *paths) child(segment string) *paths {
	if variable(segment) {
		if p.variable == nil {
			p.variable = &paths{}
		}
		return p.variable
	}
	if p.literals == nil {
		p.literals = map[string]*paths{}
	}
	if p.literals[segment] == nil {
		p.literals[segment] = &paths{}
	}
	return p.literals[segment]
}

// find returns the operation of a path without its first slash, and the values of its variables; nil: there is none. A
// literal segment goes before a variable.
func (p *paths) find(method, path string, variables int) (*endpoint, map[string]string) {
	segment, rest, more := strings.Cut(path, "/")
	if next := p.literals[segment]; next != nil {
		if e, vars := next.at(method, rest, more, variables); e != nil {
			return e, vars
		}
	}
	if p.variable == nil || segment == "" {
		return nil, nil
	}
	e, vars := p.variable.at(method, rest, more, variables+1)
	if e != nil {
		vars[e.variables[variables]] = segment
	}
	return e, vars
}

// at is find for the rest after a segment; more: there is a rest.
func (p *paths) at(method, rest string, more bool, variables int) (*endpoint, map[string]string) {
	if more {
		return p.find(method, rest, variables)
	}
	e := p.methods[method]
	if e == nil {
		return nil, nil
	}
	return e, make(map[string]string, variables)
}

// dispatch hands a request to its operation, or to the other routes.
func (k *Kit) dispatch(w http.ResponseWriter, r *http.Request) {
	path, rooted := strings.CutPrefix(r.URL.Path, "/")
	if e, vars := k.paths.find(r.Method, path, 0); e != nil && rooted {
		telemetry.RequestFrom(r.Context()).Route = e.template
		e.serve(w, mux.SetURLVars(r, vars))
		return
	}
	k.router.ServeHTTP(w, r)
}
