package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

var update = flag.Bool("update", false, "write testdata/help anew")

// paths lists every command as it is typed.
func paths(c *cli.Command, above []string) [][]string {
	all := [][]string{above}
	for _, sub := range c.Subcommands {
		all = append(all, paths(sub, append(append([]string{}, above...), sub.Name))...)
	}
	return all
}

func TestHelp_EveryCommand(t *testing.T) {
	t.Parallel()
	for _, path := range paths(root(), nil) {
		name := strings.Join(append([]string{"perennial"}, path...), "-")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := perennial(t, nil, append(path, "--help")...)
			require.Equal(t, cli.ExitDone, got.code, got.stderr)
			require.Empty(t, got.stderr)
			require.Contains(t, got.stdout, "Examples:", "each command shows how it is used")
			for line := range strings.Lines(got.stdout) {
				require.LessOrEqual(t, len([]rune(line)), 151, "a line that wraps: %s", line)
			}
			golden := filepath.Join("testdata", "help", name+".txt")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
				require.NoError(t, os.WriteFile(golden, []byte(got.stdout), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "go test ./cmd/perennial -run Help -update writes it")
			require.Equal(t, string(want), got.stdout)

			require.Equal(t, got, perennial(t, nil, append([]string{"help"}, path...)...), "the other way to ask")
		})
	}
}
