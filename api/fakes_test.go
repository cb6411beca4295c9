package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
)

// lockedBuffer collects log lines of concurrent requests.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// fakeEngine answers by its function fields and remembers what it was asked. Without them starts and signals succeed,
// and commands are carried out on the database as an activity would.
type fakeEngine struct {
	store *db.Store
	now   func() time.Time

	onStart   func(context.Context, contract.SubscriptionStart) error
	onCommand func(context.Context, contract.SubscriptionStart, contract.Command) (contract.CommandResult, error)
	onPayment func(context.Context, contract.PaymentInput) error
	onAdvance func(context.Context, contract.Ref, contract.Advance) (contract.AdvanceResult, error)
	onSignal  func(context.Context) error

	mu       sync.Mutex
	starts   []contract.SubscriptionStart
	commands []contract.Command
	payments []contract.PaymentInput
	woken    []contract.Ref
	checks   []contract.Owner
}

func (f *fakeEngine) remember(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn()
}

func (f *fakeEngine) StartSubscription(ctx context.Context, in contract.SubscriptionStart) error {
	f.remember(func() { f.starts = append(f.starts, in) })
	if f.onStart != nil {
		return f.onStart(ctx, in)
	}
	return nil
}

func (f *fakeEngine) Command(
	ctx context.Context, in contract.SubscriptionStart, cmd contract.Command,
) (contract.CommandResult, error) {
	f.remember(func() { f.commands = append(f.commands, cmd) })
	if f.onCommand != nil {
		return f.onCommand(ctx, in, cmd)
	}
	return f.perform(ctx, in.Input.Ref, cmd)
}

func (f *fakeEngine) Wake(ctx context.Context, ref contract.Ref) error {
	f.remember(func() { f.woken = append(f.woken, ref) })
	return f.signal(ctx)
}

func (f *fakeEngine) Check(ctx context.Context, owner contract.Owner, _ contract.Check) error {
	f.remember(func() { f.checks = append(f.checks, owner) })
	return f.signal(ctx)
}

func (f *fakeEngine) signal(ctx context.Context) error {
	if f.onSignal != nil {
		return f.onSignal(ctx)
	}
	return nil
}

func (f *fakeEngine) StartPayment(ctx context.Context, in contract.PaymentInput) error {
	f.remember(func() { f.payments = append(f.payments, in) })
	if f.onPayment != nil {
		return f.onPayment(ctx, in)
	}
	return nil
}

func (f *fakeEngine) StartTestClock(context.Context, contract.TestClockInput) error { return nil }

func (f *fakeEngine) Advance(
	ctx context.Context, ref contract.Ref, advance contract.Advance,
) (contract.AdvanceResult, error) {
	if f.onAdvance != nil {
		return f.onAdvance(ctx, ref, advance)
	}
	return contract.AdvanceResult{}, f.store.InTx(ctx, db.BySystem("test"), f.now(), func(tx *db.Tx) error {
		clock, err := tx.LockTestClock(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		clock.NowAt = advance.To
		return tx.SaveTestClock(ctx, ref.EnvironmentID, clock)
	})
}

// perform is as much of the command activity as api's tests need: outcomes are remembered by command id, and the
// idempotency row is completed in the same transaction.
func (f *fakeEngine) perform(
	ctx context.Context, ref contract.Ref, cmd contract.Command,
) (result contract.CommandResult, err error) {
	err = f.store.InTx(ctx, db.BySystem("test"), f.now(), func(tx *db.Tx) error {
		b, err := tx.LoadSubscription(ctx, ref.EnvironmentID, ref.ID, true)
		if err != nil {
			return err
		}
		if known, found, err := tx.CommandOutcome(ctx, ref.EnvironmentID, cmd.ID); err != nil || found {
			return orDecode(err, known, &result)
		}
		if cmd.HasText {
			if cmd.Reason, err = tx.CommandText(ctx, ref.EnvironmentID, cmd.ID); err != nil {
				return err
			}
		}
		d, refused := decide(b, cmd, f.now())
		if refused != nil {
			result.Refusal = contract.RefusalOf(fault.From(refused))
			if !fault.From(refused).Final() {
				return nil
			}
		} else {
			d.Subscription.NextAction, d.Subscription.NextActionAt = d.Subscription.Next(nil, b.Settings)
			if err := tx.SaveSubscription(ctx, ref.EnvironmentID, d.Subscription); err != nil {
				return err
			}
			for _, e := range d.Events {
				if err := tx.Emit(ctx, ref.EnvironmentID, e); err != nil {
					return err
				}
			}
		}
		outcome, err := json.Marshal(result)
		if err != nil {
			return err
		}
		if err := tx.InsertCommand(ctx, ref.EnvironmentID, db.Command{ID: cmd.ID, SubscriptionID: ref.ID, Name: cmd.Name, Outcome: outcome}); err != nil {
			return err
		}
		if cmd.Idempotency == nil {
			return nil
		}
		return tx.PerformIdempotency(ctx, ref.EnvironmentID, cmd.Idempotency.Route, cmd.Idempotency.Key)
	})
	return result, err
}

func orDecode(err error, known json.RawMessage, result *contract.CommandResult) error {
	if err != nil {
		return err
	}
	return json.Unmarshal(known, result)
}

func decide(b db.Bundle, cmd contract.Command, now time.Time) (subscription.Decision, error) {
	facts := subscription.Facts{Plan: b.Plan, Pending: b.PendingPlan, Settings: b.Settings, Open: b.Open, Paid: b.Paid}
	switch cmd.Name {
	case contract.CommandCancel:
		return b.Subscription.Cancel(facts, subscription.Cancellation{Reason: cmd.Reason, Immediate: cmd.ImmediateEffect}, now)
	case contract.CommandReactivate:
		return b.Subscription.Reactivate(now)
	default:
		_, err := b.Subscription.Payable(facts, nil)
		return subscription.Decision{Subscription: b.Subscription}, err
	}
}

// fakeProvider reads callbacks from headers; every other method of the port is absent on purpose.
type fakeProvider struct {
	providers.Provider
	mu   sync.Mutex
	body []byte
}

func (f *fakeProvider) ParseCallback(header http.Header, body []byte, _ time.Time) (providers.Callback, error) {
	if header.Get("Signature") != "good" {
		return providers.Callback{}, fault.New(fault.Unauthorized, "signature_invalid", "the signature does not match")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.body = body
	return providers.Callback{
		EventID: header.Get("Event"), Type: "charge.updated", TransactionID: header.Get("Transaction"), Ref: header.Get("Ref"),
	}, nil
}
