package life

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/terms"
	"perennial/contract"
	"perennial/db"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// CountOverdue counts the events that announce an overdue invoice of a subscription.
const CountOverdue = "select count(*) from events where type = 'invoice.overdue' and subscription_id = $1"

// Perform performs a command on a subscription whose workflow is not played.
func Perform(t testing.TB, s *scene.Scene, ref contract.Ref, cmd lifecycle.Command) {
	t.Helper()
	quiet := s.Store.With(&scene.Effects{})
	require.NoError(t, quiet.InTx(t.Context(), db.BySystem("test"), s.Clock.Now(), func(tx *db.Tx) error {
		_, err := usecase.Command(t.Context(), tx, s.Env, ref.ID, cmd)
		return err
	}))
}

// SendInvoices has invoices sent, to be paid within 7 days.
func SendInvoices() lifecycle.Command {
	send, days := terms.Send, 7
	return lifecycle.SetTerms{Method: &send, NetDays: &days}
}
