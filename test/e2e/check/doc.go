// Package check is the judge of end-to-end tests: the invariants of an installation, whatever was killed, once it has
// come to rest. It compares four independent witnesses: the provider's ledger, the rows, the events, and the API's
// acknowledgements.
package check
