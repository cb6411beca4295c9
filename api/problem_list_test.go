package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/telemetry"
)

// reachable are the packages whose faults become responses.
var reachable = []string{"api", "billing", "db", "service", "providers/stripe/callback.go",
	"providers/factory.go", "mail", "webhooks"}

// behind are files and folders there whose faults no request meets, with the reason.
var behind = map[string]string{
	"db/migrate.go":                "migrations run before the API serves",
	"db/core/store.go":             "settings of the process",
	"service/tenancy/provision.go": "commands of operators",
	"service/engine":               "wakes workflows after the commit",
	"billing/internal":             "tests only",
	"billing/moving":               "commands of operators",
	"service/movefile":             "commands of operators",
	"service/moving/import.go":     "commands of operators",
	"service/usecase/account.go":   "commands of operators",
}

// unseen are codes that the reading of the source finds but no request meets, with the reason.
var unseen = map[string]string{
	"api_key_not_found": "operators", "app_not_found": "operators", "tenant_not_found": "operators",
	"environment_not_found": "operators", "environment_exists": "operators", "primary_provider_exists": "operators",
	"idempotency_key_taken": "handled by its caller",
	"settlement_not_found":  "handled by its caller", "provider_call_not_found": "activities",
	"provider_ref_taken": "activities", "charge_recovered": "activities",
	"past_due_billing_unknown": "operators", "final_action_unknown": "operators", "failure_code_unknown": "operators",
	"renewal_reminder_days_out_of_range": "operators", "invoice_grace_out_of_range": "operators",
	"subscription_past_due": "occurrences",
	"period_not_due":        "occurrences", "change_not_due": "occurrences", "past_due_not_ended": "occurrences",
	"subscription_not_past_due": "occurrences",
}

// worded are the problems whose detail is put together when they are made, or says less than the code means.
var worded = map[string]string{
	"provider_config_invalid":       "A credential of the account is impossible, such as an address that is not the provider's.",
	"provider_credentials_invalid":  "A credential of the account is missing or malformed.",
	"provider_environment_mismatch": "A credential of the account belongs to the provider's other mode, test or live.",
	"logo_invalid":                  "The logo is no PNG or JPEG, is damaged, or is too large.",
	"template_invalid":              "No document can be drawn by the template. The detail has the line, as far as it is known, and the reason.",
	"template_texts_invalid":        "The texts of a template are too many or too long, or have a malformed name.",
	"decision_impossible":           "The outcome contradicts what is recorded of the payment.",
	"field_invalid":                 "A value is malformed.",
	"field_missing":                 "A required field is missing. The detail says when it is required.",
	"field_unknown":                 "The request has no field of this name.",
	"format_wrong":                  "A text does not have the documented form.",
	"length_out_of_range":           "A text is shorter or longer than documented.",
	"out_of_range":                  "A number, or the number of entries of a list, is outside the documented limits.",
	"parameter_unknown":             "The request has no query parameter of this name.",
	"payment_needs_review": "The outcome of a payment at the provider is unknown. An operator must resolve it first. Voiding the " +
		"payment's invoice, or marking it uncollectible, is possible meanwhile.",
	"payment_method_unsupported": "No active payment provider of the environment takes the payment method. The detail says what " +
		"would be taken.",
	"request_interrupted": "The request ended before its response. It may have been performed. A repeat with the same " +
		"Idempotency-Key is safe.",
	"type_wrong":     "A value does not have the documented type.",
	"value_repeated": "A list contains a value twice.",
	"value_unknown":  "A value is not one of the documented values.",
}

// A code means one thing: the list of problems follows from the source, has every code and gives each one status.
func TestProblems_AreListed(t *testing.T) {
	t.Parallel()
	found := map[string]*httpkit.Listed{}
	repeats := map[string][]bool{}
	kinds := map[string]fault.Kind{}
	all := madeIn(t, reachable, behind)
	require.Greater(t, len(all), 120, "there are many refusals; are they still found?")
	for _, m := range all {
		for _, code := range m.codes {
			if kind, known := kinds[code]; known {
				require.Equal(t, kind, m.kind, "%s: %s has one status everywhere", m.where, code)
			}
			kinds[code] = m.kind
			repeats[code] = append(repeats[code], m.after || m.kind == fault.Unavailable)
			if found[code] == nil {
				found[code] = &httpkit.Listed{Code: code}
			}
			found[code].Everywhere = found[code].Everywhere || strings.HasPrefix(m.dir, "api/httpkit")
			if m.kind != fault.Internal {
				found[code].Texts = append(found[code].Texts, shownTexts(m.texts)...)
			}
		}
	}
	for code := range unseen {
		require.Contains(t, found, code, "no longer made: forget it here")
		delete(found, code)
	}
	var list []httpkit.Listed
	for code, p := range found {
		p.Status, p.Title = respondedTo(t, fault.New(kinds[code], code, "x"))
		p.Repeat = repeat(kinds[code], p.Status, repeats[code])
		slices.Sort(p.Texts)
		p.Texts = slices.Compact(p.Texts)
		if kinds[code] == fault.Internal {
			p.Texts = []string{"The request failed with a server error. The log has the cause under its requestId."}
		}
		if kinds[code] == fault.NotFound && code != "route_not_found" {
			// db's words about an absent row are replaced; the rules say what an existing resource lacks
			p.Texts = append(slices.DeleteFunc(p.Texts, func(text string) bool {
				return strings.HasSuffix(text, " with this id does not exist.")
			}), httpkit.NotFound(fault.New(fault.NotFound, code, "")).Detail)
			if code == "coupon_not_redeemed" || code == "scheduled_change_not_found" {
				p.Texts = p.Texts[:1] // the rules alone make them
			}
		}
		if text, ok := worded[code]; ok {
			p.Texts = []string{text}
		}
		assert.NotEmpty(t, p.Texts, "%s: say in worded what it means", code)
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b httpkit.Listed) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), strings.Compare(a.Code, b.Code))
	})
	for code := range worded {
		require.Contains(t, found, code, "no longer made: forget it here")
	}
	golden(t, "problems.json", oneALine(t, list))
	golden(t, "../docs/problems.md", problemsDocument(list))
}

var verb = regexp.MustCompile(`%[-+# 0-9.]*[a-z]`)

// shownTexts are details as a list shows them, … for what differs.
func shownTexts(details []string) []string {
	var out []string
	for _, d := range details {
		if d = verb.ReplaceAllString(strings.ReplaceAll(d, "%%", "%"), "…"); d != "" && d != "…" {
			out = append(out, d)
		}
	}
	return out
}

func repeat(kind fault.Kind, status int, after []bool) string {
	switch {
	case !slices.Contains(after, false):
		return "after Retry-After, with the same key"
	case slices.Contains(after, true):
		return "with Retry-After: after it, with the same key; without: when the state has changed"
	case kind == fault.Internal, status == http.StatusRequestTimeout:
		return "with the same key"
	case kind == fault.Conflict:
		return "when the state has changed, with a new key"
	default:
		return "no: correct the request"
	}
}

// respondedTo is the status and title that the API gives a fault.
func respondedTo(t *testing.T, f *fault.Error) (int, string) {
	t.Helper()
	kit := httpkit.New(httpkit.Deps{
		Store: &db.Store{}, Telemetry: &telemetry.Telemetry{Logger: zap.NewNop()}, Now: time.Now,
	}, httpkit.Config{Prefixes: prefixes})
	w := httptest.NewRecorder()
	kit.Raw(func(context.Context, http.ResponseWriter, *http.Request) error { return f }).
		ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil))
	var p httpkit.Problem
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
	return w.Code, p.Title
}

func problemsDocument(list []httpkit.Listed) []byte {
	var out strings.Builder
	out.WriteString("# Problems\n\nEvery code of the API's errors, written from the source by `make generate`. `…` stands for what " +
		"differs from request to request.\n")
	byStatus := map[int][]httpkit.Listed{}
	for _, p := range list {
		byStatus[p.Status] = append(byStatus[p.Status], p)
	}
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		fmt.Fprintf(&out, "\n## %d %s\n\n| code | meaning | repeat |\n|---|---|---|\n", status, byStatus[status][0].Title)
		for _, p := range byStatus[status] {
			fmt.Fprintf(&out, "| `%s` | %s | %s |\n", p.Code, strings.ReplaceAll(strings.Join(p.Texts, " *or* "), "|", "\\|"),
				p.Repeat)
		}
	}
	return []byte(out.String())
}

// oneALine is JSON whose differences people can read.
func oneALine(t *testing.T, list []httpkit.Listed) []byte {
	t.Helper()
	lines := make([]string, len(list))
	for i, p := range list {
		b, err := json.Marshal(p)
		require.NoError(t, err)
		lines[i] = string(b)
	}
	return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n")
}
