package dev

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

func TestScreen_KeepsLinesWithoutTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := newScreen(&cli.Process{Stdout: &out, Lookup: func(string) (string, bool) { return "", false }})
	require.False(t, s.colour)
	s.doing("installing a tool")
	s.done("installed")
	s.fact("Nothing", "")
	s.fact("API", "http://x")
	require.Equal(t, "  ⟳ installing a tool\n  ✓ installed\n  API            http://x\n", out.String())
}

func TestScreen_OverwritesProgressOnTerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &screen{out: &out, terminal: true}
	s.doing("1 of 2")
	s.doing("2 of 2")
	s.done("installed")
	require.Equal(t, "\r\x1b[K  ⟳ 1 of 2\r\x1b[K  ⟳ 2 of 2\r\x1b[K  ✓ installed\n", out.String())
}
