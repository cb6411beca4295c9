package httpkit

import "net/http"

// Web pages may call what publishable keys open, whatever their origin: the key says who asks, and neither cookies nor
// other credentials of the browser are involved. Everything else stays closed to scripts of other origins, so that a
// secret key in a web page is of no use there.

// allowAnyOrigin lets a page read an answer, also a refusal.
func allowAnyOrigin(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy")
}

// preflight answers the question that browsers ask first, because Authorization is not a header of plain requests.
func preflight(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	allowAnyOrigin(header)
	header.Set("Access-Control-Allow-Methods", "GET, HEAD")
	header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	header.Set("Access-Control-Max-Age", "7200") // two hours; browsers honour no more
	w.WriteHeader(http.StatusNoContent)
}
