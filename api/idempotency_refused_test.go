package api

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/fault"
	"perennial/db"
)

// If changes since the first request lead to the refusal of a repeat before it meets the row of the first, the repeat
// still gets the answer of the first.
func TestIdempotency_RepeatIsRefusedBeforeItsFirstRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	performed := false
	made := func(id string) httpkit.Made[view.Deleted] {
		return httpkit.Made[view.Deleted]{Resource: view.Deleted{ID: id, Deleted: true}}
	}
	httpkit.Register(b.Server.kit, httpkit.Operation{
		Name: "probe", Method: http.MethodPost, Path: "/probe", Tag: "Plans", Summary: "Probe", Status: http.StatusOK,
		Access: httpkit.WriteAccess, Response: view.Deleted{ID: "x"},
	}, func(ctx context.Context, c *httpkit.Call, _ *struct{}) (*httpkit.Reply[view.Deleted], error) {
		return httpkit.Command(ctx, b.Server.kit, c, http.StatusOK, made,
			func(before func(*db.Tx) error, keep func(*db.Tx, string) error) error {
				if performed {
					return fault.New(fault.Conflict, "too_late", "It is too late by now.")
				}
				performed = true
				return b.deps.Store.InTx(ctx, c.Actor(), b.clock(), func(tx *db.Tx) error {
					tx.AuditNothing("a test")
					return errors.Join(before(tx), keep(tx, "x"))
				})
			})
	})

	first := b.ask(t, b.test, "POST", "/api/probe", nil, "Idempotency-Key", "k")
	repeat := b.ask(t, b.test, "POST", "/api/probe", nil, "Idempotency-Key", "k")

	require.Equal(t, "x", as[view.Deleted](t, 200, first).ID)
	require.Equal(t, string(first.Body), string(repeat.Body))
	require.Equal(t, "true", repeat.Header.Get("Idempotent-Replayed"))
}
