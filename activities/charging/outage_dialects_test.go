package charging_test

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
	"perennial/providers"
	"perennial/providers/adyen"
	"perennial/providers/conformance"
	"perennial/providers/flutterwave"
	"perennial/providers/pawapay"
	"perennial/providers/simulator/adyensim"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/flutterwavesim"
	"perennial/providers/simulator/pawapaysim"
	"perennial/providers/simulator/stripesim"
	"perennial/providers/stripe"
	"perennial/test/life"
	"perennial/test/scene"
)

// dialect is one of the four providers: its adapter before its simulator, which keeps the scene's time.
type dialect struct {
	simulated func() core.Dialect
	open      func(url string) (providers.Provider, error)
	method    string
	details   customer.PaymentDetails
	amount    money.Minor
	currency  money.Currency
}

const hmacKey = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"

var dialects = map[string]dialect{
	"stripe": {
		func() core.Dialect { return stripesim.New(stripesim.Config{}) },
		func(url string) (providers.Provider, error) {
			return stripe.New(stripe.Config{SecretKey: "sk_test_outage0123456789", WebhookSecret: "whsec_1", BaseURL: url})
		},
		"card", customer.PaymentDetails{CustomerToken: "cus_1", PaymentMethodToken: "pm_card_visa"}, 1900, "EUR",
	},
	"adyen": {
		func() core.Dialect { return adyensim.New(adyensim.Config{}) },
		func(url string) (providers.Provider, error) {
			return adyen.Factory{}.Open(providers.Account{BaseURL: url, Credentials: map[string]string{
				adyen.FieldAPIKey: "AQE_outage_0123456789", adyen.FieldMerchantAccount: "AcmeECOM",
				adyen.FieldWebhookSecret: hmacKey,
			}})
		},
		"card", customer.PaymentDetails{CustomerToken: "shopper_1", PaymentMethodToken: "M5N7TQ4TG5PFWR50"}, 1900, "EUR",
	},
	"pawapay": {
		func() core.Dialect { return pawapaysim.New(pawapaysim.Config{}) },
		func(url string) (providers.Provider, error) {
			return pawapay.New(pawapay.Config{APIToken: "token_outage_0123456789", BaseURL: url})
		},
		"mobile_money_mtn", customer.PaymentDetails{PhoneNumber: "+250783456789"}, 5000, "RWF",
	},
	"flutterwave": {
		func() core.Dialect {
			return flutterwavesim.New(flutterwavesim.Config{TokenLife: 1000 * time.Hour})
		},
		func(url string) (providers.Provider, error) {
			return flutterwave.New(flutterwave.Config{
				ClientID: "client_outage", ClientSecret: "secret_0123456789", WebhookSecret: "whsec_1", BaseURL: url,
			})
		},
		"mobile_money_mtn", customer.PaymentDetails{PhoneNumber: "+250783456789"}, 5000, "RWF",
	},
}

// spell is a stretch of time in which a provider answers nothing.
type spell struct{ from, to time.Duration }

// moody is a provider with outages. Requests during an outage are carried out without an answer, or get lost.
type moody struct {
	providers.Provider
	clock  func() time.Time
	spells []spell
	books  func(transactionID string) bool // requests during an outage are carried out
}

func (p *moody) away() bool {
	at := p.clock().Sub(scene.Start)
	return slices.ContainsFunc(p.spells, func(s spell) bool { return s.from <= at && at < s.to })
}

func (p *moody) Charge(ctx context.Context, in providers.ChargeRequest) (providers.Result, error) {
	if !p.away() {
		return p.Provider.Charge(ctx, in)
	}
	if p.books(in.TransactionID) {
		if _, err := p.Provider.Charge(ctx, in); err != nil {
			return providers.Result{}, err
		}
	}
	return providers.Result{Outcome: providers.Unknown}, nil
}

func (p *moody) LookupCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	if !p.away() {
		return p.Provider.LookupCharge(ctx, in)
	}
	return providers.Result{Outcome: providers.Unknown}, nil
}

// troubled is a scene with one of the dialects.
type troubled struct {
	*life.Life
	dialect
	url   string
	woken *life.Waker
}

func trouble(t *testing.T, d dialect, spells []spell, books func(string) bool) *troubled {
	t.Helper()
	s := scene.New(t)
	rig := conformance.NewRig(t, s.Clock.Now, d.simulated(), "whsec_1")
	adapter, err := d.open(rig.URL)
	require.NoError(t, err)
	s.Payments.Gateway = scene.Gateway{Only: &moody{adapter, s.Clock.Now, spells, books}}
	return &troubled{&life.Life{T: t, Scene: s, Payer: s.Customer(t, "")}, d, rig.URL, &life.Waker{}}
}

// owes makes a charge of its own and sends it, as its workflow does.
func (l *troubled) owes(t *testing.T) string {
	t.Helper()
	now := l.Clock.Now()
	payer := l.Payer
	payer.PaymentMethod, payer.PaymentDetails = l.method, l.details
	txn := payment.NewCharge(payment.NewChargeInput{
		ID: id.New(id.Transaction, now), Customer: payer, Amount: l.amount, Currency: l.currency,
		Trigger: collection.Manual, HasProvider: true, Due: now, Now: now, Real: now,
	})
	l.InTx(t, func(tx *db.Tx) error { return tx.Payments.InsertTransaction(t.Context(), l.Env, txn) })
	l.Charge(t, txn.ID)
	return txn.ID
}

// settle lets time pass, as workflows and the reconciler do with a pass every half minute, until all charges have
// ended. It returns when each ended. Charges are made at their times.
func (l *troubled) settle(t *testing.T, due []time.Duration, until time.Duration) map[string]time.Duration {
	t.Helper()
	ended, open := map[string]time.Duration{}, map[string]time.Time{}
	look := func(id string) {
		txn := l.Transaction(id)
		require.True(t, txn.ParkedAt.IsZero(), "%s needs review: %s", id, txn.FailureReason)
		if open[id] = txn.NextCheckAt; txn.Status != payment.Pending {
			require.Equal(t, payment.Success, txn.Status, "%s: %s", id, txn.FailureReason)
			ended[id] = l.Clock.Now().Sub(scene.Start)
			delete(open, id)
		}
	}
	pass := scene.Start.Add(13 * time.Second)
	for len(due) > 0 || len(open) > 0 {
		next, what := pass, ""
		for id, at := range open {
			if at.Before(next) {
				next, what = at, id
			}
		}
		sends := len(due) > 0 && scene.Start.Add(due[0]).Before(next)
		if sends {
			next = scene.Start.Add(due[0])
		}
		if next.After(l.Clock.Now()) {
			l.Clock.Set(next)
		}
		switch {
		case sends:
			due = due[1:]
			look(l.owes(t))
		case what != "":
			l.Charge(t, what)
			look(what)
		default:
			for range 2 { // where a probe is answered, the same pass wakes the others
				for _, id := range l.CheckWoken(t, l.woken) {
					look(id)
				}
			}
			pass = pass.Add(30 * time.Second)
		}
		require.Less(t, l.Clock.Now().Sub(scene.Start), until, "%d charges are not settled", len(open))
	}
	return ended
}

// captures returns how often money was taken for each transaction, by the provider's own books.
func (l *troubled) captures(t *testing.T) map[string]int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, l.url+"/_simulator/ledger", nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	var moved []core.Movement
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&moved))
	n := map[string]int{}
	for _, m := range moved {
		require.Equal(t, "capture", m.Kind)
		n[m.TransactionID]++
	}
	return n
}

// TestOutage_EveryChargeIsSettledInTime: after any outages within ten minutes, every charge is settled at most two
// minutes after the provider answers again. This holds at each of the four providers, without a callback, whether
// requests during the outage were carried out or lost, and whether the account has other payments or not.
func TestOutage_EveryChargeIsSettledInTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 28))
	short := func(gone, back time.Duration) (all []spell) {
		for at := time.Minute; at+gone <= 11*time.Minute; at += gone + back {
			all = append(all, spell{at, at + gone})
		}
		return all
	}
	anyOf := func() (all []spell) {
		for at := time.Minute; ; {
			from := at + time.Duration(random.IntN(90))*time.Second
			to := from + time.Duration(1+random.IntN(120))*time.Second
			if to > 11*time.Minute {
				return all
			}
			all, at = append(all, spell{from, to}), to
		}
	}
	patterns := map[string][]spell{
		"ten minutes": {{time.Minute, 11 * time.Minute}}, "short ones in a row": short(50*time.Second, 10*time.Second),
	}
	if testkit.Scale(0, 1) > 0 {
		patterns["half a minute"], patterns["very short ones"] = []spell{{time.Minute, 90 * time.Second}},
			short(8*time.Second, 4*time.Second)
	}
	for i := range testkit.Scale(1, 40) {
		patterns["random "+strconv.Itoa(i)] = anyOf()
	}
	for _, name := range slices.Sorted(maps.Keys(dialects)) { // in the order of names, so that a seed says the same again
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			d, spells, seed := dialects[name], patterns[pattern], random.Uint64()
			t.Run(name+", "+pattern, func(t *testing.T) {
				t.Parallel()
				settledInTime(t, d, spells, rand.New(rand.NewPCG(seed, 29)))
			})
		}
	}
}

func settledInTime(t *testing.T, d dialect, spells []spell, random *rand.Rand) {
	t.Helper()
	end, busy := spells[len(spells)-1].to, random.IntN(2) == 0
	l := trouble(t, d, spells, func(transactionID string) bool {
		h := fnv.New32()
		_, _ = h.Write([]byte(transactionID)) // it never fails
		return h.Sum32()%2 == 0
	})
	var due []time.Duration
	for range 11 {
		due = append(due, spells[0].from+time.Duration(random.Int64N(int64(end-spells[0].from)-1)))
	}
	if busy { // others are charged all the time
		for at := time.Duration(0); at < end+2*time.Minute; at += 20 * time.Second {
			due = append(due, at)
		}
	}
	slices.Sort(due)
	ended, last := l.settle(t, due, end+time.Hour), time.Duration(0)
	for id, at := range ended {
		created := l.Transaction(id).CreatedAt.Sub(scene.Start)
		took := at - max(end, created)
		last = max(last, took)
		require.LessOrEqual(t, took, 2*time.Minute, "%s, made after %s, with %d outages until %s", id,
			created, len(spells), end)
	}
	captures := l.captures(t)
	require.Len(t, captures, len(ended))
	rule.Holds(t, func() {
		for id, n := range captures {
			require.Equal(t, 1, n, id)
		}
	})
	scene.RequireLawful(t, l.Pool)
	t.Logf("%d charges, the last settled %s after the provider answers (other payments: %t)", len(ended), last, busy)
}

// A charge whose key must not be repeated any more is asked about, and says why it is not sent again.
func TestOutage_WhyAChargeIsNotRepeated(t *testing.T) {
	t.Parallel()
	l := trouble(t, dialects["pawapay"], []spell{{0, 20 * time.Minute}}, func(string) bool { return false })
	txn := l.owes(t)
	l.Clock.Set(scene.Start.Add(20 * time.Minute)) // absence may count after 15, so that no repeat may arrive later
	_, err := l.Payments.Charge(t.Context(), contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn})
	require.NoError(t, err)
	require.Equal(t, payment.Pending, l.Transaction(txn).Status)
	require.Equal(t,
		"The provider does not know this payment. It may still arrive, so that it is sent anew only when the provider "+
			"has confirmed that it never did.", l.Transaction(txn).FailureReason)
	require.Equal(t, l.Clock.Now().Add(15*time.Minute), l.Transaction(txn).NextCheckAt)
}
