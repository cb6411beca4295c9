package charging

import (
	"context"
	"time"

	"perennial/billing/charging"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/providers"
)

// facts reads only what the decision about a step needs: most charges need only the accounts of their environment.
type facts struct {
	a         *Payments
	tx        *db.Tx
	env       string
	situation charging.Situation
	accounts  map[string]*account
	announced map[string]bool // accounts that cannot be opened and were announced to operators
}

// account is one at a provider, as it is stored and as it is opened.
type account struct {
	config   db.ProviderConfig
	provider providers.Provider // nil: it was not opened, or cannot be
	err      error              // why it cannot be opened
}

func newFacts(a *Payments, tx *db.Tx, env string, s charging.Situation) *facts {
	s.Known.Accounts, s.Known.Probes = map[string]charging.Account{}, map[string]bool{}
	return &facts{a: a, tx: tx, env: env, situation: s, accounts: map[string]*account{}, announced: map[string]bool{}}
}

// mostFacts is far more than any decision turns on.
const mostFacts = 100

// decide has the next step decided.
func (f *facts) decide(ctx context.Context) (charging.Step, error) {
	for range mostFacts {
		step := charging.Next(f.situation)
		// Before the next fact, since a probe is claimed by reading one: rows of accounts are locked before breakers.
		if err := f.announce(ctx, step); err != nil {
			return step, err
		}
		switch {
		case step.Unreachable != "":
			return step, f.accounts[step.Unreachable].err
		case step.Need == nil:
			return step, nil
		}
		if err := f.learn(ctx, *step.Need); err != nil {
			return step, err
		}
	}
	return charging.Step{}, fault.New(fault.Internal, "decision_endless",
		"What to do next about payment %s turns on ever more facts.", f.situation.Transaction.ID)
}

// learn reads one fact.
func (f *facts) learn(ctx context.Context, need charging.Need) error {
	known, txn := &f.situation.Known, f.situation.Transaction.ID
	switch need.Of {
	case charging.NeedCallbacks:
		return found(&known.CallbacksTell)(f.tx.Payments.CallbackTells(ctx, f.env, txn))
	case charging.NeedElsewhere:
		return f.elsewhere(ctx, need.AccountID)
	case charging.NeedSends:
		return found(&known.Sends)(f.tx.Payments.Sends(ctx, f.env, txn))
	case charging.NeedRouting:
		return f.routing(ctx)
	case charging.NeedAccount:
		return f.open(ctx, need.AccountID)
	case charging.NeedReference:
		return found(&known.Reference)(f.tx.Payments.CallbackRef(ctx, f.env, txn, need.AccountID, need.Reference))
	case charging.NeedEvidence:
		return found(&known.Evidence)(f.evidence(ctx, need))
	case charging.NeedRefusal:
		return found(&known.Refusal)(f.evidence(ctx, need))
	case charging.NeedLastCall:
		return found(&known.LastCall)(f.lastCall(ctx))
	case charging.NeedProbe:
		mine, err := f.tx.Payments.ClaimProbe(ctx, f.env, need.AccountID, f.situation.Now)
		known.Probes[need.AccountID] = mine
		return err
	case charging.NeedSearch:
		return f.search(ctx, need.Since)
	}
	return fault.New(fault.Internal, "fact_unknown", "What decides a payment needs an unknown fact: %d.", need.Of)
}

// found keeps a fact that was read.
func found[T any](at **T) func(T, error) error {
	return func(fact T, err error) error {
		*at = &fact
		return err
	}
}

// add notes an account as one to choose from. One that could not be opened is tried again with the row that was read
// last: it may have other credentials, and the revision that was read with it counts as seen.
func (f *facts) add(c db.ProviderConfig) {
	if at := f.accounts[c.ID]; at != nil && at.err == nil {
		return
	}
	f.accounts[c.ID] = &account{config: c}
	f.situation.Known.Accounts[c.ID] = charging.Account{
		Account: f.a.candidate(c, f.situation.Transaction), CreatedAt: c.CreatedAt,
	}
}

func (f *facts) addAll(configs []db.ProviderConfig) []string {
	ids := make([]string, len(configs))
	for i, c := range configs {
		f.add(c)
		ids[i] = c.ID
	}
	return ids
}

// open opens the provider of an account.
func (f *facts) open(ctx context.Context, id string) error {
	if f.accounts[id] == nil {
		config, err := f.tx.Payments.ProviderConfigOf(ctx, f.env, id)
		if err != nil {
			return err
		}
		f.add(config)
	}
	at, known := f.accounts[id], f.situation.Known.Accounts[id]
	if at.provider, at.err = f.a.Gateway.Provider(ctx, at.config); at.err != nil {
		known.Opening = charging.Closed
	} else {
		known.Opening, known.Protocol = charging.Open, f.a.protocol(at.provider)
		known.FindsTransaction = at.provider.Capabilities().FindsTransaction
	}
	f.situation.Known.Accounts[id] = known
	return nil
}

func (f *facts) elsewhere(ctx context.Context, own string) error {
	c, err := f.tx.Payments.CallbackElsewhere(ctx, f.env, f.situation.Transaction.ID, own)
	said := charging.Elsewhere{}
	if c != nil {
		said = charging.Elsewhere{AccountID: c.ProviderConfigID, Reference: c.ProviderRef, Key: c.Key}
	}
	f.situation.Known.Elsewhere = &said
	return err
}

func (f *facts) routing(ctx context.Context) error {
	r, err := f.tx.Payments.Routing(ctx, f.env)
	f.situation.Known.Routing = &charging.Routing{
		Paused: !r.Charging.PausedAt.IsZero(), Revision: r.Charging.AccountsRevision, Rules: r.Rules,
		AccountIDs: f.addAll(r.Accounts),
	}
	return err
}

func (f *facts) search(ctx context.Context, since time.Time) error {
	r, err := f.tx.Payments.RoutingSince(ctx, f.env, since)
	if err != nil {
		return err
	}
	asked, err := f.tx.Payments.Searched(ctx, f.env, f.situation.Transaction.ID, f.situation.RestoredAt)
	f.situation.Known.Search = &charging.Found{
		Revision: r.Charging.AccountsRevision, AccountIDs: f.addAll(r.Accounts), Asked: asked,
	}
	return err
}

func (f *facts) evidence(ctx context.Context, need charging.Need) ([]charging.Evidence, error) {
	txn := f.situation.Transaction
	said, err := f.tx.Payments.Evidence(ctx, f.env, txn.ID, need.AccountID, txn.Type, need.Named, 2)
	out := make([]charging.Evidence, len(said))
	for i, c := range said {
		out[i] = charging.Evidence{CallbackID: c.ID, Answer: *c.Evidence}
	}
	return out, err
}

func (f *facts) lastCall(ctx context.Context) (last time.Time, _ error) {
	calls, err := f.tx.Payments.ProviderCalls(ctx, f.env, f.situation.Transaction.ID)
	for _, c := range calls {
		if c.StartedAt.After(last) {
			last = c.StartedAt
		}
	}
	return last, err
}

// announce reports accounts that were passed over because their stored credentials cannot be opened, as it does
// credentials that a provider refuses: payments through them fail until a person acts.
func (f *facts) announce(ctx context.Context, step charging.Step) error {
	for _, id := range step.Unreadable {
		at := f.accounts[id]
		if f.announced[id] {
			continue
		}
		f.announced[id] = true
		f.a.Observer.CredentialsRefused(ctx, CredentialsRefused{
			EnvironmentID: f.env, TransactionID: step.Transaction.ID, ProviderConfigID: id, Provider: at.config.Provider,
			Reason: "the stored credentials cannot be read: " + fault.From(at.err).Code,
		})
		if !at.config.FailingSince.IsZero() {
			continue
		}
		if _, err := f.tx.Payments.MarkProviderFailing(ctx, f.env, at.config, "credentials_unreadable"); err != nil {
			return err
		}
	}
	return nil
}
