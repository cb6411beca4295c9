package main

import (
	"context"

	"perennial/internal/gateway"
	"perennial/internal/vault"
)

// acceptCallbacks gives the product the secret for verifying signatures.
func (r *rig) acceptCallbacks(ctx context.Context) error {
	keys, err := vault.New(r.stage.KEK)
	if err != nil {
		return err
	}
	field := vault.Field{AppID: r.stage.AppID, ConfigID: r.stage.ConfigID, Name: gateway.FieldWebhookSecret}
	sealed, err := keys.Seal(r.stage.Keyset, field, []byte(callbackSecret))
	if err != nil {
		return err
	}
	_, err = r.ours.pool.Exec(ctx, "update provider_configs set webhook_secret_sealed = $1 where id = $2", sealed,
		r.stage.ConfigID)
	return err
}
