package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
)

const (
	module = "perennial"
	hooks  = module + "/internal/testkit/mutate/mutant"
	rapid  = "pgregory.net/rapid"
)

// pkg is a package in the output of `go list`.
type pkg struct {
	ImportPath   string   `json:"ImportPath"`
	Dir          string   `json:"Dir"`
	Export       string   `json:"Export"`
	GoFiles      []string `json:"GoFiles"`
	TestImports  []string `json:"TestImports"`
	XTestImports []string `json:"XTestImports"`
}

// usesRapid reports whether the package's tests take the flags of rapid.
func (p pkg) usesRapid() bool {
	return slices.Contains(slices.Concat(p.TestImports, p.XTestImports), rapid)
}

// name returns the name of a package in the report.
func (p pkg) name() string { return strings.TrimPrefix(p.ImportPath, module+"/billing/") }

// list returns packages with all that they import, by path.
func list(ctx context.Context, patterns ...string) (map[string]pkg, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,TestImports,XTestImports"}
	cmd := exec.CommandContext(ctx, "go", append(args, patterns...)...) //nolint:gosec // go, with packages of ours
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	packages := map[string]pkg{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages[p.ImportPath] = p
	}
}

// mutation has the parts of a tree with all mutants in it.
type mutation struct {
	changes []change
	files   map[string][]byte // mutated, by path
	skipped []string
}

// mutate finds the mutants of packages and compiles all of them into their files.
func mutate(packages []pkg, known map[string]pkg) (mutation, error) {
	out, id := mutation{files: map[string][]byte{}}, 0
	next := func() int { id++; return id }
	for _, p := range packages {
		set := token.NewFileSet()
		imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) {
			return os.Open(known[path].Export)
		})
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				return out, err
			}
			files = append(files, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Defs: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: imports}).Check(p.ImportPath, set, files, info); err != nil {
			return out, err
		}
		for i, file := range files {
			f := &finder{file: set.File(file.FileStart), info: info, nextID: next}
			if err := out.take(p, p.GoFiles[i], f, file); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// take adds the mutants of one file.
func (m *mutation) take(p pkg, name string, f *finder, file *ast.File) error {
	path := filepath.Join(p.Dir, name)
	source, err := os.ReadFile(path) //nolint:gosec // of this repository
	if err != nil {
		return err
	}
	f.source, f.unit, f.imports = source, p.name(), map[string]string{p.ImportPath: ""}
	if p.name() == composed {
		f.unit += "/" + name
	}
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return err
		}
		f.imports[path] = path[strings.LastIndex(path, "/")+1:]
		if i.Name != nil {
			f.imports[path] = i.Name.Name
		}
	}
	f.declarations(file)
	m.skipped = append(m.skipped, f.skipped...)
	if len(f.changes) == 0 {
		return nil
	}
	m.changes = append(m.changes, f.changes...)
	f.replace(file.Name.End(), 0, "; import \""+hooks+"\"")
	m.files[path] = f.mutated()
	return nil
}

// overlay writes the mutated files and the list that `go build -overlay` takes.
func (m *mutation) overlay(dir string) (string, error) {
	replace := map[string]string{}
	for path, content := range m.files {
		target := filepath.Join(dir, fmt.Sprintf("%d-%s", len(replace), filepath.Base(path)))
		if err := os.WriteFile(target, content, 0o600); err != nil {
			return "", err
		}
		replace[path] = target
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	target := filepath.Join(dir, "overlay.json")
	return target, os.WriteFile(target, content, 0o600)
}
