package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
)

func TestSaveCredentials_AddsVersionAndDropsWhatServesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.pool.Exec(t.Context(),
		"update provider_configs set secret_key_sealed = 'former' where id = $1", b.provider)
	require.NoError(t, err)
	save := func(version int, age time.Duration) {
		t.Helper()
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			c, err := tx.Payments.ProviderConfigOf(ctx, b.env, b.provider)
			require.NoError(t, err)
			c, err = tx.Payments.LockCredentials(ctx, c)
			require.NoError(t, err)
			require.Equal(t, version-1, c.Credentials[0].Version)
			next := db.SealedCredentials{Version: version, Fields: []string{"secretKey"}, Sealed: []byte{byte(version)}}
			require.NoError(t, tx.Payments.SaveCredentials(ctx, b.env, b.provider, next, []string{"secretKey"}))
		})
		_, err := b.pool.Exec(t.Context(),
			"update provider_credentials set created_at = created_at - $1::interval where version = $2", age, version)
		require.NoError(t, err)
	}
	versions := func() (found []int) {
		c, err := b.store.Payments.ProviderConfigByID(t.Context(), b.provider)
		require.NoError(t, err)
		require.Zero(t, c.Former, "an older build must not go on with what was replaced")
		for _, v := range c.Credentials {
			found = append(found, v.Version)
		}
		return found
	}
	save(2, time.Hour)
	require.Equal(t, []int{2, 1}, versions(), "version 1 was replaced an hour ago and still verifies")
	save(3, 25*time.Hour)
	require.Equal(t, []int{3, 2, 1}, versions())
	save(4, 0)
	require.Equal(t, []int{4, 3}, versions(), "what was replaced a day ago serves nothing")
	names, err := b.store.Payments.CredentialNames(t.Context(), b.env, b.provider)
	require.NoError(t, err)
	require.Equal(t, []string{"secretKey"}, names)
	_, err = b.store.Payments.CredentialNames(t.Context(), "env_other", b.provider)
	require.Equal(t, db.ErrProviderConfigNotFound, err)
}
