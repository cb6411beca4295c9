package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binary is built once for a test process, with the race detector where the tests have it.
var binary struct {
	once sync.Once
	dir  string
	err  error
}

// Binary is the path of the program under test.
func Binary(t testing.TB) string {
	t.Helper()
	binary.once.Do(func() { binary.dir, binary.err = build() })
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return filepath.Join(binary.dir, "perennial")
}

// RemoveBinary is for TestMain, when the tests have ended.
func RemoveBinary() error {
	if binary.dir == "" {
		return nil
	}
	return os.RemoveAll(binary.dir)
}

func build() (string, error) {
	dir, err := os.MkdirTemp("", "perennial-e2e-")
	if err != nil {
		return "", err
	}
	args := []string{"build", "-trimpath", "-o", filepath.Join(dir, "perennial")}
	if raceDetector {
		args = append(args, "-race")
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(context.Background(), "go", append(args, "./cmd/perennial")...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the binary under test: %w\n%s", err, out)
	}
	return dir, nil
}

// moduleRoot is the directory of go.mod.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}
