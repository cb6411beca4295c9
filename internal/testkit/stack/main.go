// Command stack starts PostgreSQL and Temporal once for a whole test run:
//
//	go run ./internal/testkit/stack -- go test ./...
//
// It passes their addresses in the environment, ends with the exit code of the command, and leaves nothing running.
// With -temporal-on-postgresql Temporal keeps its state there, which a scenario of more than some thousand workflows
// needs. With -while everything ends soon after the process of that id, however that one ended: `make` passes its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"perennial/internal/testkit"
)

func main() {
	onPostgres := flag.Bool("temporal-on-postgresql", false, "keep Temporal's state in PostgreSQL, not in memory")
	while := flag.Int("while", 0, "end when the process of this `id` has ended")
	flag.Usage = func() {
		_, _ = fmt.Fprintln(flag.CommandLine.Output(),
			"usage: stack [-temporal-on-postgresql] [-while id] -- command [arguments]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	startTemporal := testkit.StartTemporal
	if *onPostgres {
		startTemporal = testkit.StartTemporalOnPostgres
	}
	code, err := run(flag.Args(), startTemporal, *while)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "stack:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// start starts a server and says where it is, and how it is stopped.
type start func(context.Context, io.Writer) (address string, stop func(context.Context) error, err error)

// run starts the servers that the environment does not name, runs the command and stops the servers that it started.
func run(args []string, temporal start, while int) (code int, err error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if while > 0 {
		go func() {
			for ctx.Err() == nil && lives(while) {
				time.Sleep(time.Second)
			}
			cancel()
		}()
	}
	for _, server := range []struct {
		name, variable string
		start          start
	}{
		{"PostgreSQL", testkit.EnvDatabaseURL, testkit.StartPostgres},
		{"Temporal", testkit.EnvTemporalAddress, temporal},
	} {
		if os.Getenv(server.variable) != "" {
			continue
		}
		address, stop, startErr := server.start(ctx, os.Stderr)
		if startErr != nil {
			return 1, fmt.Errorf("%s: %w", server.name, startErr)
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			err = errors.Join(err, stop(ctx))
		}()
		if err := os.Setenv(server.variable, address); err != nil {
			return 1, err
		}
	}
	return command(ctx, args)
}

// command runs args until they end; a signal to us is passed on, and a process that ignores it for 20 s is killed.
func command(ctx context.Context, args []string) (int, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// lives reports whether there is such a process. One that we may not signal is there, too.
func lives(id int) bool {
	p, err := os.FindProcess(id)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}
