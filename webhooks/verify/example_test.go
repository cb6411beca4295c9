package verify_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"perennial/webhooks/verify"
)

// A handler reads the body, verifies it, and only then parses it.
func ExampleVerify() {
	secrets := []string{"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="} // during a rotation: both
	handler := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		err = verify.Verify(r.Header, body, secrets, time.Now())
		switch {
		case errors.Is(err, verify.ErrTooOld):
			fmt.Println("A replay, or a clock that is wrong.")
		case err != nil:
			fmt.Println(err)
		}
		if err != nil {
			http.Error(w, "not accepted", http.StatusUnauthorized)
			return
		}
		fmt.Printf("Process %s.\n", body)
	}

	forged := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(`{"event":"payment.success"}`))
	forged.Header.Set("X-Service-Timestamp", "1763640000")
	forged.Header.Set("X-Service-Signature", strings.Repeat("0", 64))
	handler(httptest.NewRecorder(), forged)
	// Output: A replay, or a clock that is wrong.
}
