package api

import (
	"context"
	"net/http"
	"time"

	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
)

// TestClock is a time of its own for test customers.
type TestClock struct {
	ID        string   `json:"id" example:"clk_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Name      string   `json:"name,omitempty" example:"a year of renewals"`
	Status    string   `json:"status" enum:"ready,advancing" example:"ready"`
	Now       int64    `json:"now" example:"1763640000" doc:"The clock's time."`
	Target    int64    `json:"target,omitempty" doc:"Where it is advancing to."`
	BlockedBy []string `json:"blockedBy,omitempty" doc:"Payments that were still pending after 10 seconds of real time and so ended the last advance early."`
	CreatedAt int64    `json:"createdAt" example:"1763640000"`
}

func renderTestClock(c db.TestClock) TestClock {
	return TestClock{
		ID: c.ID, Name: c.Name, Status: c.Status, Now: unix(c.NowAt), Target: unix(c.TargetAt), BlockedBy: c.BlockedBy,
		CreatedAt: unix(c.CreatedAt),
	}
}

type createTestClockInput struct {
	Body *TestClockForm
}

// TestClockForm creates a clock that stands still until it is advanced.
type TestClockForm struct {
	Name string `json:"name,omitempty" maxLength:"200" example:"a year of renewals"`
	Now  int64  `json:"now,omitempty" minimum:"946684800" maximum:"4102444799" example:"1763640000" doc:"Where it starts, in the years 2000 to 2099; the real time if left out."`
}

func (s *Server) createTestClock(ctx context.Context, c *call, in *createTestClockInput) (*reply[TestClock], error) {
	if err := testModeOnly(c, ""); err != nil {
		return nil, err
	}
	form := TestClockForm{}
	if in.Body != nil {
		form = *in.Body
	}
	now := s.now()
	clock := db.TestClock{
		ID: id.New(id.TestClock, now), Name: form.Name, Status: db.ClockReady, NowAt: now.Truncate(time.Second), Revision: 1, CreatedAt: now,
	}
	if form.Now != 0 {
		clock.NowAt = time.Unix(form.Now, 0).UTC()
	}
	return create(ctx, s, c, http.StatusCreated, directly(func(tx *db.Tx) (made[TestClock], error) {
		return made[TestClock]{resource: renderTestClock(clock)}, tx.InsertTestClock(ctx, c.environmentID, clock)
	}))
}

func (s *Server) getTestClock(_ context.Context, c *call, _ *ByID) (*reply[TestClock], error) {
	return ok(renderTestClock(resource[db.TestClock](c))), nil
}

func (s *Server) listTestClocks(ctx context.Context, c *call, in *listTestClocksInput) (*reply[List[TestClock]], error) {
	page, err := in.db(id.TestClock)
	if err != nil {
		return nil, err
	}
	rows, more, err := s.store.TestClocks(ctx, c.environmentID, page)
	return list(rows, more, err, renderTestClock)
}

type listTestClocksInput struct {
	Page
}

type advanceInput struct {
	ByID
	Body AdvanceForm
}

// AdvanceForm moves a clock.
type AdvanceForm struct {
	To int64 `json:"to" minimum:"946684800" maximum:"4102444799" example:"1766232000" doc:"Later than the clock's time, and before the year 2100."`
}

// advanceTestClock answers as soon as the clock has begun to move, or with Prefer: wait once it has arrived.
func (s *Server) advanceTestClock(ctx context.Context, c *call, in *advanceInput) (*reply[TestClock], error) {
	if err := testModeOnly(c, ""); err != nil {
		return nil, err
	}
	clockID := resource[db.TestClock](c).ID
	out, err := command(ctx, s, c, http.StatusOK, func(ctx context.Context, r run) (made[TestClock], error) {
		result, err := s.engine.Advance(ctx, contract.Ref{EnvironmentID: c.environmentID, ID: clockID}, contract.Advance{
			CommandID: r.commandID, To: time.Unix(in.Body.To, 0).UTC(), Idempotency: r.idempotency,
		})
		if err == nil {
			err = result.Refusal.Err()
		}
		if err != nil {
			return made[TestClock]{}, err
		}
		clock, err := s.store.TestClock(ctx, c.environmentID, clockID)
		return made[TestClock]{resource: renderTestClock(clock)}, err
	})
	if err != nil || out.Replayed != "" {
		return out, err
	}
	return await(ctx, s, c, out, db.AwaitedTestClock(c.environmentID, clockID), func(ctx context.Context) (TestClock, bool, error) {
		clock, err := s.store.TestClock(ctx, c.environmentID, clockID)
		return renderTestClock(clock), clock.Status == db.ClockReady, err
	}), nil
}

func (s *Server) testClockOperations() {
	example := TestClock{ID: "clk_01jcz6dyqx4w9s1c2k7v5h8m3n", Name: "a year of renewals", Status: "ready", Now: 1763640000, CreatedAt: 1763640000}
	moved := example
	moved.Now = 1766232000
	load := byID(s, id.TestClock, "test_clock_not_found", s.store.TestClockWithKey)
	register(s, operation{
		name: "createTestClock", method: http.MethodPost, path: "/test-clocks", tag: "Test clocks", summary: "Create a test clock",
		description: "Customers created on a clock live in its time: trials end, renewals and retries happen when the clock gets there. Test environments only.",
		status:      http.StatusCreated, access: writeAccess, response: example,
		request: TestClockForm{Name: example.Name, Now: example.Now},
	}, s.createTestClock)
	register(s, operation{
		name: "getTestClock", method: http.MethodGet, path: "/test-clocks/{id}", tag: "Test clocks", summary: "Get a test clock",
		status: http.StatusOK, access: readAccess, load: load, response: example,
	}, s.getTestClock)
	register(s, operation{
		name: "listTestClocks", method: http.MethodGet, path: "/test-clocks", tag: "Test clocks", summary: "List test clocks",
		status: http.StatusOK, access: readAccess, response: List[TestClock]{Data: []TestClock{example}},
	}, s.listTestClocks)
	register(s, operation{
		name: "advanceTestClock", method: http.MethodPost, path: "/test-clocks/{id}/advance", tag: "Test clocks", summary: "Advance a test clock",
		description: "Everything that is due on the way happens, in due order and at its own time. With Prefer: wait=N the answer waits up to N seconds (at most 30) until the clock has arrived; otherwise read the clock until it is ready.",
		status:      http.StatusOK, access: writeAccess, load: load, waits: true, response: moved,
		request: AdvanceForm{To: moved.Now},
	}, s.advanceTestClock)
}
