package before

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"perennial/bench/internal/sampler"
	"perennial/internal/devstack"
)

// measuring are the folders that measure a side. They are copied into each clone, so that the same code measures both.
var measuring = []string{"bench/internal/load", "bench/internal/machine", "bench/internal/sampler"}

// A clone whose benchmark is in one folder has no package rig. It gets the files of flat that it lacks, and main.go and
// samples.go, which adapt its rig to sampler.
const (
	rigFolder = "bench/internal/rig"
	flat      = "bench/internal/before/testdata/flat"
)

// commitSide is one compared commit: its clone, and the process that measures it.
type commitSide struct {
	name   string // before or after
	commit string // short
	dir    string // of the clone

	process *exec.Cmd
	orders  io.WriteCloser
	in      *json.Encoder
	out     *json.Decoder
}

// buildCommit clones a commit and builds its product and its benchmark.
func buildCommit(ctx context.Context, o options, name, revision string) (*commitSide, error) {
	commit, err := output(ctx, "", "git", "rev-parse", "--verify", "--short=7", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", revision, err)
	}
	s := &commitSide{name: name, commit: commit, dir: filepath.Join(o.state, "bench", "commits", commit)}
	if err := absolute(&s.dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(s.dir); errors.Is(err, os.ErrNotExist) {
		if _, err := output(ctx, "", "git", "clone", "--quiet", "--shared", "--no-checkout", ".", s.dir); err != nil {
			return nil, err
		}
	}
	if _, err := output(ctx, s.dir, "git", "checkout", "--quiet", "--force", "--detach", commit); err != nil {
		return nil, err
	}
	if err := s.copyMeasuring(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "bench: compiling %s, %s (the first time takes some minutes)\n", name, commit)
	into := filepath.Join(s.dir, "bin") + string(filepath.Separator)
	_, err = output(ctx, s.dir, "go", "build", "-o", into, "./cmd/perennial", "./bench")
	return s, err
}

// copyMeasuring copies the measuring folders. It also removes the copies of an earlier comparison.
func (s *commitSide) copyMeasuring(ctx context.Context) error {
	if _, err := output(ctx, s.dir, "git", "clean", "--quiet", "-d", "--force", "bench"); err != nil {
		return err
	}
	for _, folder := range measuring {
		if err := s.copyFolder(folder); err != nil {
			return err
		}
	}
	if s.has(rigFolder) {
		return nil
	}
	for _, file := range []string{"main.go", "samples.go", "callbacks.go", "credentials.go"} {
		as := filepath.Join("bench", file)
		if file != "main.go" && s.has(as) {
			continue
		}
		if err := s.copy(filepath.Join(flat, file), as); err != nil {
			return err
		}
	}
	return nil
}

// has reports whether the clone has a file or folder.
func (s *commitSide) has(name string) bool {
	_, err := os.Stat(filepath.Join(s.dir, name))
	return err == nil
}

// copyFolder copies a folder of the present commit into the clone, without tests.
func (s *commitSide) copyFolder(folder string) error {
	if err := os.RemoveAll(filepath.Join(s.dir, folder)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.dir, folder), 0o755); err != nil {
		return err
	}
	ours, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range ours {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if err := s.copy(file, file); err != nil {
			return err
		}
	}
	return nil
}

// copy writes a file of the present commit into the clone.
func (s *commitSide) copy(file, as string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, as), text, 0o644)
}

// start runs the side's process and waits until it can measure.
func (s *commitSide) start(ctx context.Context, o options) error {
	// Both sides use the same Temporal CLI: earlier commits look for it on PATH first.
	temporal, err := output(ctx, "", "go", "run", "./internal/devstack/install", "temporal", devstack.TemporalCLI)
	if err != nil {
		return err
	}
	// No CommandContext: the process stops its servers itself when its orders end.
	s.process = exec.Command(filepath.Join(s.dir, "bin", "bench"), //nolint:noctx // see above
		"samples", "--name", s.name, "--temporal", o.kind,
		"--binary", filepath.Join(s.dir, "bin", "perennial"), "--state", filepath.Join(s.dir, ".perennial"))
	s.process.Dir, s.process.Stderr = s.dir, os.Stderr
	s.process.Env = append(os.Environ(), "PATH="+filepath.Dir(temporal)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if s.orders, err = s.process.StdinPipe(); err != nil {
		return err
	}
	samples, err := s.process.StdoutPipe()
	if err != nil {
		return err
	}
	s.in, s.out = json.NewEncoder(s.orders), json.NewDecoder(samples)
	if err := s.process.Start(); err != nil {
		s.process = nil
		return err
	}
	return s.out.Decode(&sampler.Sample{}) // it is ready
}

// take orders one sample.
func (s *commitSide) take(o sampler.Order) (sampler.Sample, error) {
	var got sampler.Sample
	if err := s.in.Encode(o); err != nil {
		return got, err
	}
	if err := s.out.Decode(&got); err != nil {
		return got, fmt.Errorf("%s ended: %w", s.name, err)
	}
	if got.Failed != "" {
		return got, fmt.Errorf("%s (%s): %s", s.name, s.commit, got.Failed)
	}
	return got, nil
}

func (s *commitSide) stop() error {
	if s.process == nil {
		return nil
	}
	return errors.Join(s.orders.Close(), s.process.Wait())
}

// output runs a command in a directory; empty: the present one.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), err
}
