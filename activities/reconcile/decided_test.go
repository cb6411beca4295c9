package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/service"
	"perennial/service/payments"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// A decision about a payment of its own reaches the workflow that waits for it, also where Temporal was away when it
// was made.
func TestReconcile_TellsPaymentsOfDecisions(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Mischarge }
	h := service.New(s.Store, s.Clock.Now)
	by := usecase.Caller{Actor: db.BySystem("test"), EnvironmentID: s.Env, TimeZone: "UTC"}
	txn, err := h.Payments.ChargeCustomer(t.Context(), by,
		payments.NewCharge{CustomerID: s.Customer(t, "").ID, Amount: 700, Currency: "EUR"}, nil)
	require.NoError(t, err)
	out, err := s.Payments.Charge(t.Context(),
		contract.ResolveInput{EnvironmentID: s.Env, TransactionID: txn.ID, Now: s.Clock.Now()})
	require.NoError(t, err)
	require.True(t, out.Parked)
	_ = w.Pass(t, s)

	require.NoError(t, h.Payments.ResolvePayment(t.Context(), by,
		payments.Resolution{PaymentID: txn.ID, Decision: payment.DecideSucceeded, Note: "the bank says so"},
		usecase.Around[payment.Transaction]{}))

	s.Clock.Add(30 * time.Second)
	require.Empty(t, w.Pass(t, s), "the signal has a while to arrive")
	s.Clock.Add(time.Millisecond)
	told := w.Pass(t, s)
	require.Len(t, told, 1)
	require.Contains(t, told[0], txn.ID)
	require.Empty(t, w.Pass(t, s), "a signal that Temporal has taken is not repeated")
}
