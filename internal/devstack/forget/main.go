// Command forget deletes the data of `perennial dev` and of tests. It is `make clean-dev`.
package main

import (
	"fmt"
	"os"

	"perennial/internal/devstack"
)

const state = ".perennial"

func main() {
	if err := devstack.Forget(state); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = fmt.Println("deleted " + state + ", the data of `make dev` and of tests") // a closed terminal changes nothing
	if programs, err := devstack.CacheDir(); err == nil {
		_, _ = fmt.Printf("downloaded programs stay; to delete them too: rm -rf '%s'\n", programs) // as above
	}
}
