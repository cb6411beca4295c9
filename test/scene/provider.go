package scene

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

// Answer is the provider's reaction to the first request under a key.
type Answer int

// The answers.
const (
	Capture      Answer = iota // takes the money and says so
	Decline                    // refuses
	Pend                       // accepts and decides later: see Settle
	Silent                     // takes the money, but the answer is lost
	Lose                       // never receives the request, and sends no callback
	Refuse                     // says that it did not take the request
	Mischarge                  // takes one unit more than asked for
	Limit                      // answers 429: it does not take the request now
	Unauthorized               // refuses our credentials
	Deny                       // takes the money, and says that it did not take the request
	Reused                     // refuses the key: it took the money under it before, by a request with another card
)

// Window is the time for which the provider of a scene remembers keys.
const Window = 20 * time.Hour

// Provider is a payment provider in memory. It remembers keys for Window, as real ones do, so that charging twice is
// possible and visible in Captures.
type Provider struct {
	providers.SelfCompleting

	// Script decides what happens to the first request under a key; nil: Capture. n counts them from 1.
	Script func(n int, in providers.ChargeRequest) Answer
	// RefundScript is the same for refunds.
	RefundScript func(n int, in providers.RefundRequest) Answer
	// LookupScript may replace the answer to a look-up: true.
	LookupScript func(in providers.LookupRequest) (providers.Outcome, bool)
	// During is called before a request is answered, while it is in flight, without the ledger's lock.
	During func(operation, transactionID string)

	now func() time.Time

	mu        sync.Mutex
	charges   int
	refunds   int
	calls     []Call
	keys      map[string]remembered
	charged   map[string]*operation // by transaction
	refunded  map[string]*operation
	captures  map[string]int
	elsewhere map[string]*operation // refunds made without us, by their own reference
	disputes  map[string][]providers.Dispute
	again     map[string]*operation // further captures, by their own reference
	methods   methods
}

// Call is one request the provider saw, or would have seen.
type Call struct {
	Operation     string
	TransactionID string
	Key           string
	At            time.Time
}

type operation struct {
	ref     string
	outcome providers.Outcome
	amount  money.Minor
	asked   money.Minor
	cur     money.Currency
	of      string // of a refund: the charge's reference
	as      string // of a refund made elsewhere: what its metadata say in the place of our id
}

type remembered struct {
	result providers.Result
	at     time.Time
	reused bool // with other parameters
}

var errKeyReused = fault.New(fault.Conflict, "provider_key_reused",
	"The idempotency key was used before with other parameters.")

func newProvider(now func() time.Time) *Provider {
	return &Provider{
		now: now, keys: map[string]remembered{}, charged: map[string]*operation{},
		refunded: map[string]*operation{}, captures: map[string]int{}, again: map[string]*operation{},
		elsewhere: map[string]*operation{}, disputes: map[string][]providers.Dispute{},
	}
}

// Captures returns how often money was taken for each transaction.
func (p *Provider) Captures() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.captures)
}

// Calls lists all requests so far.
func (p *Provider) Calls() []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Call(nil), p.calls...)
}

// Settle decides about a charge that the provider has accepted or declined: it takes the money, or never will.
func (p *Provider) Settle(transactionID string, outcome providers.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if op, ok := p.charged[transactionID]; ok {
		p.decide(op, transactionID, outcome)
		return
	}
	if op, ok := p.refunded[transactionID]; ok {
		op.outcome = outcome
		return
	}
	op := &operation{ref: "pi_" + transactionID} // it arrives only now
	p.charged[transactionID] = op
	p.decide(op, transactionID, outcome)
}

// RefundElsewhere refunds amount of a charge, or of a further capture by its reference, without us, as a person does at
// the provider's dashboard, and returns the refund's reference. Its metadata may have a value in place of our id.
func (p *Provider) RefundElsewhere(transactionID string, amount money.Minor, metadata ...string) (ref string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	charge := p.charged[transactionID]
	if again, ok := p.again[transactionID]; ok {
		charge = again
	}
	ref = "re_elsewhere_" + strconv.Itoa(len(p.elsewhere)) + "_" + transactionID
	p.elsewhere[ref] = &operation{
		ref: ref, of: charge.ref, as: strings.Join(metadata, ""), amount: amount, asked: amount, cur: charge.cur,
		outcome: providers.Succeeded,
	}
	return ref
}

// SettleElsewhere decides about a refund that was made without us.
func (p *Provider) SettleElsewhere(ref string, outcome providers.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.elsewhere[ref].outcome = outcome
}

// Dispute sets the state of a dispute of a charge, or of a further capture by its reference.
func (p *Provider) Dispute(transactionID string, d providers.Dispute) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := p.disputes[transactionID]
	i := slices.IndexFunc(known, func(k providers.Dispute) bool { return k.Ref == d.Ref })
	if i < 0 {
		p.disputes[transactionID] = append(known, d)
		return
	}
	known[i] = d
}

// Reference is the provider's name for a transaction's charge.
func (p *Provider) Reference(transactionID string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.charged[transactionID].ref
}

// since adds what became of a captured charge's money. The caller holds the lock.
func (p *Provider) since(found providers.Result, transactionID string) providers.Result {
	see := func(id string, op *operation) {
		if op.of == found.Ref && (op.outcome == providers.Succeeded || op.outcome == providers.Pending) {
			found.Refunds = append(found.Refunds, providers.SeenRefund{
				Ref: op.ref, TransactionID: id, Amount: op.amount, Pending: op.outcome == providers.Pending,
			})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.refunded)) {
		see(id, p.refunded[id])
	}
	for _, ref := range slices.Sorted(maps.Keys(p.elsewhere)) {
		see(p.elsewhere[ref].as, p.elsewhere[ref])
	}
	found.Disputes = slices.Clone(p.disputes[transactionID])
	return found
}

// CaptureAgain takes the money of a captured charge a second time, as no provider should, and returns the new
// operation's reference.
func (p *Provider) CaptureAgain(transactionID string) (ref string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	second := *p.charged[transactionID]
	second.ref += "_again"
	p.again[second.ref] = &second
	return second.ref
}

func (p *Provider) decide(op *operation, transactionID string, outcome providers.Outcome) {
	if outcome == providers.Succeeded && op.outcome != providers.Succeeded {
		p.captures[transactionID]++
		op.amount = op.asked
	}
	op.outcome = outcome
}

func (p *Provider) script(n int, in providers.ChargeRequest) Answer {
	if p.Script == nil {
		return Capture
	}
	return p.Script(n, in)
}

func (p *Provider) note(op, transactionID, key string) {
	if p.During != nil {
		p.During(op, transactionID)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, Call{op, transactionID, key, p.now()})
}

// Name implements providers.Provider.
func (p *Provider) Name() string { return "stripe" }

// Capabilities implements providers.Provider.
func (p *Provider) Capabilities() providers.Capabilities {
	can := providers.Capabilities{
		LookupByKey: true, FindsTransaction: true, LookupByRef: true, Cancel: true, AbsenceGap: time.Hour,
	}
	can.ReplayWindow, can.AbsenceAfter = Window, Window
	return can
}

// Charge implements providers.Provider.
func (p *Provider) Charge(_ context.Context, in providers.ChargeRequest) (providers.Result, error) {
	p.note("charge", in.TransactionID, in.Key)
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.keys[in.Key]; ok && p.now().Sub(known.at) < Window {
		if known.reused {
			return providers.Result{HTTPStatus: http.StatusBadRequest}, errKeyReused
		}
		return p.current(p.charged[in.TransactionID], known.result), nil
	}
	p.charges++
	answer := p.script(p.charges, in)
	op := &operation{ref: "pi_" + in.TransactionID + "_" + strconv.Itoa(p.charges), asked: in.Amount, cur: in.Currency}
	switch answer {
	case Lose:
		return providers.Result{Outcome: providers.Unknown}, nil
	case Refuse:
		return providers.Result{Outcome: providers.NotSent, RetryAfter: time.Second}, nil
	case Limit:
		return providers.Result{Outcome: providers.NotSent, HTTPStatus: http.StatusTooManyRequests}, nil
	case Unauthorized:
		return providers.Result{
			Outcome: providers.NotSent, HTTPStatus: http.StatusUnauthorized, FailureReason: "HTTP Unauthorized: Invalid API Key",
		}, nil
	case Decline:
		op.outcome = providers.Declined
	case Pend:
		op.outcome = providers.Pending
	default:
		op.outcome, op.amount = providers.Succeeded, in.Amount
		if answer == Mischarge {
			op.amount++
		}
		p.captures[in.TransactionID]++
	}
	p.charged[in.TransactionID] = op
	result := op.result()
	if answer == Reused {
		p.keys[in.Key] = remembered{at: p.now(), reused: true}
		return providers.Result{HTTPStatus: http.StatusBadRequest}, errKeyReused
	}
	p.keys[in.Key] = remembered{result: result, at: p.now()}
	if answer == Silent {
		return providers.Result{Outcome: providers.Unknown}, nil
	}
	return result, nil
}

// current returns the answer to a replayed key: the present state of the operation where it exists.
func (p *Provider) current(op *operation, first providers.Result) providers.Result {
	if op == nil {
		return first
	}
	return op.result()
}

func (o *operation) result() providers.Result {
	r := providers.Result{
		Outcome: o.outcome, Ref: o.ref, Amount: o.amount, Currency: o.cur, HTTPStatus: http.StatusOK,
		Response: []byte(`{"object":"payment_intent"}`),
	}
	if o.outcome == providers.Declined || o.outcome == providers.Failed {
		r.FailureCode, r.FailureReason, r.HTTPStatus = providers.InsufficientFunds, "Your card has insufficient funds.",
			http.StatusPaymentRequired
	}
	return r
}

// LookupCharge implements providers.Provider.
func (p *Provider) LookupCharge(_ context.Context, in providers.LookupRequest) (providers.Result, error) {
	p.note("lookup", in.TransactionID, "")
	if p.LookupScript != nil {
		switch instead, ok := p.LookupScript(in); {
		case ok && instead == providers.Unknown: // silence names nothing
			return providers.Result{Outcome: instead}, nil
		case ok:
			return providers.Result{Outcome: instead, Ref: in.Ref}, nil
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if op, ok := p.again[in.Ref]; ok {
		return p.since(op.result(), in.Ref), nil
	}
	found := find(p.charged, in.TransactionID)
	if in.Since && found.Outcome == providers.Succeeded {
		found = p.since(found, in.TransactionID)
	}
	return found, nil
}

func find(in map[string]*operation, transactionID string) providers.Result {
	op, ok := in[transactionID]
	if !ok {
		return providers.Result{Outcome: providers.NotFound, HTTPStatus: http.StatusNotFound}
	}
	return op.result()
}

// CancelCharge implements providers.Provider.
func (p *Provider) CancelCharge(_ context.Context, in providers.LookupRequest) (providers.Result, error) {
	p.note("cancel", in.TransactionID, "")
	p.mu.Lock()
	defer p.mu.Unlock()
	if op, ok := p.charged[in.TransactionID]; ok && op.outcome == providers.Pending {
		op.outcome = providers.Canceled
	}
	return find(p.charged, in.TransactionID), nil
}

// TestConnection implements providers.Provider.
func (p *Provider) TestConnection(context.Context) error { return nil }

// ParseCallback implements providers.Provider.
func (p *Provider) ParseCallback(context.Context, providers.CallbackRequest, time.Time) (
	said []providers.Callback, ack providers.Acknowledgement, err error,
) {
	return said, ack, err
}
