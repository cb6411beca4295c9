package taxid

import (
	"slices"
	"strings"

	"perennial/billing/cardnumber"
)

// Each of these reports whether the check digits of a number are right. The sources are those of kinds.

// britain takes the three ways in which check digits were made. Departments of the government and health authorities
// have none.
func britain(s string) bool {
	s = strings.TrimPrefix(s, "GB")
	if s[0] > '9' {
		return true
	}
	rest := weighted(s, 8, 7, 6, 5, 4, 3, 2, 10, 1) % 97
	return rest == 0 || rest == 42 || rest == 55
}

func norway(s string) bool {
	s = strings.TrimPrefix(s, "NO")
	check := (11 - weighted(s, 3, 2, 7, 6, 5, 4, 3, 2)%11) % 11
	return check == digit(s, 8)
}

func switzerland(s string) bool {
	s = strings.TrimPrefix(s, "CHE")
	check := (11 - weighted(s, 5, 4, 3, 2, 7, 6, 5, 4)%11) % 11
	return check == digit(s, 8)
}

func australia(s string) bool {
	return (weighted(s, 10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)-10)%89 == 0
}

func newZealand(s string) bool {
	s = strings.Repeat("0", 9-len(s)) + s
	check := (11 - weighted(s, 3, 2, 7, 6, 5, 4, 3, 2)%11) % 11
	if check == 10 {
		check = (11 - weighted(s, 7, 4, 3, 2, 5, 2, 7, 6)%11) % 11
	}
	return check == digit(s, 8)
}

// india uses Luhn's check with 36 characters, from the left.
func india(s string) bool {
	const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	sum := 0
	for i := range 14 {
		value := strings.IndexByte(characters, s[i]) * (1 + i%2)
		sum += value/36 + value%36
	}
	return s[14] == characters[(36-sum%36)%36]
}

func canada(s string) bool { return cardnumber.Luhn(s[:9]) }

// unassigned are the prefixes that the Internal Revenue Service gives to no EIN.
var unassigned = []string{
	"00", "07", "08", "09", "17", "18", "19", "28", "29", "49", "69", "70", "78", "79", "89", "96", "97",
}

func unitedStates(s string) bool { return !slices.Contains(unassigned, s[:2]) }
