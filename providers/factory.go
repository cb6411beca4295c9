package providers

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/paymethod"
)

// Factory opens the adapters of one kind of provider, and has the facts that hold for all its accounts.
type Factory interface {
	// Name is the identifier of the provider in the API ("stripe").
	Name() string
	// Fields are the credentials of an account, in the order in which a form shows them.
	Fields() []Field
	// CallbackTypes are the names of the callbacks to switch on at the provider.
	CallbackTypes() []string
	// ReturnParameters are the names of the parameters that the payer's browser brings back to ChargeRequest.ReturnURL
	// and that CompleteCharge needs; none: the provider completes charges itself. Other parameters are not kept.
	ReturnParameters() []string
	// Limits returns the limits of charges in a currency. Charge must not refuse an amount that they allow.
	Limits(currency money.Currency) Limits
	// Supports returns the support of a payment method, as far as it is known without asking the provider.
	Supports(method Method) paymethod.Support
	// Open checks an account without any network, and makes its adapter. Faults: provider_credentials_invalid,
	// provider_environment_mismatch, provider_config_invalid (Invalid).
	Open(account Account) (Provider, error)
}

// TakesWallets is implemented by factories of providers that take mobile money.
type TakesWallets interface {
	// WalletCurrencies are the currencies in which an account may take it, sorted.
	WalletCurrencies() []money.Currency
}

// Field is one credential.
type Field struct {
	Name     string // as the API calls it ("secretKey")
	Title    string // as the provider's dashboard calls it
	Secret   bool   // never shown again; public ones (a merchant account, an address) are
	Optional bool
	LiveOnly bool // required in live environments, refused in test ones
}

// Account is one account in one mode.
type Account struct {
	Live        bool
	Credentials map[string]string // by the names of Fields
	// BaseURL replaces the provider's addresses, all of them: the operator's setting, for a simulator. Empty: the
	// provider's own.
	BaseURL string
	// AllowedHosts are further hosts that a credential may name, in addition to the provider's own, by the operator's
	// choice.
	AllowedHosts []string
	ReplayWindow time.Duration     // replaces the adapter's own; zero: keeps it
	Timeout      time.Duration     // of one exchange, from dialling to the last byte; zero: the adapter's own
	Transport    http.RoundTripper // nil: the adapter's own
}

// Registry holds the factories by name.
type Registry map[string]Factory

// NewRegistry makes a registry.
func NewRegistry(factories ...Factory) Registry {
	r := make(Registry, len(factories))
	for _, f := range factories {
		r[f.Name()] = f
	}
	return r
}

// Names returns the names of the providers, sorted.
func (r Registry) Names() []string { return slices.Sorted(maps.Keys(r)) }

// Factory returns the factory of a name. Faults: provider_unknown (Invalid).
func (r Registry) Factory(name string) (Factory, error) {
	f, ok := r[name]
	if !ok {
		return nil, fault.InvalidParam("provider", "provider_unknown",
			"There is no payment provider %q. Use one of %v.", name, r.Names())
	}
	return f, nil
}

// Limits returns the limits of charges in a currency at a provider; there are none for an unregistered one.
func (r Registry) Limits(name string, currency money.Currency) Limits {
	if f, ok := r[name]; ok {
		return f.Limits(currency)
	}
	return Limits{}
}
