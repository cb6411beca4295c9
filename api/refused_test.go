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

// refused holds each status that a test meets, and the codes of each 402, 409 and 422, against the document: a client
// that handles what is listed for an operation has handled all.
type refused struct {
	mu       sync.Mutex
	unlisted []string // "POST /v1/plans: code"
}

// coded are the statuses whose codes the document lists by operation.
var coded = []int{http.StatusPaymentRequired, http.StatusConflict, http.StatusUnprocessableEntity}

func (r *refused) note(request *http.Request, answer *httptest.ResponseRecorder) {
	listed, has, documented := listedFor(request.Method, request.URL.Path, answer.Code)
	if !documented {
		return
	}
	if !has && answer.Code != http.StatusMethodNotAllowed { // which is of the path, not of an operation
		r.mu.Lock()
		r.unlisted = append(r.unlisted, request.Method+" "+request.URL.Path+": "+strconv.Itoa(answer.Code))
		r.mu.Unlock()
	}
	var p httpkit.Problem
	if !slices.Contains(coded, answer.Code) || json.Unmarshal(answer.Body.Bytes(), &p) != nil {
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

// listedFor returns the codes that the document lists for a status of the operation. has reports whether it has the
// status, and documented whether there is such an operation.
func listedFor(method, path string, status int) (codes []string, has, documented bool) {
	for _, o := range documentedOperations() {
		if o.method == method && o.path.MatchString(path) {
			response, has := o.responses[strconv.Itoa(status)]
			_, list, _ := strings.Cut(response.Description, " Codes: ")
			return strings.Split(strings.TrimSuffix(list, "."), ", "), has, true
		}
	}
	return nil, false, false
}
