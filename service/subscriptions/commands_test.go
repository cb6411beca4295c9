package subscriptions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/service/servicetest"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// pays subscribes a customer whose first charge gets answer.
func pays(t *testing.T, answer scene.Answer) (*scene.Scene, customer.Customer, contract.Ref) {
	t.Helper()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return answer }
	c := s.Customer(t, "")
	ref := s.Subscribe(t, c, s.Plan(t, scene.Monthly(1000)))
	servicetest.Charge(t, s, ref)
	return s, c, ref
}

// command performs a command in its own transaction, and returns the effects to perform after the commit.
func command(
	t *testing.T, s *scene.Scene, id string, cmd lifecycle.Command,
) (out usecase.Performed, after []db.Effect, err error) {
	t.Helper()
	var left servicetest.Dispatched
	err = s.Store.With(&left).InTx(t.Context(), db.BySystem("test"), s.Clock.Now(), func(tx *db.Tx) error {
		out, err = usecase.Command(t.Context(), tx, s.Env, id, cmd)
		return err
	})
	return out, left.Effects, err
}

func TestCommand_ReturnsTheAttempt(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Decline)
	s.Clock.Add(time.Hour)

	out, after, err := command(t, s, ref.ID, lifecycle.Pay{})

	require.NoError(t, err)
	stored, err := s.Store.Payments.Transaction(t.Context(), s.Env, out.Attempt.ID)
	require.NoError(t, err)
	require.Equal(t, stored, *out.Attempt)
	require.Equal(t, payment.Pending, stored.Status)
	require.Equal(t, s.Clock.Now(), stored.NextCheckAt)
	require.Equal(t, []db.Effect{
		db.SignalSubscription{
			EnvironmentID: s.Env, ID: ref.ID, Why: contract.CommandPay, Revision: out.Subscription.Revision,
		},
	}, after, "the subscription's workflow sends it")
}

// The attempt of a customer without a payment method fails at once: the response has it all the same.
func TestCommand_ReturnsAnAttemptThatFailedAtOnce(t *testing.T) {
	t.Parallel()
	s, c, ref := pays(t, scene.Decline)
	s.SetMethod(t, c.ID, nil)
	s.Clock.Add(time.Hour)

	out, _, err := command(t, s, ref.ID, lifecycle.Pay{})

	require.NoError(t, err)
	require.Equal(t, payment.Failed, out.Attempt.Status)
	require.Equal(t, payment.CodeInvalidAccount, out.Attempt.FailureCode)
}

// An attempt that was due before the command is not the command's.
func TestCommand_NoAttemptOfItsOwn(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	s.Clock.Set(scene.Start.AddDate(0, 1, 0))

	out, _, err := command(t, s, ref.ID, lifecycle.Cancel{})

	require.NoError(t, err)
	require.Nil(t, out.Attempt)
	require.True(t, out.Subscription.CancelAtPeriodEnd)
	stored, err := s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	require.Equal(t, stored, out.Subscription, "what is answered is what was written")
	require.Equal(t, scene.Start.AddDate(0, 1, 0), stored.CurrentPeriod.Start, "the renewal came first")
}

func TestCommand_StartsRefunds(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)

	out, after, err := command(t, s, ref.ID, lifecycle.Cancel{Immediate: true, RefundUnused: true})

	require.NoError(t, err)
	require.Equal(t, subscription.Canceled, out.Subscription.Status)
	var starts []db.StartPayment
	for _, effect := range after {
		if start, ok := effect.(db.StartPayment); ok {
			starts = append(starts, start)
		}
	}
	require.Len(t, starts, 1)
	refund, err := s.Store.Payments.Transaction(t.Context(), s.Env, starts[0].ID)
	require.NoError(t, err)
	require.Equal(t, payment.Refund, refund.Type)
}

// More periods are due than one decision opens: the workflow catches up, and the fault has a time to retry after.
func TestCommand_SubscriptionFarBehind(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	s.Clock.Set(scene.Start.AddDate(3, 0, 0))
	before := s.Rows(t)

	_, _, err := command(t, s, ref.ID, lifecycle.Cancel{})

	require.ErrorIs(t, err, lifecycle.ErrBehind)
	require.Positive(t, fault.From(err).RetryAfter)
	require.Equal(t, before, s.Rows(t))
}

func TestCommand_UnknownSubscription(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	_, _, err := command(t, s, "sub_absent", lifecycle.Cancel{})
	require.Equal(t, "subscription_not_found", fault.From(err).Code)
	elsewhere := *s
	elsewhere.Env = "env_other"
	_, _, err = command(t, &elsewhere, ref.ID, lifecycle.Cancel{})
	require.Equal(t, "subscription_not_found", fault.From(err).Code, "like an absent one")
}
