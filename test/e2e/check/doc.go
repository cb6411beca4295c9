// Package check is the judge of end-to-end tests: what must hold in an installation whatever was killed, once it has
// come to rest. It compares four witnesses that know nothing of each other: the provider's ledger, the rows, the
// events, and what the API acknowledged.
package check
