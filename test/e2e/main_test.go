package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"perennial/internal/testkit"
	"perennial/test/e2e/world"
)

// atOnce is the default number of scenarios that run at a time: they wait much more than they work.
const atOnce = "8"

func TestMain(m *testing.M) {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if !said {
		if err := flag.Set("test.parallel", atOnce); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if err := errors.Join(testkit.Stop(), world.RemoveBinary()); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err) // there is no other place to report it
		code = max(code, 1)
	}
	os.Exit(code)
}
