package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/providers/all"
	"perennial/service/gateway"
	"perennial/service/payments"
	serviceusecase "perennial/service/usecase"
)

// PaymentProvider is an environment's account at a payment provider. Its credentials are never shown.
type PaymentProvider struct {
	ID               string   `json:"id" example:"pp_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Provider         string   `json:"provider" enum:"stripe,adyen,pawapay,flutterwave" example:"stripe"`
	Environment      string   `json:"environment" enum:"test,live" example:"test"`
	IsPrimary        bool     `json:"isPrimary" example:"true" doc:"Exactly one enabled configuration of an environment is the primary one. The others are backups."`
	Priority         int      `json:"priority" example:"100" doc:"The order of the backups: the lowest is the first."`
	ConnectionStatus string   `json:"connectionStatus" enum:"untested,active,failing,disabled" example:"active" doc:"failing: the last connection test failed, or the provider refuses the credentials of payments."`
	ErrorMessage     string   `json:"errorMessage,omitempty" example:"Stripe does not accept this secret key. Copy the current key from the Stripe dashboard." doc:"Why the connection is failing."`
	LastTestedAt     int64    `json:"lastTestedAt,omitempty" example:"1763640000" doc:"Unix seconds. The connection is tested when credentials are stored, on demand, and every day."`
	ChargingPausedAt int64    `json:"chargingPausedAt,omitempty" example:"1763640000" doc:"Unix seconds. Since then no new charge goes to the configuration; see pause-charging."`
	CredentialNames  []string `json:"credentialNames" example:"[\"secretKey\",\"webhookSecret\"]" doc:"Which credentials are stored. Their values are never returned."`
	CallbackURL      string   `json:"callbackUrl" example:"https://billing.example.com/callbacks/stripe/pp_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"Where the provider must send its callbacks; a path where the operator has set no PUBLIC_URL. Where a provider signs no callbacks, append / and the webhookSecret."`
	CallbackTypes    []string `json:"callbackTypes" doc:"The callbacks to switch on at the provider."`
	CreatedAt        int64    `json:"createdAt" example:"1763640000"`

	MaxRequestsPerSecond int     `json:"maxRequestsPerSecond,omitempty" example:"50" doc:"Bounds the requests to the provider. Absent: the provider's own limit, where it publishes one."`
	Breaker              Breaker `json:"breaker"`
}

// Breaker says whether an account takes payments. One that does not gets none, so that they go to the backup at once.
type Breaker struct {
	State       string `json:"state" enum:"closed,open,half_open" example:"closed" doc:"open: the account gets no payments. half_open: the next payment finds out whether it takes them again."`
	Failures    int    `json:"failures" doc:"Charges in a row that the provider did not take or did not answer."`
	OpenedAt    int64  `json:"openedAt,omitempty"`
	NextProbeAt int64  `json:"nextProbeAt,omitempty" doc:"When a payment finds out whether the account takes payments again."`
}

func (h *Handler) renderProvider(mode string, c db.ProviderConfig) PaymentProvider {
	status, problem := c.Status()
	out := PaymentProvider{
		ID: c.ID, Provider: c.Provider, Environment: mode, IsPrimary: c.Primary, Priority: c.Priority,
		ConnectionStatus: string(status), ErrorMessage: problem, LastTestedAt: view.Unix(c.LastTestedAt),
		ChargingPausedAt: view.Unix(c.ChargingPausedAt),
		CredentialNames:  append([]string{}, c.CredentialNames...), CallbackTypes: []string{},
		CallbackURL: h.publicURL + payments.CallbackPath(c.Provider, c.ID), CreatedAt: view.Unix(c.CreatedAt),
		MaxRequestsPerSecond: c.MaxRequestsPerSecond,
		Breaker: Breaker{
			State: string(c.Breaker.State(h.now())), Failures: c.Breaker.Failures, OpenedAt: view.Unix(c.Breaker.OpenedAt),
			NextProbeAt: view.Unix(c.Breaker.ProbeAt),
		},
	}
	if factory, known := all.Registry[c.Provider]; known {
		out.CallbackTypes = append(out.CallbackTypes, factory.CallbackTypes()...)
	}
	return out
}

func (h *Handler) madeProvider(c *httpkit.Call) func(db.ProviderConfig) httpkit.Made[PaymentProvider] {
	return func(config db.ProviderConfig) httpkit.Made[PaymentProvider] {
		return httpkit.Made[PaymentProvider]{Resource: h.renderProvider(string(c.Mode), config)}
	}
}

// ProviderCredentials has the credentials of all providers: each takes its own, and refuses the others.
type ProviderCredentials struct {
	PublicKey          string `json:"publicKey,omitempty" maxLength:"500" doc:"Stripe: publishable key (optional)."`
	SecretKey          string `json:"secretKey,omitempty" maxLength:"500" doc:"Stripe: secret key."`
	APIToken           string `json:"apiToken,omitempty" maxLength:"4000" doc:"pawaPay: API token."`
	APIURL             string `json:"apiUrl,omitempty" maxLength:"500" doc:"pawaPay: base address of the API. Only pawaPay's own hosts, and those that the operator allows."`
	APIKey             string `json:"apiKey,omitempty" maxLength:"1000" doc:"Adyen: API key."`
	MerchantAccount    string `json:"merchantAccount,omitempty" maxLength:"200" doc:"Adyen: merchant account."`
	LiveEndpointPrefix string `json:"liveEndpointPrefix,omitempty" maxLength:"200" doc:"Adyen: prefix of the live endpoint; live environments only."`
	ClientID           string `json:"clientId,omitempty" maxLength:"500" doc:"Flutterwave: client ID."`
	ClientSecret       string `json:"clientSecret,omitempty" maxLength:"500" doc:"Flutterwave: client secret."`
	WebhookSignature   string `json:"webhookSignature,omitempty" enum:"hmac,plain" doc:"Flutterwave: the form of its webhook signature. Default: hmac."`
	WebhookSecret      string `json:"webhookSecret,omitempty" maxLength:"500" doc:"Verifies the provider's callbacks. One that is replaced verifies them for 24 hours more."`
}

// given are the credentials that the request has.
func (p ProviderCredentials) given() gateway.Credentials {
	return gateway.Credentials{}.With(gateway.Credentials{
		"publicKey": p.PublicKey, "secretKey": p.SecretKey, "apiToken": p.APIToken, "apiUrl": p.APIURL,
		"apiKey": p.APIKey, "merchantAccount": p.MerchantAccount, "liveEndpointPrefix": p.LiveEndpointPrefix,
		"clientId": p.ClientID, "clientSecret": p.ClientSecret, "webhookSignature": p.WebhookSignature,
		"webhookSecret": p.WebhookSecret,
	})
}

// PaymentProviderForm adds an account.
type PaymentProviderForm struct {
	Provider    string `json:"provider" enum:"stripe,adyen,pawapay,flutterwave" example:"stripe"`
	Environment string `json:"environment,omitempty" enum:"test,live" example:"test" doc:"That of the API key. Default: that of the API key."`
	IsPrimary   bool   `json:"isPrimary,omitempty" doc:"true: it takes the place of the present primary configuration, which becomes a backup. The first of an environment is always the primary one."`
	Priority    *int   `json:"priority,omitempty" minimum:"0" maximum:"1000" doc:"The order of the backups: the lowest is the first. Default: 100."`
	ProviderCredentials
}

type createProviderInput struct {
	Body PaymentProviderForm
}

func (h *Handler) createProvider(
	ctx context.Context, c *httpkit.Call, in *createProviderInput,
) (*httpkit.Reply[PaymentProvider], error) {
	if in.Body.Environment != "" && in.Body.Environment != string(c.Mode) {
		return nil, fault.InvalidParam("environment", "environment_mismatch",
			"The API key belongs to the %s environment. Omit `environment`, or use a key of the other environment.", c.Mode)
	}
	form := payments.ProviderForm{
		Account: serviceusecase.Account{Provider: in.Body.Provider, Credentials: in.Body.given()},
		Primary: in.Body.IsPrimary, Priority: in.Body.Priority,
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, h.madeProvider(c),
		func(keep func(*db.Tx, db.ProviderConfig) error) error {
			_, err := h.service.CreateProvider(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) getProvider(
	_ context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[PaymentProvider], error) {
	return httpkit.OK(h.renderProvider(string(c.Mode), httpkit.Resource[db.ProviderConfig](c))), nil
}

// listProviders needs no pages: an environment has at most twenty.
func (h *Handler) listProviders(
	ctx context.Context, c *httpkit.Call, _ *struct{},
) (*httpkit.Reply[httpkit.List[PaymentProvider]], error) {
	rows, err := h.store.Payments.ProviderConfigs(ctx, c.EnvironmentID)
	return httpkit.ListOf(rows, false, err, func(config db.ProviderConfig) PaymentProvider {
		return h.renderProvider(string(c.Mode), config)
	})
}
