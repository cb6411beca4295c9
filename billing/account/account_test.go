package account_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/account"
	"perennial/billing/fault"
)

var now = time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)

func TestStatus(t *testing.T) {
	t.Parallel()
	for want, cases := range map[account.Status][]account.Account{
		account.Untested: {{}},
		account.Active:   {{LastTestedAt: now}},
		account.Failing: {{LastTestedAt: now, TestError: "No."}, {FailingSince: now},
			{LastTestedAt: now, FailingSince: now}},
		account.Disabled: {{DisabledAt: now}, {DisabledAt: now, TestError: "No."}},
	} {
		for _, a := range cases {
			got, says := a.Status()
			require.Equal(t, want, got, "%+v", a)
			require.Equal(t, want == account.Failing, says != "", "%+v", a)
		}
	}
}

// TestAccounts_ExactlyOnePrimary plays random changes of the accounts of an environment, as the service makes them.
func TestAccounts_ExactlyOnePrimary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		accounts := make([]account.Account, rapid.IntRange(1, 4).Draw(t, "accounts"))
		accounts[0].Primary = true
		usable := func(except int) (n int) {
			for i, a := range accounts {
				if i != except && a.DisabledAt.IsZero() && a.DeletedAt.IsZero() {
					n++
				}
			}
			return n
		}
		primaries := func() (n int) {
			for _, a := range accounts {
				if a.Primary {
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			i := rapid.IntRange(0, len(accounts)-1).Draw(t, "which")
			a := &accounts[i]
			if !a.DeletedAt.IsZero() {
				continue
			}
			before := *a
			var err error
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0:
				if err = a.SetPrimary(true); err == nil {
					for j := range accounts {
						accounts[j].Primary = j == i
					}
				}
			case 1:
				err = a.SetPrimary(false)
			case 2:
				err = a.Disable(usable(i), now)
			case 3:
				a.Enable(primaries() > 0)
			case 4:
				err = a.Delete(rapid.Bool().Draw(t, "unfinished"), usable(i), now)
			}
			if err != nil && (*a != before || fault.From(err).Code == "internal") {
				t.Fatalf("a refusal changed %+v into %+v: %v", before, *a, err)
			}
			want := 1
			if usable(-1) == 0 {
				want = 0
			}
			if primaries() != want {
				t.Fatalf("%d primary accounts, want %d: %+v", primaries(), want, accounts)
			}
		}
	})
}

func TestDelete_RefusedWhilePaymentsAreUnfinished(t *testing.T) {
	t.Parallel()
	a := account.Account{}
	require.Equal(t, "provider_has_unfinished_payments", fault.From(a.Delete(true, 0, now)).Code)
	require.NoError(t, a.Delete(false, 0, now))
	require.Equal(t, now, a.DeletedAt)
}
