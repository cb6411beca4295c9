package moving_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/retry"
	"perennial/billing/subscription"
)

// A policy is read from its form as it was.
func TestDunning_RoundTrip(t *testing.T) {
	t.Parallel()
	listed := dunning.Default()
	listed.Retry = retry.List(24*time.Hour, 72*time.Hour)
	listed.Retry.Rules = []retry.Rule{{Code: "DECLINED", Never: true}, {Code: "INSUFFICIENT_FUNDS", DayOfMonth: 25}}
	listed.Final, listed.CancelAfterDays, listed.TryOtherMethods = dunning.Cancel, 9, true
	listed.Minimums = []dunning.Minimum{{Currency: "EUR", Amount: 500}}
	none := dunning.Default()
	none.Retry.Retries, none.Retry.MaxJitter = 0, 0
	for _, p := range []dunning.Policy{dunning.Default(), listed, none} {
		back, err := moving.DunningOf(&p).Policy()
		require.NoError(t, err)
		require.Equal(t, p, back)
	}
	require.Nil(t, moving.DunningOf(nil))
}

// Settings of a new environment become those of the record, and others stay.
func TestSettings_On(t *testing.T) {
	t.Parallel()
	chosen := subscription.DefaultSettings()
	chosen.PastDueBilling, chosen.InvoiceGraceMinutes, chosen.ProrationMeasure = subscription.AccruePastDue, 60, proration.Day
	chosen.Seller, chosen.InvoiceNumbers = invoice.Seller{Name: "Acme"}, invoice.Numbering{Prefix: "A-", Digits: 4}
	chosen.Dunning.Final, chosen.RenewalReminderDays = dunning.Pause, 3

	is, changed, err := moving.SettingsOf(chosen).On(subscription.DefaultSettings())

	require.NoError(t, err)
	require.Equal(t, chosen, is)
	require.Len(t, changed, 7)
	again, changed, err := moving.SettingsOf(chosen).On(chosen)
	require.NoError(t, err)
	require.Empty(t, changed)
	require.Equal(t, chosen, again)
	_, _, err = moving.SettingsOf(subscription.DefaultSettings()).On(chosen)
	require.Equal(t, "import_settings_changed", fault.From(err).Code)
	_, changed, err = moving.Settings{}.On(chosen)
	require.NoError(t, err)
	require.Empty(t, changed, "absent fields stay")
}

func TestFeatures_OfOneSubscriptionStay(t *testing.T) {
	t.Parallel()
	limit := int64(3)
	all := plan.FeatureOverrides{{Key: "a", Limit: &limit, Until: now}, {Key: "b", SubscriptionID: "sub_1"}}
	features, others := moving.FeaturesOf(all)
	require.True(t, others)
	back, err := moving.Customer{Features: features}.Overrides()
	require.NoError(t, err)
	require.Equal(t, all[:1], back)
	_, err = moving.Customer{Features: append(features, features...)}.Overrides()
	require.Equal(t, "feature_repeated", fault.From(err).Code)
}
