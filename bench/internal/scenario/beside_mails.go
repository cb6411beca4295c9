package scenario

import (
	"context"
	"fmt"
	"slices"
	"time"

	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/billing/email"
)

// besideMails measures paid renewals whose invoices and receipts go out by mail, each with its PDF, and the same
// renewals without mails, which its rows call bare.
func besideMails(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	sink, err := startMailSink(ctx, r)
	if err != nil {
		return out, err
	}
	kinds := []string{fmt.Sprintf("[%q,%q]", email.InvoiceIssued, email.Receipt), "[]"} // with mails, and without
	n, rest := Pick(o, 60, 500), Pick(o, 0, rig.RestBeforeDue)
	sides := []string{rig.SideOurs, rig.SideOurs}
	gap, err := r.GapFor(ctx, sides[:1], n)
	if err != nil {
		return out, err
	}
	gap += gap/2 + time.Duration(n)*mailsLast
	r.Say("beside mails: preparing %d × %d subscriptions, due every %s", o.Rounds*len(sides), n, gap)
	waves, err := r.Schedule(ctx, slices.Repeat(sides, o.Rounds), n, gap, rest)
	if err != nil {
		return out, err
	}
	row := result.Row{
		Path: fmt.Sprintf("paid renewals with mails; bare: without, %d due", n), Unit: "1/s", Goal: result.Goal{Ratio: 0.9},
	}
	with, without := []map[string]float64{}, []map[string]float64{}
	for i := range waves {
		w := &waves[i]
		if err := sink.settings(ctx, r, kinds[i%2]); err != nil {
			return out, err
		}
		if time.Now().After(w.Due) {
			out.Notes = append(out.Notes, fmt.Sprintf("wave %d fell due before the one before it was done", i))
		}
		before := sink.count()
		if err := r.Watch(ctx, w); err != nil {
			return out, err
		}
		if err := mailed(ctx, r); err != nil {
			return out, err
		}
		arrived := sink.count() - before
		r.Say("beside mails: %s/s, %d mails", result.Number(w.Rate()), arrived)
		switch {
		case i%2 == 0 && arrived != 2*n || i%2 == 1 && arrived > 0:
			return out, fmt.Errorf("wave %d of %d renewals had %d mails", i, n, arrived)
		case i%2 == 0:
			row.Ours, with = append(row.Ours, w.Rate()), append(with, w.CPU)
		default:
			row.Bare, without = append(row.Bare, w.Rate()), append(without, w.CPU)
		}
	}
	row.OursCPU, row.BareCPU = machine.Average(with), machine.Average(without)
	out.Rows = []result.Row{row}
	return out, noMails(ctx, r)
}

// mailsLast is the time that the two mails of a renewal may take, most of it for their PDFs.
const mailsLast = 150 * time.Millisecond
