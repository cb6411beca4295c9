package api

import (
	"bytes"
	"context"
	"sync"
	"time"

	"perennial/billing/fault"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/service/engine"
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

// woken is one signal to a subscription's workflow.
type woken struct {
	Ref    contract.Ref
	Signal string
	Wake   contract.Wake
}

// fakeEngine calls its function fields and records the requests. Without them everything succeeds, and a clock is moved
// at once.
type fakeEngine struct {
	store *db.Store
	now   func() time.Time

	onStart   func(context.Context, contract.SubscriptionStart) error
	onPayment func(context.Context, contract.PaymentInput) error
	onAdvance func(context.Context, contract.Ref) error
	onSignal  func(context.Context) error

	mu       sync.Mutex
	starts   []contract.SubscriptionStart
	payments []contract.PaymentInput
	woken    []woken
	checks   []contract.Owner
	advances []contract.Ref
	erasures []contract.ErasureInput
}

// away makes every call fail, as without Temporal.
func (f *fakeEngine) away() {
	f.onStart = func(context.Context, contract.SubscriptionStart) error { return engine.ErrUnavailable }
	f.onPayment = func(context.Context, contract.PaymentInput) error { return engine.ErrUnavailable }
	f.onAdvance = func(context.Context, contract.Ref) error { return engine.ErrUnavailable }
	f.onSignal = func(context.Context) error { return engine.ErrUnavailable }
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

func (f *fakeEngine) Wake(ctx context.Context, ref contract.Ref, signal string, wake contract.Wake) error {
	f.remember(func() { f.woken = append(f.woken, woken{ref, signal, wake}) })
	return f.signal(ctx)
}

func (*fakeEngine) WakeEndpoint(context.Context, contract.Ref) error { return nil }

func (*fakeEngine) WakeSender(context.Context, contract.Ref) error { return nil }

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

func (f *fakeEngine) StartErasure(ctx context.Context, in contract.ErasureInput) error {
	f.remember(func() { f.erasures = append(f.erasures, in) })
	return f.signal(ctx)
}

func (f *fakeEngine) AdvanceClock(ctx context.Context, ref contract.Ref) error {
	f.remember(func() { f.advances = append(f.advances, ref) })
	if f.onAdvance != nil {
		return f.onAdvance(ctx, ref)
	}
	return f.store.InTx(ctx, db.BySystem("test"), f.now(), func(tx *db.Tx) error {
		clock, err := tx.Clocks.Lock(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		clock.NowAt = clock.Next(time.Time{})
		return tx.Clocks.Save(ctx, ref.EnvironmentID, clock.Finish(nil))
	})
}

// fakeProvider reads callbacks from headers; every other method of the port is absent on purpose.
type fakeProvider struct {
	providers.Provider
	mu   sync.Mutex
	body []byte
	path string
}

func (f *fakeProvider) ParseCallback(
	_ context.Context, in providers.CallbackRequest, _ time.Time,
) ([]providers.Callback, providers.Acknowledgement, error) {
	header := in.Header
	if cause := header.Get("Panic"); cause != "" {
		panic(cause)
	}
	if header.Get("Signature") != "good" {
		return nil, providers.Acknowledgement{}, fault.New(fault.Unauthorized, "callback_signature_invalid",
			"the signature does not match")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.body, f.path = in.Body, in.Path
	return []providers.Callback{{
		EventID: header.Get("Event"), Type: "charge.updated", TransactionID: header.Get("Transaction"),
		Ref: header.Get("Ref"),
	}}, providers.Acknowledgement{ContentType: "application/json", Body: `{"received":true}`}, nil
}
