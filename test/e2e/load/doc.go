// Package load is the use of an installation in end-to-end tests: a crowd of customers who subscribe, pay, change their
// minds and travel in time, each by a script that a seed decides. It repeats failed requests, as a good client does. It
// does not own the checks afterwards (check).
package load
