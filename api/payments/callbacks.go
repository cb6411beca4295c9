package payments

import (
	"context"
	"net/http"

	"github.com/gorilla/mux"

	"perennial/api/httpkit"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/telemetry"
	"perennial/providers"
)

// ProviderOf makes the adapter of a provider configuration, which can verify its callbacks. Credentials are opened by
// the caller: api never sees a key-encryption key.
type ProviderOf func(ctx context.Context, config db.ProviderConfig) (providers.Provider, error)

// callback receives a provider's message. It is verified over its raw body, stored, and only then acknowledged.
func (h *Handler) callback(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	ack, err := h.receive(ctx, w, r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", ack.ContentType)
	_, _ = w.Write([]byte(ack.Body)) // the provider repeats itself if this does not arrive
	return nil
}

func (h *Handler) receive(
	ctx context.Context, w http.ResponseWriter, r *http.Request,
) (providers.Acknowledgement, error) {
	var none providers.Acknowledgement
	// The path names the configuration, and with it the secret to verify with: a provider sends no API key. Anyone may
	// call this address, so nothing is stored before ParseCallback has verified the signature.
	named := mux.Vars(r)
	config, err := h.configOf(ctx, named["provider"], named["id"])
	if err != nil {
		return none, err
	}
	telemetry.RequestFrom(ctx).EnvironmentID = config.EnvironmentID
	// Raw, because the signature is over these bytes: JSON that was decoded and encoded again would not verify.
	payload, err := httpkit.ReadRaw(w, r)
	if err != nil {
		return none, err
	}
	provider, err := h.providerOf(ctx, config)
	if err != nil {
		return none, err
	}
	messages, ack, err := provider.ParseCallback(ctx, providers.CallbackRequest{
		Method: r.Method, Host: r.Host, Path: r.URL.EscapedPath(), Header: r.Header, Body: payload,
	}, h.now())
	if err != nil {
		return none, err
	}
	// A repeat after a failure in the middle stores the rest: a message that is stored already is kept once.
	for _, message := range messages {
		if err := h.service.ReceiveCallback(ctx, config, message); err != nil {
			return none, err
		}
	}
	return ack, nil
}

// configOf finds the configuration that a path names. Another provider's name than its own is a wrong address.
func (h *Handler) configOf(ctx context.Context, provider, configID string) (db.ProviderConfig, error) {
	if !id.Is(id.ProviderConfig, configID) {
		return db.ProviderConfig{}, httpkit.NotFound(db.ErrProviderConfigNotFound)
	}
	config, err := h.store.Payments.ProviderConfigByID(ctx, configID)
	if err == nil && provider != "" && provider != config.Provider {
		return db.ProviderConfig{}, httpkit.NotFound(db.ErrProviderConfigNotFound)
	}
	return config, err
}
