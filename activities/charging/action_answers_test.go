package charging_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/providers/simulator/core"
	"perennial/test/life"
)

// tap intercepts the requests of an adapter. answer may replace the network's response; nil, nil lets the request
// through.
type tap struct {
	mu     sync.Mutex
	answer func(r *http.Request, body string) (*http.Response, error)
}

func (p *tap) set(answer func(r *http.Request, body string) (*http.Response, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

func (p *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	p.mu.Lock()
	answer := p.answer
	p.mu.Unlock()
	if answer != nil {
		if res, err := answer(r, string(body)); res != nil || err != nil {
			return res, err
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}

// loses carries a request out and loses its answer.
func loses(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		_ = res.Body.Close()
		err = errors.New("the connection broke")
	}
	return nil, err
}

// refuses is Adyen's refusal of a request.
func refuses(r *http.Request) *http.Response {
	const body = `{"status":422,"errorCode":"14_038","errorType":"validation","message":"Invalid redirectResult"}`
	return &http.Response{
		StatusCode: http.StatusUnprocessableEntity, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}
}

func isQuestion(body string) bool { return strings.Contains(body, "authenticationData") }

func isCompletion(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/payments/details") }

// refusedFirst is the webhook about the payment in the payer's absence, which the bank has refused.
func refusedFirst(txn payment.Transaction, ref string) providers.Callback {
	return providers.Callback{
		EventID: "AUTHORISATION:" + ref + ":false", Type: "AUTHORISATION", Kind: providers.KindFailed,
		TransactionID: txn.ID, Ref: ref,
		Evidence: &providers.Result{Outcome: providers.Failed, Ref: ref, FailureCode: providers.DeclinedCode}, NeedsRef: true,
	}
}

// The answer of the payment that asks is lost. The webhook about the refusal before it does not end the attempt: the
// payer may be asked, and the bank may even have been content.
func TestActionCompleted_WebhookOfTheFirstRefusal(t *testing.T) {
	t.Parallel()
	losing := &tap{}
	losing.set(func(r *http.Request, body string) (*http.Response, error) {
		if isQuestion(body) {
			return loses(r)
		}
		return nil, nil
	})
	a := adyenCharging(t, "SIM_AUTHENTICATE", losing)
	txn := a.Last()
	require.Equal(t, payment.Pending, txn.Status)
	require.Empty(t, txn.ProviderRef)

	a.Receive(refusedFirst(txn, "FIRST00000000000"))
	require.Equal(t, payment.Pending, a.Last().Status)

	losing.set(nil)
	a.Until(a.Clock.Now().Add(time.Minute))
	require.Equal(t, payment.ConfirmNow, a.Last().Confirmation(a.Clock.Now()))
	a.CheckAsked(txn.ID) // the reconciler has the open message looked at
	require.Equal(t, payment.ConfirmNow, a.Last().Confirmation(a.Clock.Now()), "it is about another payment")
	require.Zero(t, a.OpenCallbacks())
	a.brings(a.Last(), a.visits("confirm"))
	a.Until(a.Clock.Now())
	require.Equal(t, payment.Success, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// A webhook about the payment that was tried without the payer counts where that payment is the one that the charge
// names.
func TestActionCompleted_WebhookOfWhatIsKnown(t *testing.T) {
	t.Parallel()
	a := adyenCharging(t, "SIM_PENDING", nil)
	txn := a.Last()
	require.NotEmpty(t, txn.ProviderRef)
	a.Receive(refusedFirst(txn, txn.ProviderRef))
	require.Equal(t, payment.Failed, a.Last().Status)
	a.Sound()
}

// A send of a build from before the references is repeated as it was sent, so that Adyen takes it for the same.
func TestActionCompleted_RepeatsTheSendOfAnOlderBuild(t *testing.T) {
	t.Parallel()
	losing := &tap{}
	losing.set(func(r *http.Request, body string) (*http.Response, error) {
		if strings.Contains(body, `-u`) {
			older := strings.Replace(body, "-u", "-c", 1)
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(older)), int64(len(older))
		}
		return loses(r)
	})
	a := adyenCharging(t, "SIM_AUTHENTICATE", losing)
	_, err := a.Pool.Exec(t.Context(), "update transactions set action_apart_send = null")
	require.NoError(t, err)
	losing.set(nil)
	a.Until(a.Clock.Now().Add(time.Minute))
	require.Equal(t, payment.ConfirmNow, a.Last().Confirmation(a.Clock.Now()))
	require.Zero(t, a.Last().ParkedAt)
}

// Adyen accepts the completion, and its answer is lost. The refusal of the repeat proves nothing, so the charge stays
// open until the payer's time is over. Then Adyen is asked to cancel it, and its webhook decides.
func TestActionCompleted_RefusalOfARepeatProvesNothing(t *testing.T) {
	t.Parallel()
	network, repeats := &tap{}, 0
	a := adyenCharging(t, "SIM_AUTHENTICATE", network)
	end := a.Last().Action.ExpiresAt
	a.Until(end.Add(-time.Hour)) // the simulator keeps a key for a day
	network.set(func(r *http.Request, _ string) (*http.Response, error) {
		switch repeats++; {
		case !isCompletion(r):
			return nil, nil
		case repeats == 1:
			return loses(r)
		}
		return refuses(r), nil
	})
	a.brings(a.Last(), a.visits("confirm"))
	a.Until(end.Add(time.Hour))
	require.Greater(t, repeats, 1)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	require.Equal(t, payment.Pending, a.Last().Status, "it was taken")
	require.Empty(t, a.Last().Action.Brought, "the payer may bring something else")
	require.Contains(t, a.calls(a.Last().ID), db.CallCancel)

	network.set(nil)
	a.Receive(says(a.Last(), "AUTHORISATION", providers.Succeeded))
	require.Equal(t, payment.Success, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// A worker hangs in a completion while others repeat it, and the payer returns with another value, which is handed
// over. The late answer to the old value must not decide about the new one.
func TestActionCompleted_AnswerToAnOlderReturn(t *testing.T) {
	t.Parallel()
	network, hangs, goesOn := &tap{}, make(chan struct{}), make(chan struct{})
	a := adyenCharging(t, "SIM_AUTHENTICATE", network)
	const another = `{"resultCode":"Authorised","merchantReference":"txn_another-c000000000000","pspReference":"P"}`
	completions := 0
	network.set(func(r *http.Request, _ string) (*http.Response, error) {
		switch completions++; completions {
		case 1: // the worker that hangs
			close(hangs)
			<-goesOn
			return refuses(r), nil
		case 2: // another one repeats it: it is the result of another payment
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(another)), Request: r}, nil
		case 3: // the new value is accepted, and the answer lost
			return loses(r)
		}
		return nil, nil
	})
	a.brings(a.Last(), map[string][]string{"redirectResult": {"another"}})
	in := contract.ResolveInput{EnvironmentID: a.Env, TransactionID: a.Last().ID, Now: a.Clock.Now()}
	hung := make(chan error)
	go func() {
		_, err := a.Payments.Charge(t.Context(), in)
		hung <- err
	}()
	<-hangs
	a.Check(in.TransactionID)
	require.Empty(t, a.Last().Action.Brought, "refused")
	a.Clock.Add(time.Minute)
	a.brings(a.Last(), a.visits("confirm"))
	a.Check(in.TransactionID)
	handed := a.Last()
	require.NotEmpty(t, handed.Action.Brought)

	close(goesOn)
	require.NoError(t, <-hung)

	require.Equal(t, handed.Action, a.Last().Action, "nothing is decided")
	a.Reload()
	a.Until(handed.Action.ExpiresAt.Add(time.Minute))
	require.Equal(t, payment.Success, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// Two workers hand the same over, and the second is answered first. That the first is refused then is because of that.
func TestActionCompleted_RefusedBesideARepeat(t *testing.T) {
	t.Parallel()
	network, hangs, goesOn := &tap{}, make(chan struct{}), make(chan struct{})
	a := adyenCharging(t, "SIM_AUTHENTICATE", network)
	completions := 0
	network.set(func(r *http.Request, _ string) (*http.Response, error) {
		switch completions++; completions {
		case 1:
			close(hangs)
			<-goesOn
			return refuses(r), nil
		case 2:
			return loses(r)
		}
		return nil, nil
	})
	a.brings(a.Last(), a.visits("confirm"))
	in := contract.ResolveInput{EnvironmentID: a.Env, TransactionID: a.Last().ID, Now: a.Clock.Now()}
	hung := make(chan error)
	go func() {
		_, err := a.Payments.Charge(t.Context(), in)
		hung <- err
	}()
	<-hangs
	a.Clock.Add(time.Second)
	a.Check(in.TransactionID)
	close(goesOn)
	require.NoError(t, <-hung)
	require.NotEmpty(t, a.Last().Action.Brought)
	require.NotZero(t, a.Last().Action.HandedAt)
	a.Reload()
	a.Until(a.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Success, a.Last().Status)
	require.Len(t, a.sim.Moved(core.Capture), 1)
	a.Sound()
}

// A worker from before returns were kept takes the signal, sees that nothing can be asked, and puts the next check off
// for days. The reconciler finds the return within a minute.
func TestReconcile_FindsAKeptReturn(t *testing.T) {
	t.Parallel()
	a, w := adyenAsking(t), &life.Waker{}
	_ = w.Pass(t, a.Scene)
	a.brings(a.Last(), a.visits("confirm"))
	a.InTx(t, func(tx *db.Tx) error { // what that worker writes
		txn, err := tx.Payments.LockTransaction(t.Context(), a.Env, a.Last().ID)
		require.NoError(t, err)
		txn.NextCheckAt = a.Clock.Now().Add(6 * 24 * time.Hour)
		return tx.Payments.SaveTransaction(t.Context(), a.Env, txn)
	})
	check := "check " + a.Ref.ID + " " + a.Last().ID
	a.Clock.Add(15 * time.Second)
	require.NotContains(t, w.Pass(t, a.Scene), check, "the signal of the return has a while")
	a.Clock.Add(30 * time.Second)
	require.Contains(t, w.Pass(t, a.Scene), check)

	a.fault("reset")
	a.CheckAsked(a.Last().ID)
	require.NotContains(t, w.Pass(t, a.Scene), check, "the provider may have it: the next check repeats it")
	require.Equal(t, 200, a.sim.Control(t, "DELETE", "faults", "").Status)
	a.Until(a.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Success, a.Last().Status)
	a.Sound()
}

// A return whose signal was lost is found once a pass, before its check is overdue and after. One whose account does
// not answer is checked ever more rarely.
func TestReconcile_AKeptReturnIsSignalledOnce(t *testing.T) {
	t.Parallel()
	a, w := adyenAsking(t), &life.Waker{}
	_ = w.Pass(t, a.Scene)
	a.brings(a.Last(), a.visits("confirm"))
	check := "check " + a.Ref.ID + " " + a.Last().ID
	signals := func() (n int) {
		for _, did := range w.Pass(t, a.Scene) {
			if did == check {
				n++
			}
		}
		return n
	}
	for range 6 { // until 150 s after the return
		a.Clock.Add(25 * time.Second)
		if age := a.Clock.Now().Sub(a.Last().Action.ReturnedAt); age > 30*time.Second {
			require.Equal(t, 1, signals(), age)
		}
	}

	put := func(at time.Time) {
		a.InTx(t, func(tx *db.Tx) error {
			txn, err := tx.Payments.LockTransaction(t.Context(), a.Env, a.Last().ID)
			require.NoError(t, err)
			txn.NextCheckAt = at
			return tx.Payments.SaveTransaction(t.Context(), a.Env, txn)
		})
	}
	put(a.Clock.Now().Add(6 * 24 * time.Hour))
	passes, looks := 0, 0
	for ; passes < 2*60*4; passes++ { // four hours
		a.Clock.Add(30 * time.Second)
		if n := signals(); n > 0 {
			looks += n
			a.InTx(t, func(tx *db.Tx) error {
				return tx.Payments.InsertProviderCall(t.Context(), a.Env, db.ProviderCall{
					ID: id.New(id.ProviderCall, a.Clock.Now()), TransactionID: a.Last().ID, Operation: db.CallLookup,
					StartedAt: a.Clock.Now(),
				})
			})
		}
	}
	t.Logf("%d looks in %d passes", looks, passes)
	require.Greater(t, looks, 8)
	require.Less(t, looks, 25)
}

// A charging stop holds no completion: the charge was sent before it, and its payer has confirmed it.
func TestChargingStop_CompletesWhatThePayerConfirmed(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"environment", "account"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			a := adyenAsking(t)
			txn := a.Last()
			brings := a.visits("confirm")
			require.NoError(t, stopsOf(t, a.Scene)[way].pause())
			a.Clock.Add(time.Second) // calls of one instant have no order
			a.brings(txn, brings)
			a.Until(a.Clock.Now())
			require.Equal(t, payment.Success, a.Transaction(txn.ID).Status)
			require.Equal(t, []string{db.CallCharge, db.CallComplete}, a.calls(txn.ID))
			require.Len(t, a.sim.Moved(core.Capture), 1)
			a.Sound()
		})
	}
}
