// Package orders lets tests go through all orders of a few things, such as messages that arrive in any.
package orders

import "slices"

// Of returns all orders of the numbers below n: n! of them.
func Of(n int) (all [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, rest := range Of(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(rest), i, n-1))
		}
	}
	return all
}
