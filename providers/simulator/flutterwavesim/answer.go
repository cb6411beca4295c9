package flutterwavesim

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"time"

	"perennial/providers/simulator/core"
)

func success(status int, data any) core.Answer {
	return core.Answer{Status: status, Body: map[string]any{"status": "success", "message": "Done", "data": data}}
}

func failed(status int, kind, code, message string) core.Answer {
	return core.Answer{Status: status, Body: map[string]any{
		"status": "failed", "error": map[string]any{"type": kind, "code": code, "message": message},
	}}
}

// invalid is a validation error about one field.
func invalid(field, message string) core.Answer {
	return core.Answer{Status: http.StatusBadRequest, Body: map[string]any{
		"status": "failed", "error": map[string]any{
			"type": "REQUEST_NOT_VALID", "code": "10400", "message": "Request is not valid",
			"validation_errors": []any{map[string]any{"field_name": field, "message": message}},
		},
	}}
}

func missing(what string) core.Answer {
	return failed(http.StatusNotFound, "RESOURCE_NOT_FOUND", "10404", what+" not found")
}

func unauthorized() core.Answer {
	return failed(http.StatusUnauthorized, "UNAUTHORIZED", "10401", "Unauthorized")
}

func overloaded() core.Answer {
	return core.Answer{
		Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}},
		Body: map[string]any{"message": "API rate limit exceeded"},
	}
}

func refuse(a core.Answer) *core.Answer { return &a }

// newID is random, because a restarted simulator must not hand out an ID twice.
func newID(prefix string) string { return prefix + rand.Text()[:16] }

func datetime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// page is a part of a list, newest first, by the parameters page, size and from.
func page[T any](c *core.Call, newestFirst []T, created func(T) time.Time, render func(T) map[string]any) core.Answer {
	number, size := parameter(c, "page", 1), parameter(c, "size", 10)
	if number < 1 || size < 1 || size > 100 {
		return invalid("page", "and size must be positive, size at most 100")
	}
	var from time.Time
	if text := c.Query.Get("from"); text != "" {
		var err error
		if from, err = time.Parse(time.RFC3339, text); err != nil {
			return invalid("from", "must be a time")
		}
	}
	var wanted []T
	for _, v := range newestFirst {
		if !created(v).Before(from) {
			wanted = append(wanted, v)
		}
	}
	data := []any{}
	for i := (number - 1) * size; i < min(number*size, len(wanted)); i++ {
		data = append(data, render(wanted[i]))
	}
	a := success(http.StatusOK, data)
	a.Body.(map[string]any)["meta"] = map[string]any{ //nolint:forcetypeassert // success made it
		"page_info": map[string]any{
			"total": len(wanted), "current_page": number, "total_pages": (len(wanted) + size - 1) / size,
		},
	}
	return a
}

func parameter(c *core.Call, name string, absent int) int {
	if !c.Query.Has(name) {
		return absent
	}
	n, err := strconv.Atoi(c.Query.Get(name))
	if err != nil || n > 1_000_000 {
		return 0
	}
	return n
}
