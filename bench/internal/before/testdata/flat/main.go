// Command bench measures one commit for a comparison. It replaces main.go in versions of the benchmark that had one
// folder.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"perennial/bench/bare"
	samples "perennial/bench/internal/sampler"
)

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, release) // a second signal ends at once
	if err := execute(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func execute(ctx context.Context, args []string) error {
	if document := os.Getenv(bareEnv); document != "" {
		c, err := bare.ParseConfig(document)
		if err != nil {
			return err
		}
		return bare.Run(ctx, c)
	}
	return samples.Run(ctx, args[1:], startMeasured) // the first is the name of the command
}
