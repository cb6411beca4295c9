// Package load is what apps ask of an installation in end-to-end tests: a crowd of customers who subscribe, pay, change
// their minds and travel in time, each by a script that a seed decides. It repeats what fails, as a good client does.
// It does not own what must hold afterwards (check).
package load
