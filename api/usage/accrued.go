package usage

import (
	"perennial/api/view"
	"perennial/billing/costing"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	serviceusage "perennial/service/usage"
)

// UsageAmount is the amount of a period's usage so far.
type UsageAmount struct {
	Estimated bool           `json:"estimated" example:"true" doc:"true, always: records and corrections that come later, and changes of the subscription, change it."`
	Currency  string         `json:"currency" example:"USD"`
	From      int64          `json:"from" example:"1763640000" doc:"The start of the current period, in Unix seconds."`
	To        int64          `json:"to" example:"1766232000" doc:"Its end. Included units, minimums and commitments are those of the whole period."`
	Lines     []UsageLine    `json:"lines" doc:"What each metered price comes to, by its rates and the values of the dimensions that they keep apart, and the plan's commitment. A change of plan within the period has lines before and after it. The largest 200 of a price, and one for the others."`
	Subtotal  int64          `json:"subtotal" example:"4200" doc:"The sum of the lines, in minor units, before discounts and taxes."`
	Discount  int64          `json:"discount" example:"0" doc:"What percentages of coupons take off the lines."`
	Total     int64          `json:"total" example:"4200" doc:"subtotal less discount, before taxes: what the invoices of the period bill of usage if nothing more is recorded and nothing changes."`
	Billed    int64          `json:"billed" example:"0" doc:"What of total is on invoices already."`
	Unbilled  int64          `json:"unbilled" example:"4200" doc:"total less billed: what the next invoice bills of it. Below zero: corrections took back what is billed."`
	Unrated   []UnratedUsage `json:"unrated" doc:"Usage of metrics with a price that none of its rates counts. It costs nothing."`
}

// UsageLine is the amount of one rate of a metered price.
type UsageLine struct {
	Description string                `json:"description" example:"Pro – API calls (eu)" doc:"As the line of an invoice has it."`
	PlanID      string                `json:"planId" example:"plan_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The plan whose price counts."`
	PriceID     string                `json:"priceId" example:"price_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The metered price, or the commitment."`
	MetricName  string                `json:"metricName,omitempty" example:"api_calls" doc:"The metric that the price counts. Absent: a commitment."`
	Dimensions  map[string]*string    `json:"dimensions,omitempty" doc:"The values of dimensions that the line is for: those that the rate asks for, and those that it keeps apart; null where records have no such property. Absent: it is for all that no other line is for."`
	From        int64                 `json:"from" example:"1763640000" doc:"The first instant of the time that the line is for, in Unix seconds."`
	To          int64                 `json:"to" example:"1766232000" doc:"The first instant after it."`
	Quantity    Number                `json:"quantity" example:"1200" doc:"What the metric comes to in this time."`
	UnitAmount  string                `json:"unitAmount,omitempty" example:"3.5" doc:"What one unit costs: a decimal in minor units, which may be a part of one. Absent: see explanation."`
	Amount      int64                 `json:"amount" example:"4200" doc:"What it costs so far, in minor units, before discounts and taxes. 0: for instance, all units are included."`
	Discount    int64                 `json:"discount,omitempty" doc:"What percentages of coupons take off the amount. Absent: nothing."`
	Billed      int64                 `json:"billed,omitempty" doc:"What of amount less discount is on invoices already. Absent: nothing."`
	Explanation *view.LineExplanation `json:"explanation,omitempty" doc:"How the amount comes about. Absent: it is quantity × unitAmount, rounded once; or the line stands for the smallest of more than 200."`
}

// UnratedUsage is usage without a rate.
type UnratedUsage struct {
	MetricName string `json:"metricName" example:"api_calls" doc:"The metric."`
	PriceID    string `json:"priceId" example:"price_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The metered price of the metric, none of whose rates fits the records."`
	Quantity   Number `json:"quantity" example:"12" doc:"The sum of what the metric comes to. Of a metric that is no sum, the sum over parts of the period."`
	Records    int64  `json:"records" example:"3" doc:"How many records are in it."`
}

// CostlessTime is a time whose usage no invoice bills.
type CostlessTime struct {
	From   int64  `json:"from" example:"1763640000" doc:"The first instant, in Unix seconds."`
	To     int64  `json:"to,omitempty" example:"1764849600" doc:"The first instant after it. Absent: it goes on."`
	Reason string `json:"reason" enum:"trial,paused,no_metered_prices,before_import,never_paid" example:"trial" doc:"Why usage of this time costs nothing. trial: a trial is free. paused: nothing is billed in a pause. no_metered_prices: the plan had none then. never_paid: the subscription ended without its first payment. before_import: the system from which the subscription was imported bills it."`
}

func renderAccrued(sub subscription.Subscription, of *costing.Accrual) *UsageAmount {
	if of == nil {
		return nil
	}
	out := UsageAmount{
		Estimated: true, Currency: string(sub.Currency), From: view.Unix(sub.CurrentPeriod.Start),
		To: view.Unix(sub.CurrentPeriod.End), Lines: make([]UsageLine, len(of.Lines)), Subtotal: int64(of.Amount),
		Discount: int64(of.Discount), Total: int64(of.Total()), Billed: int64(of.Billed),
		Unbilled: int64(of.Total() - of.Billed), Unrated: make([]UnratedUsage, len(of.Unrated)),
	}
	for i, l := range of.Lines {
		out.Lines[i] = renderUsageLine(l, sub.Currency)
	}
	for i, u := range of.Unrated {
		out.Unrated[i] = UnratedUsage{
			MetricName: u.MetricName, PriceID: u.PriceID, Quantity: Number(u.Quantity.String()), Records: u.Records,
		}
	}
	return &out
}

func renderUsageLine(l costing.AccruedLine, c money.Currency) UsageLine {
	return UsageLine{
		Description: l.Description, PlanID: l.PlanID, PriceID: l.PriceID, MetricName: l.MetricName, Dimensions: l.Dimensions,
		From: view.Unix(l.Period.Start), To: view.Unix(l.Period.End), Quantity: Number(l.Quantity),
		UnitAmount: money.ShownInMinor(l.UnitPrice, c), Amount: int64(l.Amount), Discount: int64(l.Discounts.Sum()),
		Billed: int64(l.Billed), Explanation: view.RenderExplanation(l.Explanation, c),
	}
}

func renderCostless(of serviceusage.Accrued) []CostlessTime {
	times := make([]CostlessTime, len(of.Costless))
	for i, t := range of.Costless {
		times[i] = CostlessTime{From: view.Unix(t.Start), To: view.Unix(t.End), Reason: string(t.Reason)}
	}
	return times
}

// exampleAmount returns the amount of 1,200 calls, of which a thousand are included, in the region eu.
func exampleAmount() *UsageAmount {
	eu := "eu"
	step := func(kind rating.StepKind, quantity, price, amount string) invoice.Step {
		return invoice.Step{Kind: kind, Quantity: quantity, UnitPrice: price, Amount: amount}
	}
	return &UsageAmount{
		Estimated: true, Currency: "USD", From: 1763640000, To: 1766232000, Subtotal: 700, Total: 700, Unbilled: 700,
		Lines: []UsageLine{{
			Description: "Pro – API calls", PlanID: "plan_01jcz6dyqx4w9s1c2k7v5h8m3n",
			PriceID: "price_01jcz6dyqx4w9s1c2k7v5h8m3n", MetricName: "api_calls", Dimensions: map[string]*string{"region": &eu},
			From: 1763640000, To: 1766232000, Quantity: "1200", Amount: 700,
			Explanation: view.RenderExplanation(&invoice.Explanation{Steps: []invoice.Step{
				step(rating.Included, "1000", "0", "0"), step(rating.Units, "200", "0.035", "7"),
			}}, "USD"),
		}},
		Unrated: []UnratedUsage{},
	}
}
