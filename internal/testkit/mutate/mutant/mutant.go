// Package mutant has the calls by which internal/testkit/mutate replaces operators. Each call does what the operator
// does, unless MUTANT chooses its number: then it does what the mutant does. The product never imports it.
package mutant

import (
	"cmp"
	"os"
	"strconv"
	"sync"
)

// The variables that choose a mutant, and the file that receives the numbers of the mutants that a run reaches.
const (
	EnvChosen  = "MUTANT"
	EnvReached = "MUTANT_REACHED"
)

var (
	chosen, _ = strconv.Atoi(os.Getenv(EnvChosen)) // 0 is no mutant
	reached   = open(os.Getenv(EnvReached))
	known     sync.Map
)

func open(name string) *os.File {
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the tool's own file
	if err != nil {
		panic(err)
	}
	return file
}

func on(id int) bool {
	if reached != nil {
		if _, again := known.LoadOrStore(id, true); !again {
			if _, err := reached.WriteString(strconv.Itoa(id) + "\n"); err != nil {
				panic(err)
			}
		}
	}
	return id == chosen
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

type number interface {
	integer | ~float32 | ~float64
}

// Not returns the condition, negated by the mutant.
func Not(id int, condition bool) bool { return condition != on(id) }

// Less returns x < y; the mutant x <= y.
func Less[T cmp.Ordered](id int, x, y T) bool {
	if on(id) {
		return x <= y
	}
	return x < y
}

// LessEqual returns x <= y; the mutant x < y.
func LessEqual[T cmp.Ordered](id int, x, y T) bool {
	if on(id) {
		return x < y
	}
	return x <= y
}

// Greater returns x > y; the mutant x >= y.
func Greater[T cmp.Ordered](id int, x, y T) bool { return Less(id, y, x) }

// GreaterEqual returns x >= y; the mutant x > y.
func GreaterEqual[T cmp.Ordered](id int, x, y T) bool { return LessEqual(id, y, x) }

// And returns x && y; the mutant x || y.
func And(id int, x bool, y func() bool) bool {
	if on(id) {
		return x || y()
	}
	return x && y()
}

// Or returns x || y; the mutant x && y.
func Or(id int, x bool, y func() bool) bool {
	if on(id) {
		return x && y()
	}
	return x || y()
}

// Add returns x + y; the mutant x - y.
func Add[T number](id int, x, y T) T {
	if on(id) {
		return x - y
	}
	return x + y
}

// Sub returns x - y; the mutant x + y.
func Sub[T number](id int, x, y T) T {
	if on(id) {
		return x + y
	}
	return x - y
}

// Mul returns x * y; the mutant x / y.
func Mul[T number](id int, x, y T) T {
	if on(id) {
		return x / y
	}
	return x * y
}

// Quo returns x / y; the mutant x * y.
func Quo[T number](id int, x, y T) T {
	if on(id) {
		return x * y
	}
	return x / y
}

// Rem returns x % y; the mutant x * y.
func Rem[T integer](id int, x, y T) T {
	if on(id) {
		return x * y
	}
	return x % y
}

// Minus returns -x; the mutant x.
func Minus[T number](id int, x T) T {
	if on(id) {
		return x
	}
	return -x
}

// Signed returns x, which += or -= takes; the mutant -x.
func Signed[T number](id int, x T) T {
	if on(id) {
		return -x
	}
	return x
}
