package webhooks

import (
	"context"
	"crypto/rand"

	"perennial/db"
	"perennial/internal/vault"
	"perennial/service/usecase"
	"perennial/webhooks"
)

// secret is a secret that signs deliveries; generated is the same text where we made it.
type secret struct{ text, generated string }

// chooseSecret takes the app's secret, or makes one.
func chooseSecret(given string) (secret, error) {
	if given != "" {
		return secret{text: given}, webhooks.CheckSecret(given)
	}
	made, err := webhooks.NewSecret(rand.Reader)
	return secret{made, made}, err
}

// sealSecret seals with the app's present keyset, under the endpoint's lock: the keyset that was read with the lock may
// be older than rotations of data keys that the lock waited for, and a later one drops its key.
func (s *Service) sealSecret(ctx context.Context, tx *db.Tx, e db.WebhookEndpoint, text string) ([]byte, error) {
	if s.vault == nil {
		return nil, usecase.ErrKEKMissing
	}
	app, err := tx.Tenancy.App(ctx, e.AppID)
	if err != nil {
		return nil, err
	}
	return s.vault.Seal(app.Keyset, vault.EndpointSecret(e.AppID, e.ID), []byte(text))
}

// Rotation replaces the secret of an endpoint.
type Rotation struct {
	Secret string // empty: one is generated
	// RevokePrevious ends the previous secret at once, because others may know it. Otherwise both sign for a day.
	RevokePrevious bool
}

// RotateWebhookSecret gives an endpoint a new secret. A secret that is still valid from an earlier rotation ends.
// Faults: webhook_endpoint_not_found, those of webhooks.CheckSecret.
func (s *Service) RotateWebhookSecret(
	ctx context.Context, by usecase.Caller, endpointID string, r Rotation, around usecase.Around[Endpoint],
) error {
	chosen, err := chooseSecret(r.Secret)
	if err != nil {
		return err
	}
	return s.onEndpoint(ctx, by, endpointID, around, func(tx *db.Tx, e *Endpoint) (db.EndpointChange, error) {
		sealed, err := s.sealSecret(ctx, tx, e.WebhookEndpoint, chosen.text)
		if err != nil {
			return unchanged, err
		}
		e.NewSecret = chosen.generated
		return noted(db.EndpointSecretRotated, e.Rotate(sealed, r.RevokePrevious, tx.Real)), nil
	})
}
