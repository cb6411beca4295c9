// Package monthly owns the figures of one month: what was invoiced, voided, credited, taxed, collected and given back,
// by currency and by tax rate, and how the receivables and the customers' credit came from the month's start to its
// end. It does not own which rows are read, nor how the figures are shown.
//
// Each document counts in the month of its own moment, which never changes afterwards: an invoice when it was issued,
// and again, the other way, when it was voided. So the figures of a month that is over stay what they are.
package monthly
