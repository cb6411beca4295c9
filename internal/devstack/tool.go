package devstack

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// EnsureTool returns the absolute path of a program written in Go, at exactly the version of spec
// ("module/path@v1.2.3"): from PATH, from the user's cache, or by compiling it into that cache, which takes minutes for
// a large program and is reported line by line on progress. The name is the program's.
func EnsureTool(ctx context.Context, name, spec string, progress io.Writer) (string, error) {
	_, version, ok := strings.Cut(spec, "@")
	if !ok {
		return "", fmt.Errorf("tool %q: want module@version", spec)
	}
	if onPath, err := exec.LookPath(name); err == nil && hasVersion(ctx, onPath, version) {
		return filepath.Abs(onPath)
	}
	c, err := userCache()
	if err != nil {
		return "", err
	}
	return c.tool(ctx, name, spec, progress)
}

func (c cache) tool(ctx context.Context, name, spec string, progress io.Writer) (string, error) {
	_, version, _ := strings.Cut(spec, "@")
	target := c.path(filepath.FromSlash(spec))
	program := filepath.Join(target, name)
	err := c.once(ctx, target,
		func() bool { return compiledAs(program, version) },
		func() { say(progress, "%s: another process is installing it; waiting", name) },
		func(scratch string) error {
			say(progress, "%s: installing %s with the Go toolchain %s (once; a large program takes some minutes)",
				name, spec, c.into())
			return install(ctx, scratch, name, spec, progress)
		})
	return program, err
}

// compiledAs reports whether the program is complete and what `go install` made of this version.
func compiledAs(path, version string) bool {
	info, err := buildinfo.ReadFile(path)
	return err == nil && info.Main.Version == version
}

// hasVersion looks into the program's build information, which `go install` writes. Programs released in another way
// carry no version there and are asked.
func hasVersion(ctx context.Context, path, version string) bool {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return false
	}
	if info.Main.Version == version {
		return true
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	want := strings.TrimPrefix(version, "v")
	return err == nil && containsWord(string(out), want)
}

// containsWord finds a version as a whole word, so that 1.5.1 is not found in 1.5.10.
func containsWord(text, version string) bool {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n,()", r) }) {
		if strings.TrimPrefix(word, "v") == version {
			return true
		}
	}
	return false
}

// install compiles a program into dir.
func install(ctx context.Context, dir, name, spec string, progress io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", "install", "-v", "-trimpath", spec)
	cmd.Dir = dir // outside our module: its go.mod must not decide about a tool's dependencies
	cmd.Env = toolEnv(os.Environ(), dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // lets go remove its temporary files
	cmd.WaitDelay = 10 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("install %s: %w; Perennial needs the Go toolchain on PATH", name, err)
	}
	report := reportInstall(name, stderr, progress, began)
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("install %s: %w", name, ctx.Err())
		}
		return fmt.Errorf("install %s: %w\n%s\nIt needs the Go module proxy (GOPROXY). "+
			"Or install %s yourself and put it on PATH", name, err, report.tail(), spec)
	}
	say(progress, "%s: installed after %s", name, time.Since(began).Round(time.Second))
	return nil
}

// toolEnv is our environment without what is meant for our own build: a target of cross-compilation and a workspace.
func toolEnv(env []string, gobin string) []string {
	var kept []string
	for _, kv := range env {
		switch key, _, _ := strings.Cut(kv, "="); key {
		case "GOBIN", "GOOS", "GOARCH", "GOWORK":
		default:
			kept = append(kept, kv)
		}
	}
	return append(kept, "GOBIN="+gobin, "GOWORK=off")
}

// installReport counts what `go install -v` says: one line per module downloaded and per package compiled.
type installReport struct {
	mu                   sync.Mutex
	downloaded, compiled int
	last                 []string
	err                  error
}

// reportInstall reads stderr to its end, and prints a line every three seconds meanwhile. It returns at the end.
func reportInstall(name string, stderr io.Reader, progress io.Writer, began time.Time) *installReport {
	r := &installReport{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		lines := bufio.NewScanner(stderr)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			r.add(lines.Text())
		}
		r.err = lines.Err()
	}()
	tick := time.NewTicker(3 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return r
		case <-tick.C:
			r.mu.Lock()
			say(progress, "%s: %3.0f s, %d modules downloaded, %d packages compiled", name,
				time.Since(began).Seconds(), r.downloaded, r.compiled)
			r.mu.Unlock()
		}
	}
}

func (r *installReport) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		r.downloaded++
	case !strings.ContainsAny(line, " \t:"): // an import path alone on its line
		r.compiled++
	default:
		r.last = append(r.last[max(0, len(r.last)-19):], line)
	}
}

func (r *installReport) tail() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil && !errors.Is(r.err, os.ErrClosed) {
		return r.err.Error()
	}
	return strings.Join(r.last, "\n")
}
