// Command install prints the path of a Go program at a pinned version, after installing it where it is missing:
//
//	go run ./internal/devstack/install sqlc github.com/sqlc-dev/sqlc/cmd/sqlc@v1.30.0
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"perennial/internal/devstack"
)

func main() {
	if len(os.Args) != 3 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: install name module@version")
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	path, err := devstack.EnsureTool(ctx, os.Args[1], os.Args[2], os.Stderr)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = fmt.Println(path) // a closed pipe shows in the caller
}
