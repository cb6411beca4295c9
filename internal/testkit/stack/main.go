// Command stack starts PostgreSQL and Temporal once for a whole test run:
//
//	go run ./internal/testkit/stack -- go test ./...
//
// It passes their addresses in the environment, ends with the exit code of the command, and leaves nothing running.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"perennial/internal/testkit"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: stack -- command [arguments]")
		os.Exit(2)
	}
	code, err := run(args)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "stack:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// run starts what the environment does not already name, runs the command and stops what it started.
func run(args []string) (code int, err error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	env := os.Environ()
	for _, server := range []struct {
		name, variable string
		start          func(context.Context) (string, func(context.Context) error, error)
	}{
		{"PostgreSQL", testkit.EnvDatabaseURL, func(ctx context.Context) (string, func(context.Context) error, error) {
			return testkit.StartPostgres(ctx, os.Stderr)
		}},
		{"Temporal", testkit.EnvTemporalAddress, func(ctx context.Context) (string, func(context.Context) error, error) {
			return testkit.StartTemporal(ctx, os.Stderr)
		}},
	} {
		if os.Getenv(server.variable) != "" {
			continue
		}
		address, stop, startErr := server.start(ctx)
		if startErr != nil {
			return 1, fmt.Errorf("%s: %w", server.name, startErr)
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			err = errors.Join(err, stop(ctx))
		}()
		env = append(env, server.variable+"="+address)
	}
	return command(ctx, env, args)
}

// command runs args until they end; a signal to us is passed on, and what it leaves unheeded for 20 s is killed.
func command(ctx context.Context, env, args []string) (int, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}
