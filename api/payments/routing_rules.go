package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/money"
	"perennial/billing/routing"
)

// RoutingRule sends payments to an account. An absent field matches every payment.
type RoutingRule struct {
	Country          string `json:"country,omitempty" example:"CM" doc:"Of the customer, ISO 3166-1 alpha-2. Where the customer has none, that of the phone number."`
	Currency         string `json:"currency,omitempty" example:"XAF" doc:"ISO 4217. Required with an amount."`
	Method           string `json:"method,omitempty" maxLength:"64" example:"mobile_money_*" doc:"The payment method; a star at the end matches any ending."`
	MinAmount        int64  `json:"minAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Minor units of the currency."`
	MaxAmount        int64  `json:"maxAmount,omitempty" minimum:"0" maximum:"999999999999" doc:"Minor units of the currency."`
	ProviderConfigID string `json:"providerConfigId" maxLength:"64" example:"pp_01jcz6dyqx4w9s1c2k7v5h8m3n"`
}

// RoutingRules replace all rules of the environment.
type RoutingRules struct {
	Rules []RoutingRule `json:"rules" maxItems:"100" doc:"The first one that matches goes first. Empty: payments go to the primary configuration."`
}

type replaceRoutingRulesInput struct {
	Body RoutingRules
}

func renderRule(r routing.Rule) RoutingRule {
	return RoutingRule{
		Country: r.Country, Currency: string(r.Currency), Method: r.Method, MinAmount: int64(r.MinAmount),
		MaxAmount: int64(r.MaxAmount), ProviderConfigID: r.AccountID,
	}
}

func renderRules(rules []routing.Rule) httpkit.List[RoutingRule] {
	out := httpkit.List[RoutingRule]{Data: []RoutingRule{}}
	for _, r := range rules {
		out.Data = append(out.Data, renderRule(r))
	}
	return out
}

// listRoutingRules needs no pages: an environment has at most a hundred.
func (h *Handler) listRoutingRules(
	ctx context.Context, c *httpkit.Call, _ *struct{},
) (*httpkit.Reply[httpkit.List[RoutingRule]], error) {
	rules, err := h.store.Payments.RoutingRules(ctx, c.EnvironmentID)
	return httpkit.ListOf(rules, false, err, renderRule)
}

func (h *Handler) replaceRoutingRules(
	ctx context.Context, c *httpkit.Call, in *replaceRoutingRulesInput,
) (*httpkit.Reply[httpkit.List[RoutingRule]], error) {
	rules := make([]routing.Rule, len(in.Body.Rules))
	for i, r := range in.Body.Rules {
		rules[i] = routing.Rule{
			Country: r.Country, Currency: money.Currency(r.Currency), Method: r.Method, MinAmount: money.Minor(r.MinAmount),
			MaxAmount: money.Minor(r.MaxAmount), AccountID: r.ProviderConfigID,
		}
	}
	made := func(rules []routing.Rule) httpkit.Made[httpkit.List[RoutingRule]] {
		return httpkit.Made[httpkit.List[RoutingRule]]{Resource: renderRules(rules)}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made, func(around usecase.Around[[]routing.Rule]) error {
		return h.service.ReplaceRoutingRules(ctx, usecase.Caller(c), rules, around)
	})
}

func (h *Handler) routingOperations() {
	rule := RoutingRule{
		Country: "CM", Currency: "XAF", Method: "mobile_money_*", ProviderConfigID: "pp_01jcz6dyqx4w9s1c2k7v5h8m3n",
	}
	list := httpkit.List[RoutingRule]{Data: []RoutingRule{rule}}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listRoutingRules", Method: http.MethodGet, Path: "/routing-rules", Tag: "Payment providers",
		Summary: "List routing rules", Description: "In their order.", Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: list,
	}, h.listRoutingRules)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "replaceRoutingRules", Method: http.MethodPut, Path: "/routing-rules", Tag: "Payment providers",
		Summary: "Replace the routing rules",
		Description: "When a charge is sent, it goes to the account of the first rule that matches it and that can take it; then to " +
			"the primary one; then to the backups by priority. An account that cannot take a charge is passed over: disabled, " +
			"paused, with an open breaker, or not for this currency, amount or payment method.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Request: RoutingRules{Rules: []RoutingRule{rule}}, Response: list,
	}, h.replaceRoutingRules)
}
