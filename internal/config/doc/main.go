// Command doc writes docs/configuration.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"perennial/internal/config"
)

func main() {
	out := flag.String("out", "docs/configuration.md", "file to write")
	flag.Parse()
	if err := write(*out); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(config.Markdown()), 0o644)
}
