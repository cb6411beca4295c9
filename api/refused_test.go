package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"perennial/api/httpkit"
)

// refused holds each 409 and 422 that a test meets against the document: a client that handles the codes listed for an
// operation has handled all.
type refused struct {
	mu       sync.Mutex
	unlisted []string // "POST /v1/plans: code"
}

func (r *refused) note(request *http.Request, answer *httptest.ResponseRecorder) {
	if answer.Code != http.StatusConflict && answer.Code != http.StatusUnprocessableEntity {
		return
	}
	var p httpkit.Problem
	listed, documented := listedFor(request.Method, request.URL.Path, answer.Code)
	if !documented || json.Unmarshal(answer.Body.Bytes(), &p) != nil {
		return
	}
	codes := []string{p.Code}
	for _, field := range p.Errors {
		codes = append(codes, field.Code)
	}
	for _, code := range codes {
		if !slices.Contains(listed, code) {
			r.mu.Lock()
			r.unlisted = append(r.unlisted, request.Method+" "+request.URL.Path+": "+code)
			r.mu.Unlock()
		}
	}
}

type documentedOperation struct {
	method    string
	path      *regexp.Regexp
	responses map[string]struct{ Description string }
}

var documentedOperations = sync.OnceValue(func() (all []documentedOperation) {
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct{ Description string }
		}
	}
	if err := json.Unmarshal(Document("test"), &doc); err != nil {
		panic(err) // TestOpenAPI_IsCommitted reports it
	}
	for path, item := range doc.Paths {
		pattern := "^/(api|v1)" + regexp.MustCompile(`{\w+}`).ReplaceAllString(path, "[^/]+") + "$"
		for method, operation := range item {
			all = append(all, documentedOperation{strings.ToUpper(method), regexp.MustCompile(pattern), operation.Responses})
		}
	}
	return all
})

// listedFor returns the codes that the document lists for a status of the operation; false: no operation is there.
func listedFor(method, path string, status int) (codes []string, documented bool) {
	for _, o := range documentedOperations() {
		if o.method == method && o.path.MatchString(path) {
			_, list, _ := strings.Cut(o.responses[strconv.Itoa(status)].Description, " Codes: ")
			return strings.Split(strings.TrimSuffix(list, "."), ", "), true
		}
	}
	return nil, false
}
