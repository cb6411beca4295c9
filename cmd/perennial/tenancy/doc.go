// Package tenancy owns the commands about API keys, what encrypts credentials, and the audit log. It does not own the
// use cases (service/tenancy).
package tenancy
