// Command forget deletes the data of `perennial dev` and of tests; installed tools stay. It is `make clean-dev`.
package main

import (
	"fmt"
	"os"

	"perennial/internal/devstack"
)

func main() {
	if err := devstack.Forget(".perennial"); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
