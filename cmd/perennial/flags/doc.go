// Package flags owns the flags that several commands take: an environment, the credentials of an account, lists. It
// does not own what commands do with them.
package flags
