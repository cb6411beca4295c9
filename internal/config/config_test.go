package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/vault"
)

func env(pairs map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := pairs[name]
		return v, ok
	}
}

func complete() map[string]string {
	return map[string]string{
		"DATABASE_URL":     "postgres://u:p4ss@localhost/perennial",
		"TEMPORAL_ADDRESS": "127.0.0.1:7233",
		"PERENNIAL_KEK":    vault.NewKEK(),
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := Load(env(complete()), API, Worker, Serve, Doctor, Migrate, Key, Simulator)
	require.NoError(t, err)
	require.Equal(t, "postgres://u:p4ss@localhost/perennial", c.Database.URL.Reveal())
	require.Equal(t, "perennial", c.Temporal.Namespace)
	require.Equal(t, "127.0.0.1:8080", c.HTTP.ListenAddress)
	require.Equal(t, 20*time.Hour, c.Stripe.ReplayWindow)
	require.Equal(t, "https://api.stripe.com", c.Stripe.APIURL)
	require.False(t, c.Temporal.TLS)
	require.NotEmpty(t, c.BuildID, "workers are versioned also where nobody named the build")
}

func TestRead_ReportsEveryFault(t *testing.T) {
	t.Parallel()
	_, err := Load(env(map[string]string{
		"DATABASE_URL":         "mysql://u:p4ss@localhost/x",
		"LISTEN_ADDRESS":       "8080",
		"DATABASE_POOL_API":    "many",
		"STRIPE_REPLAY_WINDOW": "25h",
		"PERENNIAL_KEK":        "hunter2",
		"LOG_LEVEL":            "loud",
		"TEMPORAL_TLS_CERT":    "/c.pem",
		"API_TLS_KEY":          "/k.pem",

		"SIMULATOR_CALLBACK_URL": "http://127.0.0.1:8080/callbacks/pp_1",
	}), API)
	var faults Faults
	require.ErrorAs(t, err, &faults)
	var named []string
	for _, f := range faults {
		named = append(named, f.Variable)
		require.NotEmpty(t, f.Problem)
		require.NotEmpty(t, f.Fix)
	}
	require.Equal(t, []string{
		"DATABASE_URL", "DATABASE_POOL_API", "TEMPORAL_ADDRESS", "LISTEN_ADDRESS", "LOG_LEVEL", "PERENNIAL_KEK",
		"STRIPE_REPLAY_WINDOW", "TEMPORAL_TLS_CERT", "API_TLS_CERT", "SIMULATOR_CALLBACK_URL",
	}, named)
	require.NotContains(t, err.Error(), "p4ss")
	require.NotContains(t, err.Error(), "hunter2")
	require.Contains(t, err.Error(), `LISTEN_ADDRESS is "8080", which is not host:port`)
	require.Contains(t, err.Error(),
		"TEMPORAL_ADDRESS is not set, and `api`, `worker`, `serve`, `doctor`, `build` and `payment` cannot run without it")
}

func TestRead_OnlyOwnVariablesOfCommand(t *testing.T) {
	t.Parallel()
	_, err := Load(env(nil), Simulator)
	require.NoError(t, err)
	_, err = Load(env(nil))
	require.NoError(t, err, "dev brings everything itself")
	_, err = Load(env(map[string]string{"DATABASE_URL": "postgres://localhost/x"}), Migrate)
	require.NoError(t, err)
	_, err = Load(env(map[string]string{"DATABASE_URL": " "}), Migrate)
	require.ErrorContains(t, err, "DATABASE_URL is not set", "an empty value counts as absent")
}

func TestRead_RefusesUnusableValues(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"DATABASE_URL":            {"://", "localhost:5432", "postgres:///x"},
		"TEMPORAL_ADDRESS":        {"temporal", "temporal:http", "temporal:70000"},
		"TEMPORAL_NAMESPACE":      {"my namespace"},
		"TEMPORAL_TLS":            {"perhaps"},
		"PUBLIC_URL":              {"example.com", "ftp://example.com"},
		"API_DRAIN_TIMEOUT":       {"20", "-1s", "1h"},
		"WORKER_WORKFLOW_SLOTS":   {"1", "x", "100000"},
		"PERENNIAL_BUILD_ID":      {"a b"},
		"PERENNIAL_KEK":           {"kek_short"},
		"WORKER_POLLERS":          {"1"},
		"TRUSTED_PROXIES":         {"10.0.0.1", "10.0.0.0/8,all"},
		"WORKER_CACHED_WORKFLOWS": {"-1"},
		"STRIPE_TIMEOUT":          {"0s", "41s"}, // a worker could not record what came of a longer one
	} {
		for _, value := range values {
			_, err := Load(env(map[string]string{name: value}))
			var faults Faults
			require.ErrorAs(t, err, &faults, "%s=%s", name, value)
			require.Len(t, faults, 1)
			require.Equal(t, name, faults[0].Variable)
		}
	}
}

func TestRead_CloudSwitchesTLSOn(t *testing.T) {
	t.Parallel()
	for _, extra := range []map[string]string{
		{"TEMPORAL_API_KEY": "k"},
		{"TEMPORAL_TLS_CERT": "/c", "TEMPORAL_TLS_KEY": "/k"},
		{"TEMPORAL_TLS": "true"},
	} {
		all := complete()
		maps.Copy(all, extra)
		c, err := Load(env(all), API)
		require.NoError(t, err)
		require.True(t, c.Temporal.TLS, extra)
	}
}

func TestSecret_IsNotPrinted(t *testing.T) {
	t.Parallel()
	c := Config{KEK: NewSecret("hunter2")}
	asJSON, err := json.Marshal(c)
	require.NoError(t, err)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", c.KEK, "config", c)
	for _, shown := range []string{
		fmt.Sprint(c), fmt.Sprintf("%v %+v %#v %s %q %x %d", c, c, c, c.KEK, c.KEK, c.KEK, c.KEK), string(asJSON),
		log.String(),
	} {
		require.NotContains(t, shown, "hunter2")
		require.NotContains(t, shown, "68756e74657232", "nor in hexadecimal")
		require.Contains(t, shown, hidden)
	}
	require.Equal(t, "hunter2", c.KEK.Reveal())
	require.Empty(t, fmt.Sprint(Secret{}), "an absent secret looks absent")
}

func TestTable_IsComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, v := range Variables() {
		require.False(t, seen[v.Name], "%s is declared twice", v.Name)
		seen[v.Name] = true
		require.NotNil(t, v.set, v.Name)
		require.NotEmpty(t, v.Example, v.Name)
		require.True(t, strings.HasSuffix(v.Meaning, "."), v.Name)
		require.False(t, strings.HasSuffix(v.Fix, "."), v.Name)
		require.True(t, v.Default == "" || len(v.RequiredBy) == 0, "%s has a default, so nobody can miss it", v.Name)
		if v.Default != "" {
			require.Empty(t, v.set(&Config{}, v.Default), "%s refuses its own default", v.Name)
		}
		if !v.Secret {
			require.Empty(t, v.set(&Config{}, v.Example), "%s refuses its own example", v.Name)
		}
		require.Contains(t, Markdown(), "`"+v.Name+"`")
	}
}
