package usage

import (
	"context"
	"net/http"
	"strings"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/subscription"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	serviceusage "perennial/service/usage"
)

// UsageSummary is the usage of a subscription.
type UsageSummary struct {
	SubscriptionID string        `json:"subscriptionId" example:"sub_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The subscription."`
	Data           []UsagePeriod `json:"data" doc:"What was used in each period and group, metric by metric, in the order of time. A period without records has none."`
	// Amount and Costless are of the current period; requests for another time leave them out.
	Amount   *UsageAmount   `json:"amount,omitempty" doc:"What the usage of the current period comes to so far, computed as the invoice is. Absent: no metered prices counted in the period, or from or to was sent."`
	Costless []CostlessTime `json:"costless,omitempty" doc:"The times of the current period, and of a pause, whose usage costs nothing, and why: records of them are on no invoice. Absent: there are none, or from or to was sent."`
}

// UsagePeriod is the usage of one period and group.
type UsagePeriod struct {
	MetricName    string             `json:"metricName" example:"api_calls" doc:"The name of the metric."`
	MetricVersion int                `json:"metricVersion" example:"1" doc:"The version that counted: the newest, once it has counted what was recorded before it."`
	From          int64              `json:"from" example:"1763640000" doc:"The first instant, in Unix seconds."`
	To            int64              `json:"to" example:"1766232000" doc:"The first instant after it, in Unix seconds."`
	Group         map[string]*string `json:"group,omitempty" doc:"The values of the dimensions that were asked for; null where records have no such property."`
	Quantity      Number             `json:"quantity" example:"1234.5" doc:"What the records come to, converted as the metric says."`
	Records       int64              `json:"records" example:"87" doc:"How many records are in it."`
}

type subscriptionUsageInput struct {
	httpkit.ByID
	Metric      string `query:"metric" maxLength:"100" doc:"The name of the metric. Default: all metrics that take records, at most 100. Send it with groupBy."`
	From        int64  `query:"from" minimum:"1" maximum:"253402300799" doc:"The first instant, in Unix seconds. Default: the start of the current period."`
	To          int64  `query:"to" minimum:"1" maximum:"253402300799" doc:"The first instant after it, in Unix seconds. Default: the end of the current period."`
	Granularity string `query:"granularity" enum:"total,hour,day,week,month" default:"total" doc:"The length of the periods. Days, weeks and months begin at midnight in the subscription's time zone."`
	GroupBy     string `query:"groupBy" maxLength:"600" doc:"Dimensions of the metric, separated by commas. Default: none, all are added up."`
}

func (h *Handler) subscriptionUsage(
	ctx context.Context, c *httpkit.Call, in *subscriptionUsageInput,
) (*httpkit.Reply[UsageSummary], error) {
	q := serviceusage.Question{
		MetricName: in.Metric, From: view.Instant(in.From), To: view.Instant(in.To),
		Granularity: usage.Granularity(in.Granularity),
	}
	if in.GroupBy != "" {
		q.GroupBy = strings.Split(in.GroupBy, ",")
	}
	sub := httpkit.Resource[subscription.Subscription](c)
	answers, err := h.service.Used(ctx, usecase.Caller(c), sub, q)
	if err != nil {
		return nil, err
	}
	out := UsageSummary{SubscriptionID: in.ID, Data: []UsagePeriod{}}
	for _, answer := range answers {
		out.Data = append(out.Data, renderUsageAnswer(answer, q.GroupBy)...)
	}
	if in.From != 0 || in.To != 0 {
		return httpkit.OK(out), nil
	}
	accrued, err := h.service.Accrued(ctx, usecase.Caller(c), sub)
	if err != nil {
		return nil, err
	}
	out.Amount, out.Costless = renderAccrued(sub, accrued.Accrual), renderCostless(accrued)
	return httpkit.OK(out), nil
}

func renderUsageAnswer(answer serviceusage.Answer, by []string) (periods []UsagePeriod) {
	for i, totals := range answer.Totals {
		for _, total := range totals {
			period := UsagePeriod{
				MetricName: answer.Metric.Name, MetricVersion: answer.Metric.Version, From: view.Unix(answer.Periods[i].Start),
				To: view.Unix(answer.Periods[i].End), Quantity: Number(total.Value.String()), Records: total.Records,
			}
			for n, value := range total.Group.Values() {
				if period.Group == nil {
					period.Group = map[string]*string{}
				}
				period.Group[by[n]] = value
			}
			periods = append(periods, period)
		}
	}
	return periods
}

func (h *Handler) summaryOperation() {
	load := httpkit.LoadByID(h.kit, id.Subscription, db.ErrSubscriptionNotFound, h.store.Subscriptions.GetWithKey)
	eu := "eu"
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getSubscriptionUsage", Method: http.MethodGet, Path: "/subscriptions/{id}/usage", Tag: "Usage",
		Summary: "Get what a subscription used, and what it costs so far",
		Description: "Every record that was accepted before is in it. Records that come later, and corrections, change what " +
			"was used at their time. Where the plan has metered prices, amount says what the current period comes to so far " +
			"and how that comes about: the code that bills computes it. What a change now would bill, and the next invoices, " +
			"show previewSubscription.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load,
		Response: UsageSummary{
			SubscriptionID: "sub_01jcz6dyqx4w9s1c2k7v5h8m3n",
			Data: []UsagePeriod{{
				MetricName: "api_calls", MetricVersion: 1, From: 1763640000, To: 1766232000,
				Group: map[string]*string{"region": &eu}, Quantity: "1234.5", Records: 87,
			}},
			Amount: exampleAmount(), Costless: []CostlessTime{},
		},
	}, h.subscriptionUsage)
}
