package subscription

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

func TestSettings_Refuses(t *testing.T) {
	t.Parallel()
	require.NoError(t, DefaultSettings().Validate())
	for name, change := range map[string]func(*Settings){
		"a zone":            func(s *Settings) { s.TimeZone = "Africa/Douala" },
		"shortest retry":    func(s *Settings) { s.Dunning.Retry.Base = time.Minute },
		"longest retry":     func(s *Settings) { s.Dunning.Retry.Base = 30 * 24 * time.Hour },
		"accrue":            func(s *Settings) { s.PastDueBilling = AccruePastDue },
		"shortest patience": func(s *Settings) { s.Dunning.CancelAfter(1) },
		"longest patience":  func(s *Settings) { s.Dunning.CancelAfter(365) },
	} {
		s := DefaultSettings()
		change(&s)
		require.NoError(t, s.Validate(), name)
	}
	for name, c := range map[string]struct {
		change func(*Settings)
		param  string
		code   string
	}{
		"no zone":          {func(s *Settings) { s.TimeZone = "" }, "timeZone", "time_zone_unknown"},
		"the machine's":    {func(s *Settings) { s.TimeZone = "Local" }, "timeZone", "time_zone_unknown"},
		"a file beside":    {func(s *Settings) { s.TimeZone = "posixrules" }, "timeZone", "time_zone_unknown"},
		"leap seconds":     {func(s *Settings) { s.TimeZone = "right/UTC" }, "timeZone", "time_zone_unknown"},
		"retry at once":    {func(s *Settings) { s.Dunning.Retry.Base = 0 }, "base", "retry_policy_invalid"},
		"parts of seconds": {func(s *Settings) { s.Dunning.Retry.Base = 90*time.Second + 1 }, "base", "retry_policy_invalid"},
		"jitter of parts": {
			func(s *Settings) { s.Dunning.Retry.MaxJitter = time.Second + 1 }, "maxJitter", "retry_policy_invalid",
		},
		"no way":      {func(s *Settings) { s.PastDueBilling = "" }, "pastDueBilling", "past_due_billing_unknown"},
		"another way": {func(s *Settings) { s.PastDueBilling = "half" }, "pastDueBilling", "past_due_billing_unknown"},
		"days ago": {func(s *Settings) {
			s.Dunning.CancelAfter(-1)
		}, "cancelAfterDays", "cancel_after_days_out_of_range"},
		"endless patience": {func(s *Settings) {
			s.Dunning.CancelAfter(366)
		}, "cancelAfterDays", "cancel_after_days_out_of_range"},
	} {
		s := DefaultSettings()
		c.change(&s)
		err := s.Validate()
		require.Error(t, err, name)
		f := fault.From(err)
		require.Equal(t, []string{string(fault.Invalid), c.code, c.param}, []string{string(f.Kind), f.Code, f.Param}, name)
	}
}
