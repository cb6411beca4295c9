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

// EnsureTool returns the absolute path of a program written in Go, compiled from exactly what spec says
// ("module/path@v1.2.3", or "module/path@v1.2.3 dependency@v4.5.6" where a dependency of it has to be newer): from
// PATH, from the user's cache, or by compiling it into that cache, which takes minutes for a large program and is
// reported line by line on progress. The name is the program's.
func EnsureTool(ctx context.Context, name, spec string, progress io.Writer) (string, error) {
	parsed, err := parseToolSpec(spec)
	if err != nil {
		return "", err
	}
	if onPath, err := exec.LookPath(name); err == nil && hasVersion(ctx, onPath, parsed) {
		return filepath.Abs(onPath)
	}
	c, err := userCache()
	if err != nil {
		return "", err
	}
	return c.tool(ctx, name, parsed, progress)
}

// ensureOwn returns a program whose main package is source, compiled like EnsureTool's against the modules that spec
// pins.
func ensureOwn(ctx context.Context, name, spec string, source []byte, progress io.Writer) (string, error) {
	parsed, err := parseToolSpec(spec)
	if err != nil {
		return "", err
	}
	parsed.source = source
	c, err := userCache()
	if err != nil {
		return "", err
	}
	return c.tool(ctx, name, parsed, progress)
}

func (c cache) tool(ctx context.Context, name string, spec toolSpec, progress io.Writer) (string, error) {
	target := c.path(spec.dir())
	program := filepath.Join(target, name)
	err := c.once(ctx, target,
		func() bool { return compiledAs(program, spec) },
		func() { say(progress, "%s: another process is installing it; waiting", name) },
		func(scratch string) error {
			say(progress, "%s: installing %s with the Go toolchain %s (once; a large program takes some minutes)",
				name, strings.Join(spec.pins(), " with "), c.into())
			return install(ctx, scratch, name, spec, progress)
		})
	return program, err
}

// compiledAs reports whether the program is complete and compiled from the sources in spec.
func compiledAs(path string, spec toolSpec) bool {
	info, err := buildinfo.ReadFile(path)
	return err == nil && spec.madeOf(info)
}

// hasVersion reads the program's build information, which the Go toolchain writes. Programs released in another way
// have no version there and are run with --version; they do not list their dependencies.
func hasVersion(ctx context.Context, path string, spec toolSpec) bool {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return false
	}
	if spec.madeOf(info) {
		return true
	}
	if len(spec.newer) > 0 || info.Main.Version != "" && info.Main.Version != "(devel)" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
	return err == nil && containsWord(string(out), strings.TrimPrefix(spec.program.version, "v"))
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
func install(ctx context.Context, dir, name string, spec toolSpec, progress io.Writer) error {
	began := time.Now()
	if len(spec.newer) == 0 && spec.source == nil {
		err := goCommand(ctx, dir, dir, name, progress, "install", "-v", "-trimpath", spec.program.String())
		return installed(ctx, name, spec, progress, began, err)
	}
	// Only a module can ask for newer dependencies than the program's own, or hold a program; this one exists for that.
	module := filepath.Join(dir, "module")
	if err := os.Mkdir(module, 0o755); err != nil {
		return err
	}
	target := spec.program.path
	err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module perennial.invalid/tool\n"), 0o644) //nolint:gosec // not secret
	if err == nil && spec.source != nil {
		target = "main.go"
		err = os.WriteFile(filepath.Join(module, target), spec.source, 0o644) //nolint:gosec // not secret
	}
	if err == nil {
		err = goCommand(ctx, module, dir, name, progress, append([]string{"get"}, spec.pins()...)...)
	}
	if err == nil {
		err = goCommand(ctx, module, dir, name, progress,
			"build", "-v", "-trimpath", "-o", filepath.Join(dir, name), target)
	}
	return installed(ctx, name, spec, progress, began, errors.Join(err, os.RemoveAll(module)))
}

// installed explains what came of an installation.
func installed(ctx context.Context, name string, spec toolSpec, progress io.Writer, began time.Time, err error) error {
	switch {
	case err == nil:
		say(progress, "%s: installed after %s", name, time.Since(began).Round(time.Second))
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("install %s: %w", name, ctx.Err())
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("install %s: %w; Perennial needs the Go toolchain on PATH", name, err)
	default:
		return fmt.Errorf("install %s: %w\nIt needs the Go module proxy (GOPROXY). "+
			"Or install %s yourself and put it on PATH", name, err, strings.Join(spec.pins(), " with "))
	}
}

// goCommand runs the Go toolchain in a directory outside our module, whose go.mod must not decide about a tool's
// dependencies. Its error ends with the last lines that the toolchain wrote.
func goCommand(ctx context.Context, dir, gobin, name string, progress io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = toolEnv(os.Environ(), gobin)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // lets go remove its temporary files
	cmd.WaitDelay = 10 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	report := reportInstall(name, stderr, progress, began)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, report.tail())
	}
	return nil
}

// toolEnv returns our environment without the variables for our own build: a target of cross-compilation and a
// workspace.
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
