package peercases

import (
	"embed"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// own has the cases that a clone of the repository alone can check.
//
//go:embed testdata/*.json
var own embed.FS

// dirVariable names the folder of cases from other systems. Without it the folder is expected next to the repository.
const dirVariable = "PEER_CASES_DIR"

type source struct {
	name  string
	cases []Case
}

// load reads our own cases, which must exist, and those of the folder, which must exist only if it was named.
func load(t testing.TB, category string) []source {
	t.Helper()
	testdata, err := fs.Sub(own, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	sources := []source{{"our own", read(t, testdata, category)}}
	dir, named := folder(t)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if named {
			t.Fatalf("%s is %q, which is no directory: correct it, or unset it to run our own cases only", dirVariable, dir)
		}
		t.Logf("%s: no cases of other systems at %s; set %s to a folder of them to run more than our own",
			category, dir, dirVariable)
		return sources
	}
	return append(sources, source{dir, read(t, os.DirFS(dir), category)})
}

// folder returns the folder of the cases of other systems, and whether it was named explicitly.
func folder(t testing.TB) (dir string, named bool) {
	t.Helper()
	if dir := os.Getenv(dirVariable); dir != "" {
		return fromRoot(t, dir), true
	}
	return fromRoot(t, filepath.Join("..", "shared", "peer-cases")), false
}

// fromRoot reads a relative path from the root of the repository, because a test runs in the folder of its package.
func fromRoot(t testing.TB, path string) string {
	t.Helper()
	if filepath.IsAbs(path) {
		return path
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, path)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = parent
	}
}

func read(t testing.TB, files fs.FS, category string) []Case {
	t.Helper()
	raw, err := fs.ReadFile(files, category+".json")
	if err != nil {
		t.Fatalf("cases of category %s: %v", category, err)
	}
	var cases []Case
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatalf("cases of category %s: %v", category, err)
	}
	return cases
}
