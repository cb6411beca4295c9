// Command reach prints the packages whose tests a change can reach, for `make quick`:
//
//	go run ./internal/testkit/reach            what differs from the last commit, or, where nothing does, in it
//	go run ./internal/testkit/reach -base main what differs from main
//
// A change of a file reaches the package of its folder, or of the nearest folder above that is one, and every package
// that imports it, also through others or in its tests. The scenarios of test/e2e are left out: they take minutes, and
// nearly everything reaches them.
//
// Exit code 0: printed, also where nothing is reached. 1: git or go failed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

const module = "perennial"

const scenarios = module + "/test/e2e"

func main() {
	base := flag.String("base", "", "the `commit` to compare with")
	flag.Parse()
	packages, err := reached(context.Background(), *base)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "reach:", err)
		os.Exit(1)
	}
	for _, p := range packages {
		fmt.Println(p)
	}
}

func reached(ctx context.Context, base string) ([]string, error) {
	files, err := changed(ctx, base)
	if err != nil {
		return nil, err
	}
	out, err := output(ctx, "go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		return nil, err
	}
	tree, err := read(bytes.NewReader(out))
	if err != nil {
		return nil, err
	}
	return tree.reachedBy(files), nil
}

// changed lists changed files, including untracked ones.
func changed(ctx context.Context, base string) ([]string, error) {
	list := func(args ...string) ([]string, error) {
		out, err := output(ctx, "git", args...)
		return strings.Fields(string(out)), err
	}
	from := base
	if from == "" {
		from = "HEAD"
	}
	files, err := list("diff", "--name-only", from)
	if err != nil {
		return nil, err
	}
	untracked, err := list("ls-files", "-o", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	if files = append(files, untracked...); len(files) > 0 || base != "" {
		return files, nil
	}
	return list("diff", "--name-only", "HEAD~1", "HEAD")
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // git and go, with arguments of ours
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return out, nil
}

// tree maps a package to its direct importers.
type tree map[string][]string

// read parses the output of `go list -json`.
func read(list io.Reader) (tree, error) {
	out := tree{}
	for decoder := json.NewDecoder(list); ; {
		var p struct {
			ImportPath   string   `json:"ImportPath"`
			Imports      []string `json:"Imports"`
			TestImports  []string `json:"TestImports"`
			XTestImports []string `json:"XTestImports"`
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		if _, ok := out[p.ImportPath]; !ok {
			out[p.ImportPath] = nil
		}
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if strings.HasPrefix(imported, module+"/") {
				out[imported] = append(out[imported], p.ImportPath)
			}
		}
	}
}

func (t tree) reachedBy(files []string) []string {
	seen := map[string]bool{}
	var walk func(pkg string)
	walk = func(pkg string) {
		if seen[pkg] {
			return
		}
		seen[pkg] = true
		for _, importer := range t[pkg] {
			walk(importer)
		}
	}
	for _, file := range files {
		if pkg, ok := t.packageOf(file); ok {
			walk(pkg)
		}
	}
	delete(seen, scenarios)
	out := make([]string, 0, len(seen))
	for pkg := range seen {
		out = append(out, pkg)
	}
	slices.Sort(out)
	return out
}

// packageOf finds the package that embeds or reads the file: its folder's, or the nearest above.
func (t tree) packageOf(file string) (string, bool) {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if _, ok := t[module+"/"+dir]; ok {
			return module + "/" + dir, true
		}
	}
	return "", false
}
