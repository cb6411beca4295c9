package moving

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/cmd/perennial/cli"
	servicemoving "perennial/service/moving"
)

// progressEvery is the pause between two lines of progress of an import.
const progressEvery = 5 * time.Second

// importScreen shows an import: records of a dry run on standard output, refusals and progress on standard error, and
// at the end a summary.
type importScreen struct {
	p      *cli.Process
	out    *bufio.Writer
	dry    bool
	began  time.Time
	shown  time.Time
	counts map[moving.Type]map[servicemoving.ImportOutcome]int
	sums   map[billedKey]billed
	// uncollectable counts subscriptions of a dry run by the reason; idle has the lines of balances that none of them
	// uses.
	uncollectable map[string]int
	idle          map[balanceKey]servicemoving.ImportedLine
	err           error // of the writer
}

type billedKey struct{ month, currency string }

type balanceKey struct {
	customerID string
	currency   money.Currency
}

// billed has the sums of the first invoices of a month.
type billed struct {
	invoices   int
	total, due money.Minor
}

func newImportScreen(p *cli.Process, dry bool) *importScreen {
	now := p.Now()
	return &importScreen{
		p: p, out: bufio.NewWriter(p.Stdout), dry: dry, began: now, shown: now,
		counts: map[moving.Type]map[servicemoving.ImportOutcome]int{}, sums: map[billedKey]billed{},
		uncollectable: map[string]int{}, idle: map[balanceKey]servicemoving.ImportedLine{},
	}
}

// line shows one record.
func (s *importScreen) line(l servicemoving.ImportedLine) {
	if s.counts[l.Type] == nil {
		s.counts[l.Type] = map[servicemoving.ImportOutcome]int{}
	}
	s.counts[l.Type][l.Outcome]++
	switch key := (balanceKey{l.CustomerID, l.Currency}); {
	case s.dry && l.Outcome == servicemoving.RecordImported && l.Balance != nil:
		s.idle[key] = l
	case l.Subscription != nil:
		delete(s.idle, key)
	}
	switch {
	case l.Outcome == servicemoving.RecordRefused:
		for _, f := range fault.All(l.Fault) {
			s.to(fmt.Fprintf(s.p.Stderr, "%s:%d: %s: %s\n", l.File, l.Line, recordName(l), cli.Describe(f)))
		}
	case s.dry && l.Outcome == servicemoving.RecordImported && l.Subscription != nil:
		s.foreseen(l)
	}
	if now := s.p.Now(); now.Sub(s.shown) >= progressEvery {
		s.shown = now
		s.to(fmt.Fprintf(s.p.Stderr, "%d records, %d imported, %d refused, %d records/s\n", s.all(""),
			s.all(servicemoving.RecordImported), s.refused(), int(float64(s.all(""))/now.Sub(s.began).Seconds())))
	}
}

// recordName returns the name of a record in refusals.
func recordName(l servicemoving.ImportedLine) string {
	if l.ID == "" {
		return cmp.Or(string(l.Type), "record")
	}
	return string(l.Type) + " " + l.ID
}

// foreseen shows the first invoice of a subscription.
func (s *importScreen) foreseen(l servicemoving.ImportedLine) {
	next := l.Next
	if next == nil {
		s.to(fmt.Fprintf(s.out, "%s\tnothing is billed\n", l.ID))
		return
	}
	s.to(fmt.Fprintf(s.out, "%s\t%s\t%s", l.ID, next.At.UTC().Format(time.RFC3339), money.Format(next.Due, next.Currency)))
	if next.Total != next.Due {
		s.to(fmt.Fprintf(s.out, "\tof %s", money.Format(next.Total, next.Currency)))
	}
	if next.Uncollectable != "" {
		s.to(fmt.Fprintf(s.out, "\tcannot be collected: %s", next.Uncollectable))
		s.uncollectable[next.Uncollectable]++
	}
	s.to(fmt.Fprintln(s.out))
	key := billedKey{next.At.UTC().Format("2006-01"), string(next.Currency)}
	sum := s.sums[key]
	s.sums[key] = billed{sum.invoices + 1, sum.total + next.Total, sum.due + next.Due}
}

// end writes the summary and returns what went wrong with the output.
func (s *importScreen) end() error {
	verb := "imported"
	if s.dry {
		verb = "would be imported"
	}
	for _, of := range slices.Sorted(maps.Keys(s.counts)) {
		n := s.counts[of]
		s.to(fmt.Fprintf(s.out, "%s: %d %s, %d there already, %d left out, %d refused\n", cmp.Or(string(of), "unreadable"),
			n[servicemoving.RecordImported], verb, n[servicemoving.RecordPresent], n[servicemoving.RecordLeftOut],
			n[servicemoving.RecordRefused]))
	}
	keys := slices.SortedFunc(maps.Keys(s.sums), func(a, b billedKey) int {
		return cmp.Or(cmp.Compare(a.month, b.month), cmp.Compare(a.currency, b.currency))
	})
	for _, k := range keys {
		sum, currency := s.sums[k], money.Currency(k.currency)
		s.to(fmt.Fprintf(s.out, "first invoices in %s: %d, %s due of %s\n", k.month, sum.invoices,
			money.Format(sum.due, currency), money.Format(sum.total, currency)))
	}
	for _, why := range slices.Sorted(maps.Keys(s.uncollectable)) {
		s.to(fmt.Fprintf(s.out, "%d cannot be collected: %s\n", s.uncollectable[why], why))
	}
	s.warnIdle()
	if took := s.p.Now().Sub(s.began); took >= time.Second {
		s.to(fmt.Fprintf(s.p.Stderr, "%d records in %s, %d records/s\n", s.all(""), took.Round(time.Second),
			int(float64(s.all(""))/took.Seconds())))
	}
	return cmp.Or(s.err, s.out.Flush())
}

// warnIdle names the balances that no invoice would use, in the order of the files.
func (s *importScreen) warnIdle() {
	lines := slices.SortedFunc(maps.Values(s.idle), func(a, b servicemoving.ImportedLine) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, l := range lines {
		s.to(fmt.Fprintf(s.p.Stderr, "%s:%d: warning: no subscription of this customer in the files is in %s, so that no "+
			"invoice uses the balance\n", l.File, l.Line, l.Currency))
	}
}

func (s *importScreen) refused() int { return s.all(servicemoving.RecordRefused) }

// all counts the records of an outcome; empty: of any.
func (s *importScreen) all(outcome servicemoving.ImportOutcome) (n int) {
	for _, counts := range s.counts {
		for of, count := range counts {
			if outcome == "" || of == outcome {
				n += count
			}
		}
	}
	return n
}

// to keeps the first error of the output: where the summary could not be written, the exit code must not be 0.
func (s *importScreen) to(_ int, err error) {
	if s.err == nil {
		s.err = err
	}
}
