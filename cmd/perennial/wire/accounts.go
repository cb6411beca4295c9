package wire

import (
	"cmp"
	"time"

	"perennial/cmd/perennial/cli"
	"perennial/internal/config"
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/service/payments"
)

// VaultOf returns nil where PERENNIAL_KEK is not set: only some uses of a command need it.
func VaultOf(c config.Config) (*vault.Vault, error) {
	if !c.KEK.IsSet() {
		return nil, nil
	}
	return vault.New(c.KEK.Reveal())
}

// NeededVault is VaultOf for a command that does nothing without it; absent says why not.
func NeededVault(c config.Config, absent string) (*vault.Vault, error) {
	keys, err := VaultOf(c)
	if err == nil && keys == nil {
		err = cli.Usagef("PERENNIAL_KEK is not set%s", absent)
	}
	return keys, err
}

// GatewayOf opens accounts as the operator set providers up; keys may be nil where nothing stored is opened.
func GatewayOf(c config.Config, keys *vault.Vault) *gateway.Gateway {
	return gateway.New(gateway.Config{
		Vault: keys, Timeout: c.Stripe.Timeout, AllowedHosts: c.Providers.APIHosts,
		BaseURLs: map[string]string{
			"stripe": c.Stripe.APIURL, "adyen": c.Providers.AdyenURL, "pawapay": c.Providers.PawaPayURL,
			"flutterwave": c.Providers.FlutterwaveURL,
		},
		ReplayWindows: map[string]time.Duration{"stripe": c.Stripe.ReplayWindow},
	})
}

// CallbackURL returns the URL for a provider's callbacks about an account. PUBLIC_URL stands for the address where the
// setting is absent: the operator knows it, this program cannot.
func CallbackURL(c config.Config, provider, configID string) string {
	return cmp.Or(c.HTTP.PublicURL, "PUBLIC_URL") + payments.CallbackPath(provider, configID)
}
