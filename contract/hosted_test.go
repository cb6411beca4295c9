package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/contract"
)

func TestLinkKey_OpensItsOwnLinksOnly(t *testing.T) {
	t.Parallel()
	key, other := contract.LinkKey(strings.Repeat("k", 32)), contract.LinkKey(strings.Repeat("o", 32))
	of := contract.HostedInvoice{
		EnvironmentID: "env_" + strings.Repeat("e", 26), InvoiceID: "in_" + strings.Repeat("i", 26), Revision: 3,
	}
	link := key.Link("https://billing.example", of)
	token := strings.TrimPrefix(link, "https://billing.example/invoice/")
	require.Equal(t, strings.ToLower(token), token)

	named, code, ok := contract.ParseHosted(token)
	require.True(t, ok)
	require.Equal(t, [2]string{of.EnvironmentID, of.InvoiceID}, [2]string{named.EnvironmentID, named.InvoiceID})
	require.True(t, key.Opens(code, of))
	another, later := of, of
	another.InvoiceID = "in_" + strings.Repeat("j", 26)
	later.Revision++
	for name, opens := range map[string]bool{
		"another invoice": key.Opens(code, another), "a later link": key.Opens(code, later),
		"another key": other.Opens(code, of), "a part": key.Opens(code[1:], of), "nothing": key.Opens("", of),
		"more": key.Opens(code+"a", of), "no key": contract.LinkKey(nil).Opens(code, of),
	} {
		require.False(t, opens, name)
	}
	require.Empty(t, contract.LinkKey(nil).Link("", of))
	for _, no := range []string{"", token[1:], token + "a"} {
		_, _, ok := contract.ParseHosted(no)
		require.False(t, ok, no)
	}
}

func TestLinkKey_IsNotPrinted(t *testing.T) {
	t.Parallel()
	key := contract.LinkKey(strings.Repeat("k", 32))
	for _, verb := range []string{"%v", "%s", "%+v", "%#v"} {
		require.NotContains(t, fmt.Sprintf(verb, struct{ Key contract.LinkKey }{key}), "107", verb)
		require.NotContains(t, fmt.Sprintf(verb, key), "kk", verb)
	}
}
