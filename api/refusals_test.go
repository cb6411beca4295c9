package api

import (
	"encoding/json"
	"go/types"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

// impassable are functions whose refusals no operation answers, with the reason.
var impassable = map[string]string{
	"(perennial/documents.writer).embedded":                  "a PDF is drawn without an e-invoice then",
	"(*perennial/billing/lifecycle.Decision).CatchUp":        "what is due by now: a refusal there is a fault of ours (lifecycle.Broken)",
	"(*perennial/billing/lifecycle.Decision).Finish":         "the same",
	"(*perennial/billing/lifecycle.Decision).behind":         "what waits is counted, not refused",
	"(perennial/billing/subscription.Subscription).Schedule": "time zones are checked where they are set",
	"(perennial/billing/rating.Price).rate":                  "prices are checked when their plan is made",
	"perennial/billing/proration.within":                     "after catching up, now is in the current period",
	"perennial/billing/proration.empty":                      "the same, and a period has a second at least",
	"(perennial/billing/discount.Discount).Of":               "percentages are checked when their coupon is made",
	"(*perennial/billing/foresight.foresight).outlook":       "what is foreseen is shown, not refused",
	"(*perennial/api/subscriptions.Handler).decided":         "it reads the newest rows, without a cursor",
	"(*perennial/api/subscriptions.Handler).withLatest":      "the same",
	"perennial/db/catalog.TaxRateFromDB":                     "what the rules wrote can be read",
	"(*perennial/billing/metered.Counter).Take":              "a price whose records cannot be counted is left out",
	"(*perennial/billing/metered.Lots).Of":                   "the same",
	"(perennial/billing/subscribing.Situation).owing":        "one that has resumed is active",
	"(*perennial/db/usage.Log).UsageSeries":                  "records are checked when they are taken",
	"perennial/db/catalog.CouponFromDB":                      "what the rules wrote can be read",
	"(perennial/db/subscriptions.Reader).UsageBilled":        "what the rules wrote can be read",
	"perennial/service/usecase.CountUnbilled":                "the same, and counted",
	"(*perennial/db/lifecycle.loader).load":                  "what the rules wrote can be read",
	"(*perennial/db/lifecycle.Tx).Write":                     "constraints: the rules refuse first, under locks",
	"(*perennial/service/gateway.Gateway).Supports":          "an account that does not open refuses nothing here",
	"perennial/service/gateway.SupportsAnywhere":             "the same",
	"(*perennial/service/payments.Service).try":              "what a connection test finds is shown, not refused",
	"(perennial/billing/subscription.Subscription).NotAhead": "only moves of a catalogue file ask for it",
	"perennial/service/subscriptions.newestIs":               "the same",
	"perennial/db/core.postgresFault":                        "constraints: the rules refuse first, under locks",
	"(*perennial/db/core.Tx).RedeemCoupon":                   "the rules refuse first, with the same fault",
}

// elsewhere are codes of 409 and 422 that no operation has, with the reason.
var elsewhere = map[string]string{
	"invoice_link_unknown":    "the page of an invoice says it in its reader's language",
	"invoice_not_payable_now": "so does this",
	"payment_method_missing":  "and this",
	"wallet_unknown":          "and this",
	"invoice_final":           "constraints", "invoice_settled": "constraints", "period_invoiced": "constraints",
	"transaction_settled":           "constraints",
	"callback_environment_mismatch": "callbacks of providers", "callback_malformed": "callbacks of providers",
	"change_outside_period": "guards of the rules", "period_empty": "guards of the rules",
	"subscription_not_incomplete": "guards of the rules",
	"change_not_pending":          "guards of the rules",
	"keyset_readable":             "operators", "credentials_missing": "operators",

	"metered_lots_too_many":         "a price that cannot be counted is left out",
	"metered_transactions_too_many": "a price that cannot be counted is left out",

	// Of catalogue files, which the command line applies.
	"catalog_key_invalid": "files", "catalog_key_taken": "files", "catalog_plan_fixed": "files",
	"catalog_plan_not_found": "files", "catalog_plan_repeated": "files", "catalog_too_large": "files",
	"catalog_item_fixed": "files", "catalog_item_not_found": "files", "catalog_item_repeated": "files",
	"catalog_product_not_found": "files", "webhook_events_missing": "imports", "webhook_shape_unknown": "imports",
	"catalog_archives_most": "files", "plan_version_superseded": "files",

	// Of providers' files, which the command line compares.
	"settlement_too_large": "files",
}

// The rules decide which codes an operation has: they follow from what its handler can call.
func TestRefusals_AreListedByOperation(t *testing.T) {
	t.Parallel()
	p := loadProgram(t)
	passed := map[string]bool{}
	skip := func(o types.Object) bool {
		f, ok := o.(*types.Func)
		if ok && impassable[f.FullName()] != "" {
			passed[f.FullName()] = true
			return true
		}
		return false
	}
	sites := refusalsMade(madeIn(t, reachable, behind))
	list := map[string][]string{}
	for operation, handler := range p.registered() {
		codes := map[string]bool{}
		for _, call := range p.reachFrom(handler, skip) {
			for _, code := range sites[p.files.Position(call.Pos()).String()] {
				codes[code] = true
			}
		}
		list[operation] = slices.Sorted(maps.Keys(codes))
	}
	for name := range impassable {
		require.True(t, passed[name], "%s is met by no operation: forget it here", name)
	}
	listed := slices.Concat(slices.Collect(maps.Values(list))...)
	for _, problem := range problems() {
		if of409or422 := problem.Status == http.StatusConflict ||
			problem.Status == http.StatusUnprocessableEntity; of409or422 &&
			!problem.Everywhere {
			require.NotEqual(t, elsewhere[problem.Code] != "", slices.Contains(listed, problem.Code),
				"%s: an operation has it, or elsewhere says why none does", problem.Code)
		}
	}
	var lines []string
	for _, operation := range slices.Sorted(maps.Keys(list)) {
		if codes, err := json.Marshal(list[operation]); len(list[operation]) > 0 {
			require.NoError(t, err)
			lines = append(lines, strconv.Quote(operation)+": "+string(codes))
		}
	}
	golden(t, "refusals.json", []byte("{\n"+strings.Join(lines, ",\n")+"\n}\n"))
}

// refusalsMade are the codes of 409 and 422 by the place that makes them. Those of httpkit are listed for every
// operation.
func refusalsMade(all []made) map[string][]string {
	codes := map[string][]string{}
	for _, m := range all {
		if (m.kind == fault.Conflict || m.kind == fault.Invalid) && !strings.HasPrefix(m.dir, "api/httpkit") {
			for _, code := range m.codes {
				if unseen[code] == "" {
					codes[m.where] = append(codes[m.where], code)
				}
			}
		}
	}
	return codes
}
