// Package payments owns the commands about payments in review, lost callbacks, and accounts at payment providers. It
// does not own the use cases (service/payments).
package payments
