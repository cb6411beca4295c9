package clocks

import (
	"context"
	"net/http"
	"strings"
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/testclock"
	"perennial/db"
	"perennial/internal/id"
)

// TestClock is a time of its own for test customers. Only customers that were created on it follow it; nothing moves a
// customer on or off a clock, whose history would else have two times.
type TestClock struct {
	ID        string   `json:"id" example:"clk_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Name      string   `json:"name,omitempty" example:"a year of renewals"`
	Status    string   `json:"status" enum:"ready,advancing" example:"ready"`
	Now       int64    `json:"now" example:"1763640000" doc:"The clock's time."`
	Target    int64    `json:"target,omitempty" doc:"The time to which the clock is advancing."`
	BlockedBy []string `json:"blockedBy,omitempty" doc:"Payments that were pending after 10 seconds of real time and stopped the last advance."`
	Notice    string   `json:"notice,omitempty" example:"The last advance stopped here: txn_01jcz6dyqx4w9s1c2k7v5h8m3n was pending after 10 seconds. Let its provider decide it, or cancel it, and advance again." doc:"Why the last advance ended before its target, for people. With blockedBy."`
	CreatedAt int64    `json:"createdAt" example:"1763640000"`
}

func renderTestClock(c testclock.Clock) TestClock {
	return TestClock{
		ID: c.ID, Name: c.Name, Status: string(c.Status), Now: view.Unix(c.NowAt), Target: view.Unix(c.TargetAt),
		BlockedBy: c.BlockedBy, Notice: noticeOf(c), CreatedAt: view.Unix(c.CreatedAt),
	}
}

// noticeOf returns why the last advance of a clock stopped; empty: it did not.
func noticeOf(c testclock.Clock) string {
	if len(c.BlockedBy) == 0 {
		return ""
	}
	return "The last advance stopped here: " + strings.Join(c.BlockedBy, ", ") + " was pending after 10 seconds. " +
		"Let its provider decide it, or cancel it, and advance again."
}

type createTestClockInput struct {
	Body *TestClockForm
}

// TestClockForm creates a clock, whose time changes only when it is advanced.
type TestClockForm struct {
	Name string `json:"name,omitempty" maxLength:"200" example:"a year of renewals"`
	Now  int64  `json:"now,omitempty" minimum:"946684800" maximum:"4102444799" example:"1763640000" doc:"The start time, in the years 2000 to 2099. Default: the real time."`
}

func (h *Handler) createTestClock(
	ctx context.Context, c *httpkit.Call, in *createTestClockInput,
) (*httpkit.Reply[TestClock], error) {
	var form TestClockForm
	if in.Body != nil {
		form = *in.Body
	}
	var at time.Time
	if form.Now != 0 {
		at = time.Unix(form.Now, 0).UTC()
	}
	made := func(clock testclock.Clock) httpkit.Made[TestClock] {
		return httpkit.Made[TestClock]{Resource: renderTestClock(clock)}
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, made, func(keep func(*db.Tx, testclock.Clock) error) error {
		_, err := h.service.CreateTestClock(ctx, usecase.Caller(c), form.Name, at, keep)
		return err
	})
}

func (h *Handler) getTestClock(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[TestClock], error) {
	return httpkit.OK(renderTestClock(httpkit.Resource[testclock.Clock](c))), nil
}

func (h *Handler) listTestClocks(
	ctx context.Context, c *httpkit.Call, in *listTestClocksInput,
) (*httpkit.Reply[httpkit.List[TestClock]], error) {
	page, err := in.DB(id.TestClock)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Clocks.List(ctx, c.EnvironmentID, page)
	return httpkit.ListOf(rows, more, err, renderTestClock)
}

type listTestClocksInput struct {
	httpkit.Page
}

type advanceInput struct {
	httpkit.ByID
	Body AdvanceForm
}

// AdvanceForm moves a clock.
type AdvanceForm struct {
	To int64 `json:"to" minimum:"946684800" maximum:"4102444799" example:"1766232000" doc:"The new time: later than the clock's time by at most ten years, and before the year 2100."`
}

// advanceTestClock responds as soon as the clock has begun to move, or with Prefer: wait once it has arrived.
func (h *Handler) advanceTestClock(
	ctx context.Context, c *httpkit.Call, in *advanceInput,
) (*httpkit.Reply[TestClock], error) {
	if err := usecase.Caller(c).TestModeOnly(""); err != nil {
		return nil, err
	}
	to := time.Unix(in.Body.To, 0).UTC()
	return h.onTestClock(ctx, c, func(clockID string, around usecase.Around[testclock.Clock]) error {
		return h.service.AdvanceTestClock(ctx, usecase.Caller(c), clockID, to, around)
	})
}

// stopTestClock ends an advance where the clock stands.
func (h *Handler) stopTestClock(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[TestClock], error) {
	return h.onTestClock(ctx, c, func(clockID string, around usecase.Around[testclock.Clock]) error {
		return h.service.StopTestClock(ctx, usecase.Caller(c), clockID, around)
	})
}

// deleteTestClock deletes the clock with its customers.
func (h *Handler) deleteTestClock(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[view.Deleted], error) {
	clockID := httpkit.Resource[testclock.Clock](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusOK,
		func(clock testclock.Clock) httpkit.Made[view.Deleted] {
			return httpkit.Made[view.Deleted]{Resource: view.Deleted{ID: clock.ID, Deleted: true}}
		},
		func(around usecase.Around[testclock.Clock]) error {
			return h.service.DeleteTestClock(ctx, usecase.Caller(c), clockID, around)
		})
}

// testClockWithKey finds clocks that are not deleted. A deleted clock keeps its row until the erasure of its customers
// has finished; to the API it is gone at once.
func (h *Handler) testClockWithKey(
	ctx context.Context, hash []byte, clockID string,
) (db.APIKey, testclock.Clock, error) {
	key, found, err := h.store.Clocks.GetWithKey(ctx, hash, clockID)
	if err == nil && !found.DeletedAt.IsZero() {
		err = httpkit.NotFound(db.ErrTestClockNotFound)
	}
	return key, found, err
}

// onTestClock performs a command on a clock and responds at once, or with Prefer: wait once the clock is ready.
func (h *Handler) onTestClock(
	ctx context.Context, c *httpkit.Call, perform func(clockID string, around usecase.Around[testclock.Clock]) error,
) (*httpkit.Reply[TestClock], error) {
	clockID := httpkit.Resource[testclock.Clock](c).ID
	out, err := usecase.Command(ctx, h.kit, c, http.StatusOK,
		func(clock testclock.Clock) httpkit.Made[TestClock] {
			return httpkit.Made[TestClock]{Resource: renderTestClock(clock)}
		},
		func(around usecase.Around[testclock.Clock]) error { return perform(clockID, around) })
	if err != nil {
		return nil, err
	}
	return httpkit.Await(ctx, h.kit, c, out, db.AwaitedTestClock(c.EnvironmentID, clockID),
		func(ctx context.Context) (TestClock, bool, error) {
			clock, err := h.store.Clocks.Get(ctx, c.EnvironmentID, clockID)
			// Ready also where a payment stopped the advance: blockedBy names it then, and now is short of the target.
			return renderTestClock(clock), clock.Status == testclock.Ready, err
		}), nil
}

func (h *Handler) testClockOperations() {
	example := TestClock{
		ID: "clk_01jcz6dyqx4w9s1c2k7v5h8m3n", Name: "a year of renewals", Status: "ready", Now: 1763640000,
		CreatedAt: 1763640000,
	}
	moved := example
	moved.Now = 1766232000
	load := httpkit.LoadByID(h.kit, id.TestClock, db.ErrTestClockNotFound, h.testClockWithKey)
	// A repeat must find a deleted clock too: its stored answer comes before a refusal.
	loadAny := httpkit.LoadByID(h.kit, id.TestClock, db.ErrTestClockNotFound, h.store.Clocks.GetWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createTestClock", Method: http.MethodPost, Path: "/test-clocks", Tag: "Test clocks",
		Summary: "Create a test clock",
		Description: "Customers on a clock use its time: trials, renewals and retries happen when the clock reaches " +
			"them. Test environments only.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: example,
		Request: TestClockForm{Name: example.Name, Now: example.Now},
	}, h.createTestClock)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getTestClock", Method: http.MethodGet, Path: "/test-clocks/{id}", Tag: "Test clocks",
		Summary: "Get a test clock", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getTestClock)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listTestClocks", Method: http.MethodGet, Path: "/test-clocks", Tag: "Test clocks",
		Summary: "List test clocks", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[TestClock]{Data: []TestClock{example}},
	}, h.listTestClocks)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "advanceTestClock", Method: http.MethodPost, Path: "/test-clocks/{id}/advance", Tag: "Test clocks",
		Summary: "Advance a test clock",
		Description: "Performs all work that becomes due, in order and at its own time. Prefer: wait=N waits up to " +
			"N seconds (at most 30) until the clock is ready. Without it, poll the clock until it is ready.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: loadAny, Waits: true, Response: moved,
		Request: AdvanceForm{To: moved.Now},
	}, h.advanceTestClock)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "stopTestClock", Method: http.MethodPost, Path: "/test-clocks/{id}/stop", Tag: "Test clocks",
		Summary: "Stop a test clock",
		Description: "Stops an advance at the current time of the clock, after the work that is due then. Has no " +
			"effect on a clock that is ready. Prefer: wait=N waits up to N seconds (at most 30) until the clock is " +
			"ready.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: loadAny, Waits: true, Response: example,
	}, h.stopTestClock)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "deleteTestClock", Method: http.MethodDelete, Path: "/test-clocks/{id}", Tag: "Test clocks",
		Summary: "Delete a test clock",
		Description: "Deletes the clock and stops its advance. Its customers are deleted with it, within moments after " +
			"the response: their subscriptions are canceled and their data are erased.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: loadAny,
		Response: view.Deleted{ID: example.ID, Deleted: true},
	}, h.deleteTestClock)
}
