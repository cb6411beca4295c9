package core_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
)

func (r rig) outageOf(t *testing.T, body string) int {
	t.Helper()
	return r.do(t, http.MethodPut, "/_simulator/outage", "", body).Status
}

func TestOutage_PerformsNothing(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	for mode, status := range map[string]int{"500": 500, "429": 429} {
		require.Equal(t, 200, r.outageOf(t, `{"mode":"`+mode+`","for":"5s"}`))
		require.Equal(t, status, r.charge(t, "pm_card_visa", "key-1").Status)
		require.Equal(t, 200, r.do(t, http.MethodGet, "/_simulator/health", "", "").Status)
		r.Clock.Advance(5 * time.Second)
		require.Equal(t, 200, r.do(t, http.MethodGet, "/v1/balance", "", "").Status)
	}
	require.Zero(t, r.captures())
	require.Equal(t, 200, r.charge(t, "pm_card_visa", "key-1").Status, "no key was remembered")
	require.Equal(t, 200, r.outageOf(t, `{"mode":"500"}`))
	require.Equal(t, 500, r.charge(t, "pm_card_visa", "").Status)
	require.Equal(t, 200, r.outageOf(t, `{"mode":""}`))
	require.Equal(t, 200, r.charge(t, "pm_card_visa", "").Status)
	for _, bad := range []string{
		`{"mode":"flood"}`, `{"mode":"500","for":"soon"}`, `{"mode":"refuse"}`, `{"mode":"500","for":"-1s"}`,
	} {
		require.Equal(t, 400, r.outageOf(t, bad), bad)
	}
}

func TestOutage_RefusedConnection(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	r.charge(t, "pm_card_visa", "key-1")
	kept := &http.Client{Transport: &http.Transport{}}
	probe, err := kept.Get(r.URL + "/v1/balance")
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, probe.Body)
	require.NoError(t, err)
	require.NoError(t, probe.Body.Close())
	require.Equal(t, 200, r.outageOf(t, `{"mode":"refuse","for":"1h"}`))
	require.Eventually(t, func() bool {
		return r.Connections() == 0
	}, 30*time.Second, time.Millisecond, "kept connections must not survive")
	require.Eventually(t, func() bool { // a connection that was being set up while the port closed is reset
		res, err := http.Get(r.URL + "/v1/balance")
		if err == nil {
			_ = res.Body.Close()
		}
		require.Error(t, err)
		return errors.Is(err, syscall.ECONNREFUSED)
	}, 30*time.Second, time.Millisecond)
	r.EndOutage()
	require.Eventually(t, func() bool {
		probe, err := http.Get(r.URL + "/v1/balance")
		return err == nil && probe.Body.Close() == nil
	}, 30*time.Second, 5*time.Millisecond)
	require.Equal(t, 200, r.charge(t, "pm_card_visa", "key-2").Status)
	require.Equal(t, 2, r.captures())
}

func TestOutage_EndsByItself(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir()+"/ledger.jsonl", func(c *core.Config) { c.Now = time.Now })
	require.Equal(t, 200, r.outageOf(t, `{"mode":"refuse","for":"20ms"}`))
	require.Eventually(t, func() bool {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL+"/v1/balance", nil)
		req.Header.Set("Authorization", "Bearer sk_test_1")
		res, err := http.DefaultClient.Do(req)
		return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
	}, 30*time.Second, 5*time.Millisecond)
}

func TestOutage_HangEndsWithClient(t *testing.T) {
	t.Parallel()
	r := fresh(t)
	require.Equal(t, 200, r.outageOf(t, `{"mode":"hang"}`))
	ctx, giveUp := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, giveUp)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+"/v1/payment_intents",
		strings.NewReader(chargeForm("pm_card_visa").Encode()))
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		_ = res.Body.Close()
	}
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 200, r.outageOf(t, `{"mode":""}`))
	require.Zero(t, r.captures())
}

func TestOutage_HangIsBounded(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir()+"/ledger.jsonl", func(c *core.Config) { c.HangFor = time.Millisecond })
	for token, captures := range map[string]int{"pm_sim_hang_dropped": 0, "pm_sim_hang": 1} {
		before := r.captures()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/v1/payment_intents",
			strings.NewReader(chargeForm(token).Encode()))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer sk_test_1")
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = res.Body.Close()
		}
		require.Error(t, err, token)
		require.Equal(t, before+captures, r.captures(), token)
	}
}
