package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/plan"
	"perennial/service/usage"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// A reached limit is announced once until its reset or a change of the limit.
func TestLimits_AreAnnouncedOncePerPeriod(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	calls(t, s)
	p := scene.Monthly(1000)
	most := int64(100)
	p.Features = plan.Features{{Key: "calls", Limit: &most, MetricName: "calls", SoftLimit: true}}
	l := life.Begin(t, s, p)
	l.Until(scene.Start.Add(5 * life.Day))
	service := usage.New(usecase.Base{Store: l.Store, Now: l.Clock.Now})
	announced := func() int { return l.CountEvents("customer.feature_limit_reached") }

	used(l, "eu", 99, scene.Start.Add(life.Day))
	merge(l, service)
	require.Zero(t, announced())
	used(l, "us", 1, scene.Start.Add(life.Day))
	merge(l, service)
	used(l, "us", 2, scene.Start.Add(life.Day))
	merge(l, service)
	require.Equal(t, 1, announced())
	require.Zero(t, life.Count(t, l.Scene, "select count(*) from usage_touched"))

	more := int64(120)
	l.ChangeCustomer(func(c *customer.Customer) {
		c.Features = plan.FeatureOverrides{{Key: "calls", Limit: &more}}
	})
	used(l, "eu", 18, scene.Start.Add(life.Day))
	merge(l, service)
	require.Equal(t, 2, announced(), "120 of 120")

	l.Until(scene.Start.AddDate(0, 1, 2))
	used(l, "eu", 120, l.Clock.Now())
	merge(l, service)
	require.Equal(t, 3, announced(), "in the next period again")
	l.Sound()
}
