package invoices

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/monthly"
	"perennial/service/invoices"
)

// OfMonth is the request of every operation on a month; exported only so that huma sees its fields.
type OfMonth struct {
	Month string `path:"month" maxLength:"7" example:"2026-11" doc:"The month. It begins at midnight in the environment's time zone."`
}

// MonthReport has the figures of a month.
type MonthReport struct {
	Month      string          `json:"month" example:"2026-11" doc:"The month."`
	TimeZone   string          `json:"timeZone" example:"Africa/Douala" doc:"The environment's time zone: the month is from its first midnight there to that of the next month."`
	From       int64           `json:"from" example:"1793487600" doc:"The first instant, in Unix seconds."`
	To         int64           `json:"to" example:"1796079600" doc:"The first instant after it, in Unix seconds."`
	Complete   bool            `json:"complete" example:"true" doc:"true: the month is over, and its figures stay what they are. Customers on test clocks can still add to it."`
	Currencies []MonthCurrency `json:"currencies" doc:"The figures by currency, sorted by its code. One without documents and balances is left out."`
}

// MonthCurrency has the figures of one currency, in minor units.
type MonthCurrency struct {
	Currency      string           `json:"currency" example:"EUR" doc:"The currency of the figures."`
	Invoiced      MonthSums        `json:"invoiced" doc:"Invoices that were issued in the month, whatever became of them."`
	Voided        MonthSums        `json:"voided" doc:"Invoices that were voided in the month, also earlier ones, without what credit notes had given back of them."`
	Credited      MonthSums        `json:"credited" doc:"Credit notes of the month, whatever the month of their invoice."`
	Sales         MonthSums        `json:"sales" doc:"invoiced less voided less credited: what was sold, and the tax on it. count has the invoices less those that were voided."`
	Uncollectible MonthSums        `json:"uncollectible" doc:"Invoices that were marked uncollectible in the month, less what credit notes had given back until then. They are not taken off sales."`
	Money         []MonthMoney     `json:"money" doc:"Money that moved, by payment provider."`
	Receivables   MonthReceivables `json:"receivables" doc:"How the amounts due of open invoices came from the start to the end of the month."`
	Credit        MonthCredit      `json:"credit" doc:"How the credit of customers, credit grants included, came from the start to the end of the month."`
}

// MonthSums are the sums of documents, in minor units.
type MonthSums struct {
	Count       int   `json:"count" example:"120" doc:"The number of documents."`
	Net         int64 `json:"net" example:"228000" doc:"Without any tax."`
	Tax         int64 `json:"tax" example:"43320" doc:"All taxes: added to the lines, and contained in prices."`
	TaxIncluded int64 `json:"taxIncluded" example:"0" doc:"The part of tax that the prices contain."`
	Gross       int64 `json:"gross" example:"271320" doc:"net plus tax: the sum of the totals."`
}

// MonthMoney is the money of one provider, in minor units.
type MonthMoney struct {
	Provider  string `json:"provider" example:"stripe" doc:"The payment provider. external: payments outside Perennial."`
	Payments  int    `json:"payments" example:"118" doc:"The number of charges that succeeded."`
	Collected int64  `json:"collected" example:"266798" doc:"What they brought."`
	Refunds   int    `json:"refunds" example:"2" doc:"The number of refunds that went through, and of withdrawals by banks because of disputes."`
	Refunded  int64  `json:"refunded" example:"4522" doc:"What they took."`
	Returns   int    `json:"returns" example:"0" doc:"The number of refunds whose money came back."`
	Returned  int64  `json:"returned" example:"0" doc:"What came back."`
	Net       int64  `json:"net" example:"262276" doc:"collected less refunded plus returned. The provider's fees are not known here."`
}

// MonthReceivables is the way of the amounts due from the start to the end of a month, in minor units.
type MonthReceivables struct {
	Opening       int64 `json:"opening" example:"12000" doc:"What the invoices that were open at the start asked for then."`
	Invoiced      int64 `json:"invoiced" example:"271320" doc:"Totals of the month's invoices. A negative total counts as 0 here: it became credit."`
	CreditUsed    int64 `json:"creditUsed" example:"0" doc:"What customers' credit paid, less what voided invoices gave back to it."`
	Carried       int64 `json:"carried" example:"0" doc:"What was too little to be charged and moved to later invoices, less what such invoices took over."`
	Credited      int64 `json:"credited" example:"0" doc:"What credit notes took off the amounts due."`
	Voided        int64 `json:"voided" example:"0" doc:"What voided invoices had asked for, before credit."`
	Uncollectible int64 `json:"uncollectible" example:"0" doc:"What invoices that were marked uncollectible asked for."`
	Recovered     int64 `json:"recovered" example:"0" doc:"What was paid though it had been marked uncollectible before."`
	Paid          int64 `json:"paid" example:"266798" doc:"What payments settled."`
	Closing       int64 `json:"closing" example:"16522" doc:"What the invoices that were open at the end asked for then: opening + invoiced - creditUsed - carried - credited - voided - uncollectible + recovered - paid."`
	Difference    int64 `json:"difference" example:"0" doc:"What closing, which is read from the invoices, is off by. Anything but 0 is a fault: report it."`
}

// MonthCredit is the way of the customers' credit from the start to the end of a month, in minor units.
type MonthCredit struct {
	Opening int64              `json:"opening" example:"0" doc:"At the start. Below zero: customers owe carried amounts."`
	Entries []MonthCreditEntry `json:"entries" doc:"What changed it, by reason."`
	Closing int64              `json:"closing" example:"0" doc:"At the end: opening plus the entries."`
}

// MonthCreditEntry is the sum of the entries of one reason, in minor units.
type MonthCreditEntry struct {
	Reason string `json:"reason" example:"credit_note" doc:"As in the customers' balances."`
	Amount int64  `json:"amount" example:"500" doc:"Below zero: credit was used or taken."`
}

// MonthTaxes are the taxes of a month.
type MonthTaxes struct {
	Data []MonthTax `json:"data" doc:"By currency, country of the buyer and tax rate, sorted by them."`
}

// MonthTax has the sums of one rate.
type MonthTax struct {
	Currency  string      `json:"currency" example:"EUR" doc:"The currency of the amounts."`
	Country   string      `json:"country,omitempty" example:"DE" doc:"The buyer's country, ISO 3166-1 alpha-2. Absent: it was unknown at issue."`
	TaxRateID string      `json:"taxRateId,omitempty" example:"txr_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The tax rate. Absent: what was billed without tax."`
	Name      string      `json:"name,omitempty" example:"VAT" doc:"The name of the rate on one of the documents."`
	Percent   string      `json:"percent,omitempty" example:"19" doc:"A decimal."`
	Inclusive bool        `json:"inclusive,omitempty" doc:"true: the prices contain the tax."`
	TaxExempt string      `json:"taxExempt,omitempty" enum:"exempt,reverse" doc:"Without a rate: why. Absent: no rate applied."`
	Invoiced  MonthTaxSum `json:"invoiced" doc:"On invoices that were issued in the month."`
	Voided    MonthTaxSum `json:"voided" doc:"On invoices that were voided in the month."`
	Credited  MonthTaxSum `json:"credited" doc:"On credit notes of the month."`
	Net       MonthTaxSum `json:"net" doc:"invoiced less voided less credited: what is due for the month."`
}

// MonthTaxSum is a base and the tax on it, in minor units.
type MonthTaxSum struct {
	Base   int64 `json:"base" example:"228000" doc:"What the rate is a percentage of. Where several rates are on a line, each has it as its base."`
	Amount int64 `json:"amount" example:"43320" doc:"The tax."`
}

func renderSums(s monthly.Sums) MonthSums {
	return MonthSums{
		Count: s.Count, Net: int64(s.Net), Tax: int64(s.Tax), TaxIncluded: int64(s.Contained), Gross: int64(s.Gross),
	}
}

func renderSection(s monthly.Section) MonthCurrency {
	r := s.Receivables
	out := MonthCurrency{
		Currency: string(s.Currency), Invoiced: renderSums(s.Issued), Voided: renderSums(s.Voided),
		Credited: renderSums(s.Notes), Sales: renderSums(s.Sales()), Uncollectible: renderSums(s.Uncollectible),
		Money: []MonthMoney{},
		Receivables: MonthReceivables{
			Opening: int64(r.Opening), Invoiced: int64(r.Invoiced), CreditUsed: int64(r.CreditUsed), Carried: int64(r.Carried),
			Credited: int64(r.Credited), Voided: int64(r.Voided), Uncollectible: int64(r.Uncollectible),
			Recovered: int64(r.Recovered), Paid: int64(r.Paid), Closing: int64(r.Closing), Difference: int64(r.Difference()),
		},
		Credit: MonthCredit{
			Opening: int64(s.Credit.Opening), Closing: int64(s.Credit.Closing), Entries: []MonthCreditEntry{},
		},
	}
	for _, m := range s.Providers() {
		out.Money = append(out.Money, MonthMoney{
			Provider: m.Provider, Payments: m.Payments, Collected: int64(m.Collected), Refunds: m.Refunds,
			Refunded: int64(m.Refunded), Returns: m.Returns, Returned: int64(m.Returned), Net: int64(m.Net()),
		})
	}
	for _, reason := range s.Credit.Reasons() {
		out.Credit.Entries = append(out.Credit.Entries,
			MonthCreditEntry{string(reason), int64(s.Credit.ByReason[reason])})
	}
	return out
}

// RenderMonth renders the figures of a month.
func RenderMonth(r invoices.MonthReport) MonthReport {
	out := MonthReport{
		Month: r.Month.String(), TimeZone: r.TimeZone, From: view.Unix(r.From), To: view.Unix(r.To), Complete: r.Complete,
		Currencies: []MonthCurrency{},
	}
	for _, s := range r.Sections() {
		out.Currencies = append(out.Currencies, renderSection(s))
	}
	return out
}

func renderTaxSum(s monthly.TaxSums) MonthTaxSum { return MonthTaxSum{int64(s.Base), int64(s.Amount)} }

// RenderMonthTaxes renders the taxes of a month.
func RenderMonthTaxes(rows []monthly.TaxRow) MonthTaxes {
	out := MonthTaxes{Data: []MonthTax{}}
	for _, t := range rows {
		row := MonthTax{
			Currency: string(t.Currency), Country: t.Country, TaxRateID: t.Rate.ID, Name: t.Rate.Name,
			Inclusive: t.Rate.Inclusive, TaxExempt: string(t.Exemption), Invoiced: renderTaxSum(t.Issued),
			Voided: renderTaxSum(t.Voided), Credited: renderTaxSum(t.Credited), Net: renderTaxSum(t.Net()),
		}
		if t.Rate.ID != "" {
			row.Percent = t.Rate.Percent.String()
		}
		out.Data = append(out.Data, row)
	}
	return out
}

// monthAtMost bounds the documents of a report by the API, which has seconds to answer.
const monthAtMost = 100_000

func (h *Handler) report(ctx context.Context, c *httpkit.Call, in *OfMonth) (invoices.MonthReport, error) {
	m, err := monthly.Parse(in.Month)
	if err != nil {
		return invoices.MonthReport{}, err
	}
	return h.service.Month(ctx, usecase.Caller(c), m, invoices.MonthDocuments{AtMost: monthAtMost})
}

func (h *Handler) getMonthReport(
	ctx context.Context, c *httpkit.Call, in *OfMonth,
) (*httpkit.Reply[MonthReport], error) {
	r, err := h.report(ctx, c, in)
	if err != nil {
		return nil, err
	}
	return httpkit.OK(RenderMonth(r)), nil
}

func (h *Handler) getMonthTaxes(
	ctx context.Context, c *httpkit.Call, in *OfMonth,
) (*httpkit.Reply[MonthTaxes], error) {
	r, err := h.report(ctx, c, in)
	if err != nil {
		return nil, err
	}
	return httpkit.OK(RenderMonthTaxes(r.Taxes())), nil
}

// limits of what a report by the API takes, in words.
const monthBound = " A month with more than 100,000 documents is refused with month_too_large: " +
	"`perennial report month` has no such limit."

func exampleMonth() MonthReport {
	sums := MonthSums{Count: 120, Net: 228000, Tax: 43320, Gross: 271320}
	return MonthReport{
		Month: "2026-11", TimeZone: "Africa/Douala", From: 1793487600, To: 1796079600, Complete: true,
		Currencies: []MonthCurrency{{
			Currency: "EUR", Invoiced: sums, Sales: sums,
			Money: []MonthMoney{{
				Provider: "stripe", Payments: 118, Collected: 266798, Refunds: 2, Refunded: 4522, Net: 262276,
			}},
			Receivables: MonthReceivables{Opening: 12000, Invoiced: 271320, Paid: 266798, Closing: 16522},
			Credit:      MonthCredit{Entries: []MonthCreditEntry{{"credit_note", 500}}, Closing: 500},
		}},
	}
}

func (h *Handler) monthOperations() {
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getMonthReport", Method: http.MethodGet, Path: "/reports/months/{month}", Tag: "Reports",
		Summary: "Get the figures of a month",
		Description: "Sums by currency of what was invoiced, voided, credited, collected and refunded, and how receivables " +
			"and customers' credit came from the start to the end of the month. Each document counts in the month of its " +
			"own moment: an invoice when it was issued, and again, the other way, in the month in which it was voided. So the " +
			"figures of a month that is over do not change." + monthBound,
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: exampleMonth(),
	}, h.getMonthReport)
	taxed := MonthTaxSum{228000, 43320}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getMonthTaxes", Method: http.MethodGet, Path: "/reports/months/{month}/taxes", Tag: "Reports",
		Summary: "Get the taxes of a month",
		Description: "By currency, country of the buyer and tax rate, from invoices, voids and credit notes alone. What was " +
			"billed without tax has rows of its own, by the reason." + monthBound,
		Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: MonthTaxes{Data: []MonthTax{{
			Currency: "EUR", Country: "DE", TaxRateID: "txr_01jcz6dyqx4w9s1c2k7v5h8m3n", Name: "VAT", Percent: "19",
			Invoiced: taxed, Net: taxed,
		}}},
	}, h.getMonthTaxes)
	h.monthListOperations()
}
