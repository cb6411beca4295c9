package scenario

import (
	"context"
	"fmt"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/billing/email"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
	"perennial/mail"
)

// mailLanes are the product's connections to one mail server.
const mailLanes = 4

// mailGoal is the most that one mail may take: 100 are sent in a second.
const mailGoal = 10

// mails measures from the signal to the last recorded mail, for mails without a document; the bare side hands the same
// bytes over on as many connections, and keeps nothing.
func mails(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	sink, err := startMailSink(ctx, r)
	if err != nil {
		return out, err
	}
	n := Pick(o, 200, 10_000)
	row := result.Row{Path: fmt.Sprintf("mails, %d due", n), Unit: "ms", Goal: result.Goal{Most: mailGoal}}
	for round := range o.Rounds + 1 { // the first warms up
		ours, err := sendMails(ctx, r, sink, n)
		if err != nil {
			return out, err
		}
		bare, err := handOver(ctx, sink, n)
		if err != nil {
			return out, err
		}
		if round == 0 {
			continue
		}
		row.Ours, row.Bare = append(row.Ours, 1000/ours.Rate()), append(row.Bare, 1000/bare.Rate())
		row.OursCPU = ours.CPU
		r.Say("mails: ours %s/s, bare %s/s", result.Number(ours.Rate()), result.Number(bare.Rate()))
	}
	out.Rows = []result.Row{row}
	out.Notes = []string{"mails are of failed payments, as text and HTML; one with a PDF takes the 30 ms of its drawing"}
	return out, noMails(ctx, r)
}

func sendMails(ctx context.Context, r *rig.Rig, sink *mailSink, n int) (load.Load, error) {
	n, err := oweMails(ctx, r, sink, n)
	if err != nil {
		return load.Load{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	r.Settle(ctx)
	before, cpu, began := sink.count(), r.ProcessorUsage(), time.Now()
	if err := sink.settings(ctx, r, "[]"); err != nil { // which wakes the sender
		return load.Load{}, err
	}
	if err := mailed(ctx, r); err != nil {
		return load.Load{}, err
	}
	out := load.Load{Count: n, Seconds: time.Since(began).Seconds()}
	if got := sink.count() - before; got < n {
		return out, fmt.Errorf("%d of %d mails arrived after the signal", got, n)
	}
	out.CPU = r.ProcessorUsage().Each(cpu, n)
	return out, nil
}

// oweMails writes n mails that are due once the sender is set up again, and returns how many wait: some may have gone
// out before.
func oweMails(ctx context.Context, r *rig.Rig, sink *mailSink, n int) (waiting int, err error) {
	if err := sink.settings(ctx, r, fmt.Sprintf("[%q]", email.PaymentFailed)); err != nil {
		return 0, err
	}
	payers, err := r.Stage.Customers(ctx, r.Ours.Store, 1, time.Now())
	if err != nil {
		return 0, err
	}
	for left := n; left > 0; left -= mailsAtOnce {
		now := time.Now()
		err := r.Ours.Store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
			for range min(left, mailsAtOnce) {
				failed := event.Payment{ID: id.New(id.Transaction, now), CustomerID: payers[0], Amount: 1900, Currency: "USD"}
				if err := tx.Emit(ctx, r.Stage.EnvironmentID, event.New(event.PaymentFailed{Payment: failed}, now)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	// As if their sender rested: nothing is sent before the signal.
	done, err := r.Ours.Pool.Exec(ctx, `update emails set next_attempt_at = next_attempt_at + interval '1 hour', log =
		'[{"number": 1, "startedAt": "2026-01-01T00:00:00Z", "outcome": "failed"}]'
		where status = 'pending' and log = '[]'`)
	return int(done.RowsAffected()), err
}

const mailsAtOnce = 100 // of one transaction of preparation

// handOver runs the bare side.
func handOver(ctx context.Context, sink *mailSink, n int) (load.Load, error) {
	lanes := make(chan *mail.Session, mailLanes)
	for range mailLanes {
		session, err := mail.Sender{}.Dial(ctx, mail.Server{Host: "127.0.0.1", Port: sink.port, Security: mail.Plain})
		if err != nil {
			return load.Load{}, err
		}
		defer session.Close()
		lanes <- session
	}
	return load.Drive(ctx, mailLanes, load.Until{Count: n}, func(ctx context.Context, _ int) error {
		session := <-lanes
		defer func() { lanes <- session }()
		return session.Send(ctx, "billing@example.com", "bench@example.com", sink.sample)
	})
}
