// Command run runs all tests and reports their progress:
//
//	go run ./internal/testkit/run              what `make test` proves
//	go run ./internal/testkit/run -race        all with the race detector
//	go run ./internal/testkit/run ./db ./api   some packages
//
// Several packages run at once (-p). A line a quarter of a minute says what is done, what runs and what was slowest. A
// test that speaks to servers and fails is repeated when everything else has ended: alone, a machine that was too busy
// is no cause any more. If it passes then, the run passes, and says at the end which tests were repeated and why (ADR
// 69). Rules that were broken, such as a double charge, data races, processes that died and tests without a server are
// never repeated.
//
// Exit code 0: every test passed. 1: one failed, or a package did not compile. 2: wrong usage.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// limitVariable sets how long one call of `go test` may take, as a duration of Go.
const limitVariable = "TEST_TIMEOUT"

func main() {
	raceAll := flag.Bool("race", false, "run every test with the race detector, not only where goroutines share memory")
	// One more than there are processors: tests that wait for servers leave a quarter of them idle.
	places := flag.Int("p", runtime.NumCPU()+1, "how many packages run at a time")
	listed := flag.Bool("list", false, "print the parts of the run and end")
	flag.Usage = func() {
		_, _ = fmt.Fprintf(flag.CommandLine.Output(), "usage: run [flags] [packages]\n\n"+
			"Runs all tests, or those of packages. %s (a duration, 40m) is the limit of one package.\n\n", limitVariable)
		flag.PrintDefaults()
	}
	flag.Parse()
	if *places < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	parts, err := partsOf(ctx, flag.Args(), *raceAll)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
	if *listed {
		for _, p := range parts {
			fmt.Println("go", strings.Join(p.arguments(limit()), " "))
		}
		return
	}
	r := newRun(os.Stdout, time.Now)
	if !r.all(ctx, parts, *places) {
		os.Exit(1)
	}
}

func partsOf(ctx context.Context, patterns []string, raceAll bool) ([]part, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	list := exec.CommandContext(ctx, "go", append([]string{"list", //nolint:gosec // packages of our own tree
		"-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, patterns...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return planOf(strings.Fields(string(out)), raceAll)
}

// limit is generous: it is there for what hangs, not for what is slow.
func limit() string {
	if text := os.Getenv(limitVariable); text != "" {
		return text
	}
	return "40m"
}
