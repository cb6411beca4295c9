package emits

import (
	"strconv"

	"perennial/billing/money"
	"perennial/billing/usage"
	serviceusage "perennial/service/usage"
)

// metrics set the scene of the requests about usage.
var metrics = map[string]func(*stage) func() error{
	"createMetric": func(s *stage) func() error {
		return func() error { _, err := s.metric(); return err }
	},
	"updateMetric": func(s *stage) func() error {
		made, err := s.metric()
		no := false
		return func() error {
			if err == nil {
				_, err = s.service.Usage.UpdateMetric(s.ctx, s.by, made.ID, serviceusage.MetricUpdate{Active: &no}, nil)
			}
			return err
		}
	},
	"recordUsage":       func(s *stage) func() error { return s.use(1) },
	"recordUsageBatch":  func(s *stage) func() error { return s.use(2) },
	"streamUsage":       func(s *stage) func() error { return s.use(3) },
	"recordCloudEvents": func(s *stage) func() error { return s.use(4) },
}

func (s *stage) metric() (usage.Metric, error) {
	return s.service.Usage.CreateMetric(s.ctx, s.by, serviceusage.NewMetric{
		Name: "m" + strconv.FormatInt(couponNumber.Add(1), 10), Definition: usage.Definition{Aggregation: usage.Sum},
	}, nil)
}

// use records usage n times.
func (s *stage) use(n int) func() error {
	l := s.active(1000)
	metric, err := s.metric()
	s.must(err)
	return func() error {
		for i := range n {
			_, err := s.service.Usage.RecordUsage(s.ctx, s.by, usage.Record{
				SubscriptionID: l.ref.ID, Metric: metric.Name, Quantity: money.Whole(1), Key: metric.Name + strconv.Itoa(i),
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}
