package httpkit

import (
	"context"
	"net/http"
	"runtime/debug"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/internal/telemetry"
)

// requestIDFrom is the id that telemetry gave the request.
func requestIDFrom(ctx context.Context) string { return telemetry.RequestFrom(ctx).ID }

// headed sets the headers of every answer, in addition to the X-Request-Id of telemetry.
func headed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-store") // answers are about money and people
		next.ServeHTTP(w, r)
	})
}

// headIsGet serves HEAD like GET; net/http, which knows the real method, sends the headers alone.
func headIsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.WithContext(r.Context()) // a copy: the log still shows HEAD
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into a bare 500. The cause is in the log only.
func (k *Kit) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			cause := recover()
			if cause == nil {
				return
			}
			// net/http's own way to end an answer: nothing is wrong, and nothing may be written any more.
			if cause == http.ErrAbortHandler { //nolint:errorlint // net/http compares it the same way
				panic(cause)
			}
			ctx := r.Context()
			telemetry.For(ctx, k.telemetry.Logger).Error("panic", zap.Any("panic", cause),
				zap.ByteString("stack", debug.Stack()))
			writeProblem(w, k.refuse(ctx, fault.New(fault.Internal, "internal", "")))
		}()
		next.ServeHTTP(w, r)
	})
}

// Web pages may call what publishable keys open, whatever their origin: the key says who asks, and neither cookies nor
// other credentials of the browser are involved. Everything else stays closed to scripts of other origins, so that a
// secret key in a web page is of no use there.

// allowAnyOrigin lets a page read an answer, also a refusal.
func allowAnyOrigin(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy")
}

// preflight answers the preflight request of browsers, which Authorization requires.
func preflight(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	allowAnyOrigin(header)
	header.Set("Access-Control-Allow-Methods", "GET, HEAD")
	header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	header.Set("Access-Control-Max-Age", "7200") // two hours; browsers honour no more
	w.WriteHeader(http.StatusNoContent)
}
