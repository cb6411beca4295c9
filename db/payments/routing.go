package payments

import (
	"context"
	"time"

	"perennial/billing/money"
	"perennial/billing/routing"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Routing has the facts that the choice of an account depends on.
type Routing struct {
	Charging Charging
	// Accounts come with their credentials and breakers, so that the chosen one needs no further read.
	Accounts []ProviderConfig
	Rules    []routing.Rule
}

// Routing reads the routing of an environment in one round trip. Charging is read before the accounts: a change
// meanwhile leads to a later revision. Fault: environment_not_found.
func (r Reader) Routing(ctx context.Context, environmentID string) (Routing, error) {
	return r.RoutingSince(ctx, environmentID, time.Time{})
}

// RoutingSince is Routing with the accounts that were deleted since then, too; zero: without them.
func (r Reader) RoutingSince(
	ctx context.Context, environmentID string, deletedSince time.Time,
) (out Routing, err error) {
	err = r.Together(ctx,
		func(q dbsqlc.DBTX) error {
			row, err := core.Queries.ChargingGet(ctx, q, environmentID)
			out.Charging = Charging{core.Value(row.ChargingPausedAt), row.AccountsRevision}
			return err
		},
		func(q dbsqlc.DBTX) error {
			found, err := core.Queries.RoutingAccountList(ctx, q, dbsqlc.RoutingAccountListParams{
				EnvironmentID: environmentID, DeletedSince: core.NullTime(deletedSince),
			})
			out.Accounts = core.Map(found, routedAccount)
			return err
		},
		func(q dbsqlc.DBTX) error {
			found, err := core.Queries.RoutingRuleList(ctx, q, environmentID)
			out.Rules = core.Map(found, routingRule)
			return err
		})
	return out, core.ReadError("environment", err)
}

func routedAccount(f dbsqlc.RoutingAccountListRow) ProviderConfig {
	config := providerConfigFromDB(dbsqlc.ProviderConfigGetPrimaryRow{
		ProviderConfig: f.ProviderConfig, Mode: f.Mode, AppID: f.AppID, Keyset: f.Keyset, Versions: f.Versions,
		Sealed: f.Sealed, SealedAt: f.SealedAt,
	})
	config.Breaker = breakerOf(f.Failures, f.FailingSince, f.OpenedAt, f.ProbeAt)
	config.Breaker.SilentSince, config.Breaker.RecoveredAt = core.Value(f.SilentSince), core.Value(f.RecoveredAt)
	return config
}

func routingRule(f dbsqlc.RoutingRuleListRow) routing.Rule {
	rule := f.RoutingRule
	return routing.Rule{
		Position: rule.Position, Country: core.Value(rule.Country), Currency: rule.Currency,
		Method: core.Value(rule.Method), MinAmount: money.Minor(core.Value(rule.MinAmount)),
		MaxAmount: money.Minor(core.Value(rule.MaxAmount)), AccountID: rule.ProviderConfigID,
	}
}

// RoutingRules lists the rules of an environment, in their order.
func (r Reader) RoutingRules(ctx context.Context, environmentID string) ([]routing.Rule, error) {
	found, err := core.Queries.RoutingRuleList(ctx, r.Handle, environmentID)
	return core.Map(found, routingRule), core.Translate("RoutingRuleList", err)
}

// ReplaceRoutingRules writes the rules of an environment anew, and notes who did it; their positions must differ.
// Fault: provider_config_not_found.
func (tx *Tx) ReplaceRoutingRules(ctx context.Context, environmentID string, rules []routing.Rule) error {
	if err := core.Queries.RoutingRuleDeleteAll(ctx, tx.Pipe, environmentID); err != nil {
		return err
	}
	for _, rule := range rules {
		err := core.Queries.RoutingRuleInsert(ctx, tx.Pipe, dbsqlc.RoutingRuleInsertParams{
			EnvironmentID: environmentID, Position: rule.Position, Country: core.Null(rule.Country),
			Currency: rule.Currency, Method: core.Null(rule.Method), MinAmount: core.Null(int64(rule.MinAmount)),
			MaxAmount: core.Null(int64(rule.MaxAmount)), ProviderConfigID: rule.AccountID,
		})
		if err != nil {
			return err
		}
	}
	return tx.noteEnvironmentChange(ctx, environmentID, []string{"routingRules"})
}
