package mailing

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"perennial/activities/execution"
	"perennial/billing/email"
	"perennial/contract"
	"perennial/db"
	"perennial/mail"
)

// run sends the mails of one environment, on some connections at a time.
type run struct {
	*Mails
	sender  db.EmailSender
	account mail.Account
	policy  email.Policy
	since   int64     // position of the last writer that may have found the sender awake
	until   time.Time // takes new mails up to then

	sessions [lanes]*mail.Session // each of one lane

	mu      sync.Mutex
	trouble *mail.Failure // the server fails for all mails alike
	sum     contract.SendOutput
}

// send works until no mail is due, the time is up, the worker ends or the server fails.
func (r *run) send(ctx context.Context) error {
	for r.takes(ctx) {
		ids, err := r.Store.Emails.Due(ctx, r.sender.EnvironmentID, r.Clock(), dueBatch)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return r.lastLook(ctx)
		}
		if err := r.batch(ctx, ids); err != nil {
			return err
		}
		execution.Heartbeat(ctx)
	}
	return nil
}

// lastLook asks for another look where writers are under way that found the sender awake, and so sent no signal.
func (r *run) lastLook(ctx context.Context) error {
	horizon, _, err := r.Store.Webhooks.EventHorizon(ctx, r.sender.EnvironmentID)
	if err == nil && horizon < r.since {
		r.sum.NextAt = r.Clock().Add(execution.SettlePause)
	}
	return err
}

// batch gives mails out to the lanes.
func (r *run) batch(ctx context.Context, ids []string) error {
	waiting := make(chan string, len(ids))
	for _, id := range ids {
		waiting <- id
	}
	close(waiting)
	var working sync.WaitGroup
	errs := make([]error, lanes)
	for lane := range min(lanes, len(ids)) {
		working.Go(func() {
			defer func() { // a panic of one mail must not take the process with it
				if recover() != nil {
					errs[lane] = errPanic
				}
			}()
			for id := range waiting {
				if !r.takes(ctx) {
					return
				}
				if errs[lane] = r.one(ctx, lane, id); errs[lane] != nil {
					return
				}
			}
		})
	}
	working.Wait()
	return errors.Join(errs...)
}

// takes reports whether new mails may be taken.
func (r *run) takes(ctx context.Context) bool {
	select {
	case <-execution.Stopping(ctx):
		return false
	default:
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.trouble == nil && ctx.Err() == nil && r.Clock().Before(r.until)
}

// one makes an attempt of one mail.
func (r *run) one(ctx context.Context, lane int, id string) error {
	var m db.Email
	var due bool
	err := safely(func() (err error) {
		m, due, err = r.begin(ctx, id)
		return err
	})
	if err != nil && ctx.Err() == nil {
		return r.spoil(ctx, id) // where the database is away, this fails too, and the run ends
	}
	if err != nil || !due {
		return err
	}
	var failed *mail.Failure
	if safely(func() error {
		failed = r.handOver(ctx, lane, m)
		return nil
	}) != nil {
		failed = unmade()
	}
	ctx = context.WithoutCancel(ctx) // what became of a mail is recorded even by a worker that ends
	return r.end(ctx, m, failed)
}

// errPanic has nothing of the panic in it, which may have data of a mail: errors reach histories.
var errPanic = errors.New("mailing: a mail caused a panic")

// safely turns a panic of one mail into an error.
func safely(do func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return do()
}

// handOver sends a mail on the connection of a lane.
func (r *run) handOver(ctx context.Context, lane int, m db.Email) *mail.Failure {
	message, err := r.message(ctx, m)
	if err != nil {
		return asFailure(err)
	}
	session := r.sessions[lane]
	if session == nil || !session.Usable() {
		if session != nil {
			session.Close()
		}
		r.sessions[lane] = nil
		if session, err = r.account.Dial(ctx); err != nil {
			return asFailure(err)
		}
		r.sessions[lane] = session
	}
	if err := session.Send(ctx, r.sender.FromEmail, m.Recipient, message); err != nil {
		return asFailure(err)
	}
	return nil
}

// asFailure returns the failure of an attempt. An error that is none of the wire, such as an away database, lets the
// mail wait like a lost connection.
func asFailure(err error) *mail.Failure {
	var f *mail.Failure
	if errors.As(err, &f) {
		return f
	}
	return unmade()
}

// unmade is the failure of a mail that got as far as no server. The cause may have data of the mail in it.
func unmade() *mail.Failure {
	return &mail.Failure{Class: mail.ConnectionLost, Text: "the mail could not be made"}
}

// hangUp ends the connections.
func (r *run) hangUp() {
	for _, session := range r.sessions {
		if session != nil {
			session.Close()
		}
	}
}

// output returns what is left, and marks a sender that has something to do, for the reconciler.
func (r *run) output(ctx context.Context) (contract.SendOutput, error) {
	ctx = context.WithoutCancel(ctx) // a worker that ends says so, too
	out, env := r.sum, r.sender.EnvironmentID
	next, waiting, err := r.Store.Emails.Waiting(ctx, env)
	if err != nil {
		return out, err
	}
	out.Waiting = waiting
	if out.NextAt.IsZero() || !next.IsZero() && next.Before(out.NextAt) {
		out.NextAt = next
	}
	if r.trouble != nil {
		out.Trouble = string(r.trouble.Class)
		if pause := r.Clock().Add(r.policy.Pause()); waiting > 0 && out.NextAt.Before(pause) {
			out.NextAt = pause
		}
	}
	return out, execution.InTx(ctx, r.Store, r.Clock(), func(tx *db.Tx) error {
		switch {
		case r.trouble != nil:
			f := db.SenderFailure{Class: string(r.trouble.Class), Text: r.trouble.Text}
			if r.trouble.OfMail { // the sender outlives the mail and its customer
				f.Text = ""
				if r.trouble.Code != 0 {
					f.Text = strconv.Itoa(r.trouble.Code)
				}
			}
			if err := tx.Emails.SetSenderFailing(ctx, r.sender, f); err != nil {
				return err
			}
		case out.Sent > 0:
			if err := tx.Emails.SetSenderWorking(ctx, env, r.sender.ID); err != nil {
				return err
			}
		}
		return tx.Emails.SetSenderNextAttempt(ctx, env, r.sender.ID, out.NextAt)
	})
}
