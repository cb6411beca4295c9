// Package usage owns the command that counts usage again. It does not own the counting (service/usage).
package usage
