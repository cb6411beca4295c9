package rig

import (
	"context"

	"perennial/internal/vault"
)

// acceptCallbacks gives the product the secret for verifying signatures.
func (r *Rig) acceptCallbacks(ctx context.Context) error {
	keys, err := vault.New(r.Stage.KEK)
	if err != nil {
		return err
	}
	sealed, err := r.Stage.SealWithSecret(keys, callbackSecret)
	if err != nil {
		return err
	}
	_, err = r.Ours.Pool.Exec(ctx, `insert into provider_credentials values ($1, $2, $3, $4, $5, now())
		on conflict (environment_id, provider_config_id, version) do nothing`,
		r.Stage.EnvironmentID, r.Stage.ConfigID, sealed.Version, sealed.Fields, sealed.Sealed)
	return err
}
