package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// part is one call of `go test`.
type part struct {
	name     string // what progress calls it
	packages []string
	race     bool
	run      string // -run, if set
	skip     string // -skip, if set
	// TEST_SEED, if set: of repeats only, since a seed for the run would leave no package that draws one cached
	seed string
}

// raced lists the packages where goroutines of ours share memory, which a race detector can check. It makes pure code
// five times slower, so the rest runs with it in `make race` and in `make soak`.
type raced struct {
	pkg   string
	tests string // a pattern of tests; empty: the whole package
	why   string
}

var racedPackages = []raced{
	{"perennial/internal/quota", "", "buckets that all requests of a key share"},
	{"perennial/api/httpkit", "", "turns and allowances of requests at once"},
	{"perennial/api/httpkit/seats", "", "seats that requests take and leave"},
	{"perennial/webhooks", "", "connections that deliveries share, and receivers that hang"},
	{"perennial/providers/simulator/core", "", "a ledger that requests and timers change"},
	{"perennial/service/dispatch", "", "a queue between transactions and Temporal"},
	{"perennial/db", "^Test(Tx|InTx|Await|Follow)_", "pipelined writes, and watchers that share a question"},
	{"perennial/service/usage", "^Test(Usage|RollUp)", "usage gathered from many requests"},
	{"perennial/activities/pacing", "", "turns and slots that all payments of a process share"},
	{"perennial/activities/delivery", "", "the recorder and the slots that runs of many endpoints share"},
	{"perennial/activities/charging", "^Test(Slots|Paced|Race|Record_Races|Charge_SentByMany|Cancel_Between)",
		"slots, turns and payments that many workers touch"},
}

// servers matches packages whose tests cannot distinguish a slow machine from a fault: they use PostgreSQL, Temporal or
// other processes.
var servers = regexp.MustCompile(
	`^perennial/(activities|api|bench|cmd|db|internal/devstack|internal/story|service|test|webhooks|worker|workflows)(/|$)`)

// long lists the packages with a `go test` call each, the longest first, so that the machine is busy until the end.
var long = []string{
	"perennial/test/e2e", "perennial/activities/charging", "perennial/activities", "perennial/cmd/perennial",
	"perennial/workflows", "perennial/db", "perennial/api", "perennial/billing/lifecycle", "perennial/service/usage",
	"perennial/internal/devstack", "perennial/worker",
}

// planOf divides the packages into parts. Each test is in one of them: with the race detector if all is, or if it is
// listed.
func planOf(packages []string, raceAll bool) ([]part, error) {
	rest := slices.Clone(packages)
	take := func(pkg string) bool {
		i := slices.Index(rest, pkg)
		if i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
		return i >= 0
	}
	var parts, withRace []part
	skip := map[string]string{}
	if !raceAll {
		var whole []string
		for _, r := range racedPackages {
			switch {
			case !slices.Contains(packages, r.pkg):
			case r.tests != "":
				skip[r.pkg] = r.tests
				withRace = append(
					withRace, part{name: short(r.pkg) + " raced", packages: []string{r.pkg}, race: true, run: r.tests},
				)
			case take(r.pkg):
				whole = append(whole, r.pkg)
			}
		}
		if len(whole) > 0 {
			withRace = append(withRace, part{name: "raced packages", packages: whole, race: true})
		}
	}
	for _, pkg := range long {
		if take(pkg) {
			parts = append(parts, part{name: short(pkg), packages: []string{pkg}, race: raceAll, skip: skip[pkg]})
		}
	}
	parts = append(parts, withRace...)
	// In two: one call links one test after another, and the other place would have nothing to do meanwhile.
	var others [2][]string
	for i, pkg := range rest {
		others[i%2] = append(others[i%2], pkg)
	}
	for _, half := range others {
		if len(half) > 0 {
			parts = append(parts, part{name: "others", packages: half, race: raceAll})
		}
	}
	for pkg := range skip {
		if !slices.Contains(long, pkg) {
			return nil, fmt.Errorf("%s is raced in part, so it must be a part of its own: add it to long", pkg)
		}
	}
	return parts, nil
}

func short(pkg string) string { return strings.TrimPrefix(pkg, "perennial/") }

// arguments of `go` for the part. Vet belongs to `make check`, and debug information to a debugger: together minutes.
func (p part) arguments(timeout string) []string {
	args := []string{"test", "-json", "-trimpath", "-vet=off", "-ldflags=-w", "-timeout=" + timeout, "-p=1"}
	if p.race {
		args = append(args, "-race")
	}
	if p.run != "" {
		args = append(args, "-run="+p.run)
	}
	if p.skip != "" {
		args = append(args, "-skip="+p.skip)
	}
	return append(args, p.packages...)
}

// again is the part of these tests of one package alone.
func (p part) again(pkg string, tests []string, seed string) part {
	quoted := make([]string, len(tests))
	for i, test := range tests {
		quoted[i] = regexp.QuoteMeta(test)
	}
	return part{
		name: short(pkg) + " again", packages: []string{pkg}, race: p.race, run: "^(" + strings.Join(quoted, "|") + ")$",
		seed: seed,
	}
}
