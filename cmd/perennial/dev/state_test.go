package dev

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/vault"
)

func TestDev_KeepsState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dev.env")
	first, err := loadState(path)
	require.NoError(t, err)
	_, err = vault.New(first.kek)
	require.NoError(t, err)
	require.Empty(t, first.apiKey)

	first.apiKey, first.webhookSecret = "sk_test_x", "whsec_x"
	require.NoError(t, first.save())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it opens credentials")

	second, err := loadState(path)
	require.NoError(t, err)
	require.Equal(t, first, second)
}
