package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

var removals = []scenario{
	{"a removed method is not charged again", needs{removes}, func(t *testing.T, b *bench) {
		require.Equal(t, providers.Succeeded, b.pay(t, b.request(b.Methods.OK)).Outcome)
		require.True(t, b.remove(t, b.Provider, b.Methods.OK).Removed)
		after := b.charge(t, b.requestOf("txn_after", b.Methods.OK))
		require.Contains(t, refused, after.Outcome)
		require.Len(t, b.Rig.Movements(t, "capture"), 1)
	}},
	{"removing a method again finds it removed", needs{removes}, func(t *testing.T, b *bench) {
		for range 3 {
			require.True(t, b.remove(t, b.Provider, b.Methods.OK).Removed)
		}
	}},
	{"a method that the account does not have counts as removed", needs{removes, hasMissing},
		func(t *testing.T, b *bench) {
			require.True(t, b.remove(t, b.Provider, b.Methods.Missing).Removed)
		}},
	{"only the provider's word removes a method", needs{removes}, func(t *testing.T, b *bench) {
		for name, p := range map[string]providers.Provider{"unreachable": b.Unreachable, "wrong key": b.WrongKey} {
			res := b.remove(t, p, b.Methods.OK)
			require.False(t, res.Removed, name)
			require.NotEmpty(t, res.Reason, name)
		}
		require.Equal(t, providers.Succeeded, b.pay(t, b.request(b.Methods.OK)).Outcome)
	}},
}

// removes: the provider keeps payment methods and can remove them.
var removes = need{"the removal of a payment method", func(s Subject) bool {
	_, can := s.Provider.(providers.MethodRemover)
	return can
}}

func (b *bench) remove(t *testing.T, p providers.Provider, m providers.Method) providers.Removal {
	t.Helper()
	remover, can := p.(providers.MethodRemover)
	require.True(t, can)
	res := remover.RemoveMethod(t.Context(), m)
	for _, s := range append(b.Secrets, m.PaymentMethodToken) {
		require.False(t, shows(res.Reason, s), "%s in %s", s, res.Reason)
	}
	return res
}
