// Package bare owns the other side of each benchmark: the same transactions and the same HTTP call, with only the
// Temporal SDK, pgx and net/http. It has no rules, no validation and no framework: it plays the recording of one
// subscription of the product with other ids. So it always has the product's present statements, and no edit can slow
// it down.
package bare

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"perennial/activities"
	"perennial/activities/charging"
	"perennial/bench/stage"
	"perennial/billing/lifecycle"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/service/subscriptions"
	"perennial/service/usecase"
)

// Script has all recordings of the bare side.
type Script struct {
	Create  Tape // POST /api/subscriptions with a trial and an Idempotency-Key
	Renew   Tape
	Intend  Tape // Charge before its call
	Call    Call
	Record  Tape // Charge after its call
	Steps   []Tape
	Subject stage.Subject // the recorded one of Renew to Record
	Command stage.Subject // the recorded one of Steps
	Created stage.Subject // the recorded one of Create
	// shared are recorded ids that Renew invents and that Intend and Record use.
	shared []string
}

// StepNames are the commands for each subscription of the commands scenario, in this order.
var StepNames = []string{
	"cancel", "reactivate", "patch", "cancel", "reactivate", "patch back", "cancel", "reactivate", "patch",
}

// Source has the addresses to record from.
type Source struct {
	DatabaseURL  string
	SimulatorURL string
	Stage        stage.Stage
}

// Record makes the product create, renew and command one subscription each, and records its work.
func Record(ctx context.Context, s Source) (*Script, error) {
	r, err := newRecording(ctx, s)
	if err != nil {
		return nil, err
	}
	defer r.close()
	for _, step := range []func(context.Context) error{r.create, r.renew, r.command} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	r.script.shared = common(r.script.Renew, r.script.Intend, r.script.Record)
	return &r.script, nil
}

type recording struct {
	Source
	tracer        recorder
	store         *db.Store
	proxy         *proxy
	subscriptions *activities.Subscriptions
	payments      *charging.Payments
	constant      map[string]bool
	script        Script
}

func newRecording(ctx context.Context, s Source) (*recording, error) {
	r := &recording{Source: s, constant: constants(s.Stage)}
	keys, err := vault.New(s.Stage.KEK)
	if err != nil {
		return nil, err
	}
	if r.proxy, err = newProxy(s.SimulatorURL); err != nil {
		return nil, err
	}
	if r.store, err = db.Open(ctx, db.Config{
		URL: s.DatabaseURL, MaxConns: 4, Clock: time.Now, Tracer: &r.tracer,
	}); err != nil {
		r.proxy.close()
		return nil, err
	}
	r.subscriptions = &activities.Subscriptions{Store: r.store, Clock: time.Now, Observer: nobody{}}
	r.payments = &charging.Payments{
		Store: r.store, Clock: time.Now, Observer: nobody{},
		Gateway: gateway.New(gateway.Config{Vault: keys, BaseURLs: map[string]string{"stripe": r.proxy.url()},
			Timeout: 10 * time.Second}),
	}
	return r, nil
}

// constants returns the ids that are the same in every run.
func constants(g stage.Stage) map[string]bool {
	constant := map[string]bool{}
	for _, fixed := range []string{
		g.TenantID, g.AppID, g.EnvironmentID, g.ConfigID, g.KeyID, g.Basic.ID, g.Pro.ID, g.Daily.ID,
		g.Basic.Prices[0].ID, g.Pro.Prices[0].ID, g.Daily.Prices[0].ID,
	} {
		constant[fixed] = true
	}
	return constant
}

func (r *recording) close() {
	r.store.Close()
	r.proxy.close()
}

// tapes returns the recordings since the last call as tapes.
func (r *recording) tapes(step string, want int) ([]Tape, error) {
	done, err := r.tracer.take(step, want)
	if err != nil {
		return nil, err
	}
	var tapes []Tape
	for _, one := range done {
		t, err := newTape(one, r.constant)
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", step, err)
		}
		tapes = append(tapes, t)
	}
	return tapes, nil
}

func (r *recording) create(ctx context.Context) error {
	customers, err := r.Stage.Customers(ctx, r.store, 1, time.Now())
	if err != nil {
		return err
	}
	server, stop, err := productOn(ctx, r.store)
	if err != nil {
		return err
	}
	defer stop()
	if _, err := r.tracer.take("customers", -1); err != nil {
		return err
	}
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/subscriptions",
		strings.NewReader(CreateBody(customers[0], r.Stage.Basic.ID)))
	request.Header.Set("Authorization", "Bearer "+r.Stage.Key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", "bench-key-"+strconv.FormatInt(time.Now().UnixNano(), 10))
	answer := httptest.NewRecorder()
	server.Handler().ServeHTTP(answer, request)
	if answer.Code != http.StatusCreated {
		return fmt.Errorf("recording create: %d %s", answer.Code, answer.Body)
	}
	tapes, err := r.tapes("create", 1)
	if err != nil {
		return err
	}
	subID, err := idIn(answer.Body.Bytes())
	r.script.Create, r.script.Created = tapes[0], stage.Subject{CustomerID: customers[0], SubscriptionID: subID}
	return err
}

// CreateBody returns the body of a client's POST.
func CreateBody(customerID, planID string) string {
	return `{"customerId":"` + customerID + `","planId":"` + planID + `","trialDays":14}`
}

func (r *recording) renew(ctx context.Context) error {
	now := time.Now().Truncate(time.Second)
	subjects, err := r.Stage.Due(ctx, r.store, 1, now, now)
	if err != nil {
		return err
	}
	if _, err := r.tracer.take("due", -1); err != nil {
		return err
	}
	r.script.Subject = subjects[0]
	ref := contract.Ref{EnvironmentID: r.Stage.EnvironmentID, ID: subjects[0].SubscriptionID}
	snap, err := r.subscriptions.Advance(ctx, contract.AdvanceInput{Ref: ref, Now: now})
	if err != nil {
		return err
	}
	tapes, err := r.tapes("renewal", 1)
	if err != nil {
		return err
	}
	r.script.Renew = tapes[0]
	if snap.Live == nil {
		return fmt.Errorf("recording renewal: no payment was begun")
	}
	out, err := r.payments.Charge(ctx, contract.ResolveInput{
		EnvironmentID: ref.EnvironmentID, TransactionID: snap.Live.TransactionID, Now: now,
	})
	if err != nil {
		return err
	}
	if out.Status != "success" {
		return fmt.Errorf("recording charge: the payment is %s", out.Status)
	}
	if tapes, err = r.tapes("charge", 2); err != nil {
		return err
	}
	r.script.Intend, r.script.Record = tapes[0], tapes[1]
	r.script.Call, err = r.proxy.call(r.constant)
	return err
}

func (r *recording) command(ctx context.Context) error {
	now := time.Now()
	subjects, err := r.Stage.Trials(ctx, r.store, 1, now)
	if err != nil {
		return err
	}
	if _, err := r.tracer.take("trial", -1); err != nil {
		return err
	}
	r.script.Command = subjects[0]
	ref := contract.Ref{EnvironmentID: r.Stage.EnvironmentID, ID: subjects[0].SubscriptionID}
	for _, name := range StepNames {
		err := r.store.InTx(ctx, db.BySystem("bench"), time.Now(), func(tx *db.Tx) error {
			return r.perform(ctx, tx, ref, name)
		})
		if err != nil {
			return fmt.Errorf("recording %s: %w", name, err)
		}
		tapes, err := r.tapes(name, 1)
		if err != nil {
			return err
		}
		r.script.Steps = append(r.script.Steps, tapes[0])
		// The workflow clears the mark of the pending wake-up, so that each command sets it.
		if _, err := r.subscriptions.Advance(ctx, contract.AdvanceInput{Ref: ref, Now: time.Now()}); err != nil {
			return err
		}
		if _, err := r.tracer.take("reload", -1); err != nil {
			return err
		}
	}
	return nil
}

// perform performs one of the steps as the API does, without an Idempotency-Key.
func (r *recording) perform(ctx context.Context, tx *db.Tx, ref contract.Ref, name string) error {
	var err error
	switch name {
	case "cancel":
		_, err = usecase.Command(ctx, tx, ref.EnvironmentID, ref.ID, lifecycle.Cancel{Reason: "bench"})
	case "reactivate":
		_, err = usecase.Command(ctx, tx, ref.EnvironmentID, ref.ID, lifecycle.Reactivate{})
	case "patch":
		_, err = subscriptions.ChangePlan(ctx, tx, ref.EnvironmentID, ref.ID,
			subscriptions.PlanChange{PlanID: r.Stage.Pro.ID})
	case "patch back":
		_, err = subscriptions.ChangePlan(ctx, tx, ref.EnvironmentID, ref.ID,
			subscriptions.PlanChange{PlanID: r.Stage.Basic.ID})
	}
	return err
}

// common returns the ids of a that b or c use too.
func common(a, b, c Tape) []string {
	var out []string
	for recorded := range a.ids {
		if b.ids[recorded] || c.ids[recorded] {
			out = append(out, recorded)
		}
	}
	return out
}

// WritesOnly returns the script with only the writes of every transaction.
func (s *Script) WritesOnly() *Script {
	out := *s
	out.Create, out.Renew, out.Intend, out.Record = s.Create.writesOnly(), s.Renew.writesOnly(), s.Intend.writesOnly(),
		s.Record.writesOnly()
	out.Steps = nil
	for _, step := range s.Steps {
		out.Steps = append(out.Steps, step.writesOnly())
	}
	return &out
}

// RenewalShape returns the size of a renewal's transactions.
func (s *Script) RenewalShape() string {
	var parts []string
	for _, t := range []Tape{s.Renew, s.Intend, s.Record} {
		statements, trips := t.statements()
		writes, _ := t.writesOnly().statements()
		parts = append(parts, fmt.Sprintf("%d statements (%d of them writes, BEGIN and COMMIT) in %d round trips",
			statements, writes, trips))
	}
	return "open the period: " + parts[0] + "; before the charge: " + parts[1] + "; after it: " + parts[2]
}
