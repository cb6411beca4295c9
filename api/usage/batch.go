package usage

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/billing/usage"
	"perennial/internal/telemetry"
	serviceusage "perennial/service/usage"
)

// maxUsageBody allows many records of 4 KiB each, which is more than a record with ten long properties has.
const maxUsageBody = 4 << 20

// UsageBatchForm reports many records of usage.
type UsageBatchForm struct {
	Records []UsageForm `json:"records" minItems:"1" maxItems:"1000" doc:"Records of any subscriptions and metrics, in any order."`
}

// UsageBatch has the results of records.
type UsageBatch struct {
	Data     []UsageResult `json:"data" doc:"One result for each record, in their order."`
	Accepted int           `json:"accepted" example:"1" doc:"How many were recorded by this request."`
	Repeated int           `json:"repeated" example:"0" doc:"How many had been recorded before."`
	Refused  int           `json:"refused" example:"0" doc:"How many were refused."`
}

// UsageResult is the result of one record.
type UsageResult struct {
	Status   int          `json:"status" example:"201" doc:"The HTTP status that the record would have had by itself: 201, also for a repeat, or that of its refusal."`
	Replayed bool         `json:"replayed,omitempty" doc:"true: it had been recorded before."`
	Record   *UsageRecord `json:"record,omitempty" doc:"The record, unless it was refused."`
	Error    *UsageError  `json:"error,omitempty" doc:"Why it was refused."`
}

// UsageError is why a record was refused.
type UsageError struct {
	Code   string `json:"code" example:"metric_not_found" doc:"A stable code, as of problems."`
	Param  string `json:"param,omitempty" example:"metricName" doc:"The wrong field of the record, if any."`
	Detail string `json:"detail" example:"The metric with this name does not exist." doc:"What is wrong and how to correct it."`
}

func usageError(err error) *UsageError {
	f := fault.From(err)
	if f.Kind == fault.Internal {
		return &UsageError{Code: f.Code, Detail: "The record met a server error. Quote the request id when you ask for help."}
	}
	return &UsageError{Code: f.Code, Param: f.Param, Detail: f.Detail}
}

func (h *Handler) recordUsageBatch(ctx context.Context, c *httpkit.Call, w http.ResponseWriter, _ *http.Request) error {
	if forms, plain := readPlainBatch(string(c.Body), usage.MaxBatch); plain {
		reports := make([]usageReport, len(forms))
		for i, form := range forms {
			reports[i] = reported(form)
		}
		return h.recordReports(ctx, c, w, reports)
	}
	entries, err := httpkit.Entries(c.Body, "records", usage.MaxBatch)
	if err != nil {
		return err
	}
	return h.recordEntries(ctx, c, w, entries, h.readUsage)
}

// recordEntries records the entries of a list, which are read one by one, and responds with their results.
func (h *Handler) recordEntries(
	ctx context.Context, c *httpkit.Call, w http.ResponseWriter, entries []json.RawMessage, read func([]byte) usageReport,
) error {
	reports := make([]usageReport, len(entries))
	for i, entry := range entries {
		reports[i] = read(entry)
	}
	return h.recordReports(ctx, c, w, reports)
}

// recordReports records records, and responds with their results.
func (h *Handler) recordReports(
	ctx context.Context, c *httpkit.Call, w http.ResponseWriter, reports []usageReport,
) error {
	out, refusals, err := h.recordAll(ctx, c, reports)
	if err != nil {
		return err
	}
	h.logServerErrors(ctx, refusals)
	httpkit.WriteJSON(w, httpkit.JSONType, http.StatusOK, out)
	return nil
}

// readUsage reads one record.
func (h *Handler) readUsage(text []byte) usageReport {
	form, plain := readPlain(string(text))
	if !plain {
		var err error
		if form, err = httpkit.ReadJSON[UsageForm](h.shapes, text, recordValues); err != nil {
			return usageReport{form: form, err: err}
		}
	}
	return reported(form)
}

// usageReport is a record as sent and as read, or the error of reading it.
type usageReport struct {
	form   UsageForm
	record usage.Record
	err    error
}

func reported(form UsageForm) usageReport {
	record, err := form.record()
	return usageReport{form: form, record: record, err: err}
}

// recordValues bounds the JSON values of one record.
const recordValues = usage.MaxProperties + 15

// recordAll records records and returns their results. refusals has the error of each refused record, since results do
// not show causes. err is an error of the whole request.
func (h *Handler) recordAll(
	ctx context.Context, c *httpkit.Call, reports []usageReport,
) (out UsageBatch, refusals []error, err error) {
	out, refusals = UsageBatch{Data: make([]UsageResult, len(reports))}, make([]error, len(reports))
	var records []usage.Record
	var places []int
	for i, r := range reports {
		if r.err != nil {
			refusals[i] = r.err
			out.refuse(i, r.err)
			continue
		}
		records, places = append(records, r.record), append(places, i)
	}
	outcomes, err := h.service.RecordUsageBatch(ctx, usecase.Caller(c), records)
	if err != nil {
		return out, nil, err
	}
	for n, o := range outcomes {
		refusals[places[n]] = o.Refusal
		out.take(places[n], reports[places[n]].form, o)
	}
	return out, refusals, nil
}

// logServerErrors writes one line about the server errors among refusals, with the cause of a defect, or of the first
// one. A disconnected caller's error does not count.
func (h *Handler) logServerErrors(ctx context.Context, refusals []error) {
	var cause error
	count := 0
	for _, err := range refusals {
		if err == nil || httpkit.StatusOf(err) < http.StatusInternalServerError {
			continue
		}
		if count++; cause == nil || !isDefect(cause) && isDefect(err) {
			cause = err
		}
	}
	if cause != nil && !errors.Is(ctx.Err(), context.Canceled) {
		telemetry.For(ctx, h.telemetry.Logger).Error("usage records met a server error", zap.Int("records", count),
			zap.String("code", fault.From(cause).Code), zap.Error(cause))
	}
}

// isDefect reports whether a refusal is a fault of the program, which a repetition would have again.
func isDefect(refusal error) bool { return fault.From(refusal).Kind == fault.Internal }

func (b *UsageBatch) take(i int, form UsageForm, o serviceusage.Outcome) {
	if o.Refusal != nil {
		b.refuse(i, o.Refusal)
		return
	}
	if o.Repeated {
		b.Repeated++
	} else {
		b.Accepted++
	}
	record := renderUsage(form, o.Record)
	b.Data[i] = UsageResult{Status: http.StatusCreated, Replayed: o.Repeated, Record: &record}
}

func (b *UsageBatch) refuse(i int, err error) {
	b.Refused++
	b.Data[i] = UsageResult{Status: httpkit.StatusOf(err), Error: usageError(err)}
}

func (h *Handler) usageBatchOperation(form UsageForm, example UsageRecord) {
	httpkit.RegisterRaw(h.kit, httpkit.Operation{
		Name: "recordUsageBatch", Method: http.MethodPost, Path: "/usage/batch", Tag: "Usage",
		Summary: "Record usage in a batch",
		Description: "Up to 1,000 records, in at most 4 MiB. Each is judged by itself and has its own result: some may " +
			"be recorded while others are refused. Send the whole batch again after a 503, also of a single result, or a lost connection: what " +
			"was recorded is not counted twice. A record that corrects another one may be in the same batch.",
		Status: http.StatusOK, Access: httpkit.WriteAccess,
		Request:  UsageBatchForm{Records: []UsageForm{form}},
		Response: UsageBatch{Data: []UsageResult{{Status: http.StatusCreated, Record: &example}}, Accepted: 1},
	}, httpkit.RawBody{
		Takes: []string{httpkit.JSONType}, Answers: httpkit.JSONType, Most: maxUsageBody,
	}, h.recordUsageBatch)
}
