package dunning_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/dunning"
	"perennial/billing/fault"
)

func TestReminders_Follow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reminders dunning.Reminders
		want      []bool // for the attempts from 0
	}{
		{dunning.Reminders{}, []bool{true, true, true, true}},
		{dunning.Reminders{None: true}, []bool{true, false, false, false}},
		{dunning.Reminders{Attempts: []int{1, 3}}, []bool{true, true, false, true}},
	} {
		for attempt, want := range c.want {
			require.Equal(t, want, c.reminders.Follow(attempt), "%+v %d", c.reminders, attempt)
		}
	}
}

func TestReminders_Validate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reminders dunning.Reminders
		valid     bool
	}{
		{dunning.Reminders{Attempts: []int{11, 1}}, true},
		{dunning.Reminders{Attempts: []int{0}}, false},
		{dunning.Reminders{Attempts: []int{12}}, false},
		{dunning.Reminders{Attempts: []int{2, 2}}, false},
		{dunning.Reminders{None: true, Attempts: []int{1}}, false},
	} {
		p := dunning.Default()
		p.Reminders = c.reminders
		if c.valid {
			require.NoError(t, p.Validate())
			continue
		}
		f := fault.From(p.Validate())
		require.Equal(t, []string{"reminderAttempts", "reminders_invalid"}, []string{f.Param, f.Code})
	}
}
