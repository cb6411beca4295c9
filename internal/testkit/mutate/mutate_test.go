package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/mutate/mutant"
)

// source prints the results of its operators. Each mutant must make it print something else.
const source = `package main

type cents int64

const declared = 2 * 3

var initial = declared + 1

func main() {
	a, b := cents(6), cents(3)
	println(a < b, b < b, a > b, b > b, a <= b, b <= b, a >= b, b >= b, a == b, a != b)
	println(a+b, a-b, a*b, a/b, a%4, -a, a+-2)
	println(a > 5 && b > 5, a > 6 || b > 2, a == 6 &&
		b == 4)
	var sum cents
	_ = "the blank has no type"
	sum += a
	sum -= 4
	sum++
	for i := 3; i > 1; i-- {
		sum += 10
		if i > 9 {
			break
		}
	}
	println(sum, initial, "a" + "b", int64(a) / (2 * 3))
}
`

func TestMutate_EachMutantChangesWhatTheProgramDoes(t *testing.T) {
	t.Parallel()
	root := moduleRoot(t)
	dir := filepath.Join(root, "internal", "testkit", "mutate", "nowhere") // exists in the overlay only
	sources := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(sources, "main.go"), []byte(source), 0o600))
	m, err := mutate([]pkg{{ImportPath: "main", Dir: sources, GoFiles: []string{"main.go"}}}, nil)
	require.NoError(t, err)
	require.Empty(t, m.skipped)
	m.files = map[string][]byte{filepath.Join(dir, "main.go"): m.files[filepath.Join(sources, "main.go")]}
	overlay, err := m.overlay(sources)
	require.NoError(t, err)
	binary := filepath.Join(sources, "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", binary, dir)
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	reached := filepath.Join(sources, "reached")
	plain := output(t.Context(), binary, mutant.EnvReached+"="+reached)
	require.Equal(t, ""+
		"false false true false false true true true false true\n9 3 18 2 2 -6 4\n"+
		"false true false\n23 7 ab 1\n", plain)
	content, err := os.ReadFile(reached)
	require.NoError(t, err)
	require.Len(t, strings.Fields(string(content)), len(m.changes), "each is reached")
	equal := []string{ // in this program
		"main main: i > 9 → i >= 9", "main main: a > 5 → a >= 5", "main main: b > 5 → b >= 5",
		"main main: a > 6 → a >= 6", "main main: b > 2 → b >= 2", "main main: a > 5 → a <= 5",
		"main main: a > 6 → a <= 6", "main main: a == 6 → a != 6",
		"main main: a < b → a <= b", "main main: a > b → a >= b", "main main: a <= b → a < b", "main main: a >= b → a > b",
	}
	for _, c := range m.changes {
		changed := output(t.Context(), binary, mutant.EnvChosen+"="+strconv.Itoa(c.id))
		require.Equal(t, slices.Contains(equal, c.String()), plain == changed, c)
	}
}

func TestMutate_Keys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const text = `package p

type Sum struct{ a int }

func (s *Sum) Add(n int) bool {
	s.a += n
	return n > 0 &&
		s.a != 0
}

func twice(a int) int { return a*2 + a*2 }
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o600))
	m, err := mutate([]pkg{{ImportPath: module + "/billing/p", Dir: dir, GoFiles: []string{"p.go"}}}, nil)
	require.NoError(t, err)
	var keys []string
	for _, c := range m.changes {
		keys = append(keys, c.String())
	}
	require.Equal(t, []string{
		"p Sum.Add: s.a += n → s.a -= n",
		"p Sum.Add: n > 0 && s.a != 0 → n > 0 || s.a != 0",
		"p Sum.Add: n > 0 → n <= 0",
		"p Sum.Add: n > 0 → n >= 0",
		"p Sum.Add: s.a != 0 → s.a == 0",
		"p twice: a*2 + a*2 → a*2 - a*2",
		"p twice: a*2 → a/2",
		"p twice: a*2 → a/2 #2",
	}, keys)
}

func TestLists_Faults(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "list")
	write := func(text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	write(
		"# head\n\np f: a → b\n    One line\n    and another.\np f: gone → b\n    Gone.\nq f: gone → b\n    Not tried.\n",
	)
	known, err := readEquivalents(name)
	require.NoError(t, err)
	require.Equal(t, "One line and another.", known["p f: a → b"])
	changes := []change{{unit: "p", function: "f", from: "a", to: "b"}}
	got := known.faults(changes, []*result{{unit: "p", keys: []string{"p f: a → b (killed)"}}})
	require.Len(t, got, 2)
	require.Contains(t, got[0], "a test kills what is listed as equivalent: p f: a → b")
	require.Contains(t, got[1], "no such mutant any more: p f: gone → b")
	write("p f: a → b\n")
	_, err = readEquivalents(name)
	require.ErrorContains(t, err, "no reason")

	write("p 95 2\n")
	floors, err := readFloors(name)
	require.NoError(t, err)
	require.Empty(t, floors["p"].faults(&result{own: 90, byComposed: 5, lived: 5, unreached: 2}))
	require.Len(t, floors["p"].faults(&result{own: 89, byComposed: 5, lived: 6, unreached: 3}), 2)
}

func moduleRoot(t *testing.T) string {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMOD").Output()
	require.NoError(t, err)
	return filepath.Dir(strings.TrimSpace(string(out)))
}

func output(ctx context.Context, binary, variable string) string {
	cmd := exec.CommandContext(ctx, binary)
	cmd.Env = append(os.Environ(), variable)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "failed"
	}
	return string(out)
}
