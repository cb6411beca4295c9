package tenancy

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// Choice is one chosen setting of an environment. Other settings have their defaults in a new environment, and stay as
// they are in an existing one.
type Choice struct {
	Name string // as the one who chose knows it: a flag, a field
	Set  func(*subscription.Settings)
}

// Choices are all chosen settings.
type Choices []Choice

// On returns settings with the choices applied.
func (c Choices) On(s subscription.Settings) subscription.Settings {
	for _, choice := range c {
		choice.Set(&s)
	}
	return s
}

// against names the choices that differ from the settings of an environment.
func (c Choices) against(s subscription.Settings) (names []string) {
	for _, choice := range c {
		chosen := s
		if choice.Set(&chosen); !reflect.DeepEqual(chosen, s) {
			names = append(names, choice.Name)
		}
	}
	return names
}

// DescribeSettings returns the settings in a clause, for people at a terminal.
func DescribeSettings(s subscription.Settings) string {
	dun := s.Dunning
	gaps := make([]string, dun.Retry.Retries)
	for i := range gaps {
		gaps[i] = short(dun.Retry.Gap(i + 1))
	}
	retries := "no retries"
	if len(gaps) > 0 {
		retries = "retries after " + strings.Join(gaps, ", ") + " and at most " + short(dun.Retry.MaxJitter) + " of jitter"
	}
	periods := "periods that pass in past_due are not billed"
	if s.PastDueBilling == subscription.AccruePastDue {
		periods = "periods that pass in past_due are billed"
	}
	for _, r := range dun.Retry.Rules {
		if r.Never {
			retries += ", none after " + r.Code
		} else {
			retries += fmt.Sprintf(", after %s on day %d of the month", r.Code, r.DayOfMonth)
		}
	}
	end := "past_due cancels never"
	switch dun.Final {
	case dunning.Cancel:
		end = fmt.Sprintf("past_due cancels after %d days", dun.CancelAfterDays)
	case dunning.Pause:
		end = "past_due pauses collection"
	case dunning.PastDue:
	}
	for _, m := range dun.Minimums {
		retries += fmt.Sprintf(", nothing is asked for below %s %s", money.FormatUnits(m.Amount, m.Currency), m.Currency)
	}
	if dun.TryOtherMethods {
		retries += ", taking turns among the customer's payment methods"
	}
	reminder := "renewals are not announced"
	if s.RenewalReminderDays > 0 {
		reminder = fmt.Sprintf("renewals that ask the payer are announced %s before",
			short(time.Duration(s.RenewalReminderDays)*24*time.Hour))
	}
	return strings.Join([]string{"time zone " + s.TimeZone, retries, periods, end, reminder}, "; ")
}

// short writes a duration as people type it: 24h, not 24h0m0s.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = strings.TrimSuffix(s, zero[1:])
		}
	}
	return s
}
