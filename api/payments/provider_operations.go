package payments

import (
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/internal/id"
)

func (h *Handler) providerOperations() {
	example := PaymentProvider{
		ID: "pp_01jcz6dyqx4w9s1c2k7v5h8m3n", Provider: "stripe", Environment: "test", IsPrimary: true, Priority: 100,
		ConnectionStatus: "active", LastTestedAt: 1763640000, CredentialNames: []string{"secretKey", "webhookSecret"},
		CallbackURL:   "https://billing.example.com/callbacks/stripe/pp_01jcz6dyqx4w9s1c2k7v5h8m3n",
		CallbackTypes: []string{"payment_intent.succeeded", "payment_intent.payment_failed"}, CreatedAt: 1763640000,
		Breaker: Breaker{State: string(routing.Closed)},
	}
	failing, disabled, paused := example, example, example
	paused.ChargingPausedAt = 1763640000
	failing.ConnectionStatus = "failing"
	failing.ErrorMessage = "Stripe does not accept this secret key. Copy the current key from the Stripe dashboard."
	disabled.ConnectionStatus, disabled.IsPrimary = "disabled", false
	load := httpkit.LoadByID(h.kit, id.ProviderConfig, db.ErrProviderConfigNotFound,
		h.store.Payments.ProviderConfigWithKey)
	primary := true
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createPaymentProvider", Method: http.MethodPost, Path: "/payment-providers", Tag: "Payment providers",
		Summary: "Add a payment provider",
		Description: "The credentials are encrypted, and never returned. The connection is tested: where the test fails, the " +
			"configuration is created all the same, with `connectionStatus` failing and an `errorMessage`. Give the provider the " +
			"`callbackUrl`, and switch on the `callbackTypes` there. At most 20 configurations per environment.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: example,
		Request: PaymentProviderForm{
			Provider: "stripe", Environment: "test", IsPrimary: true,
			ProviderCredentials: ProviderCredentials{SecretKey: "sk_test_yours", WebhookSecret: "whsec_yours"},
		},
	}, h.createProvider)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getPaymentProvider", Method: http.MethodGet, Path: "/payment-providers/{id}", Tag: "Payment providers",
		Summary: "Get a payment provider", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getProvider)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listPaymentProviders", Method: http.MethodGet, Path: "/payment-providers", Tag: "Payment providers",
		Summary: "List payment providers", Description: "All of the environment, without the deleted ones.",
		Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[PaymentProvider]{Data: []PaymentProvider{example}},
	}, h.listProviders)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updatePaymentProvider", Method: http.MethodPatch, Path: "/payment-providers/{id}", Tag: "Payment providers",
		Summary: "Update a payment provider",
		Description: "Credentials that are sent replace those of the same name, and the connection is tested. The id and the " +
			"callback address stay; pending payments use the new credentials with their next request to the provider.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Request: PaymentProviderChange{IsPrimary: &primary},
		Response: example,
	}, h.updateProvider)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "deletePaymentProvider", Method: http.MethodDelete, Path: "/payment-providers/{id}", Tag: "Payment providers",
		Summary: "Delete a payment provider",
		Description: "Refused while payments of the configuration are pending, and for the primary one of several. Its payments " +
			"stay readable. The credentials stay encrypted for refunds of these payments: revoke them at the provider.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: view.Deleted{ID: example.ID, Deleted: true},
	}, h.deleteProvider)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "testPaymentProvider", Method: http.MethodPost, Path: "/payment-providers/{id}/test", Tag: "Payment providers",
		Summary:     "Test the connection",
		Description: "Asks the provider whether it takes the stored credentials. Moves no money.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: failing,
	}, h.testProvider)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "disablePaymentProvider", Method: http.MethodPost, Path: "/payment-providers/{id}/disable",
		Tag: "Payment providers", Summary: "Disable a payment provider",
		Description: "No new charge goes to it. Pending payments go on, and refunds go through it. No effect on a disabled one.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: disabled,
	}, h.disableProvider)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "enablePaymentProvider", Method: http.MethodPost, Path: "/payment-providers/{id}/enable",
		Tag: "Payment providers", Summary: "Enable a payment provider",
		Description: "It becomes the primary one where there is none. No effect on an enabled one.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: example,
	}, h.enableProvider)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "pausePaymentProvider", Method: http.MethodPost, Path: "/payment-providers/{id}/pause-charging",
		Tag: "Payment providers", Summary: "Pause charging through a payment provider",
		Description: "No new charge goes to it: where no other can take a payment, it stays pending with `hold` charging_paused, " +
			"and uses up no retry. What was sent goes on: look-ups, repeats, cancellations and refunds. No effect where it is paused.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: paused,
	}, h.pauseProvider)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "resumePaymentProvider", Method: http.MethodPost, Path: "/payment-providers/{id}/resume-charging",
		Tag: "Payment providers", Summary: "Resume charging through a payment provider",
		Description: "Payments that waited for it are sent, the first within seconds. No effect where it is not paused.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: example,
	}, h.resumeProvider)
}
