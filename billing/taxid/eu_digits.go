package taxid

import (
	"strings"

	"perennial/billing/cardnumber"
)

// Each of these reports whether the check digits of a number without its prefix are right. A number of a form that
// has none, such as those of persons, is right. The sources are those of members.

func austria(s string) bool {
	sum := 4
	for i := 1; i < 8; i++ {
		d := digit(s, i)
		if i%2 == 0 {
			d = d/5 + d*2%10
		}
		sum += d
	}
	return (sum+digit(s, 8))%10 == 0
}

func belgium(s string) bool { return (modulo(s[:8], 97)+modulo(s[8:], 97))%97 == 0 }

func bulgaria(s string) bool {
	if len(s) == 10 { // persons and foreigners
		return true
	}
	check := weighted(s, 1, 2, 3, 4, 5, 6, 7, 8) % 11
	if check == 10 {
		check = weighted(s, 3, 4, 5, 6, 7, 8, 9, 10) % 11 % 10
	}
	return check == digit(s, 8)
}

func cyprus(s string) bool {
	odd := [...]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21}
	sum := 0
	for i := range 8 {
		if d := digit(s, i); i%2 == 0 {
			sum += odd[d]
		} else {
			sum += d
		}
	}
	return s[8] == byte('A'+sum%26)
}

func czechia(s string) bool {
	if len(s) > 8 { // persons
		return true
	}
	check := (11 - weighted(s, 8, 7, 6, 5, 4, 3, 2)%11) % 11
	return max(check, 1)%10 == digit(s, 7)
}

func denmark(s string) bool { return weighted(s, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0 }

func estonia(s string) bool { return weighted(s, 3, 7, 1, 3, 7, 1, 3, 7, 1)%10 == 0 }

func finland(s string) bool { return weighted(s, 7, 9, 10, 5, 8, 4, 2, 1)%11 == 0 }

func greece(s string) bool {
	return weighted(s, 256, 128, 64, 32, 16, 8, 4, 2)%11%10 == digit(s, 8)
}

func hungary(s string) bool { return weighted(s, 9, 7, 3, 1, 9, 7, 3, 1)%10 == 0 }

// france checks the key before the SIREN. Monaco has numbers of the form, whose SIREN begins with three zeros.
func france(s string) bool {
	const letters = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
	key, siren := s[:2], s[2:]
	if siren[:3] != "000" && !cardnumber.Luhn(siren) {
		return false
	}
	first, second := strings.IndexByte(letters, key[0]), strings.IndexByte(letters, key[1])
	switch {
	case first < 10 && second < 10:
		return modulo(siren+"12", 97) == first*10+second
	case first < 10:
		first = first*24 + second - 10
	default:
		first = first*34 + second - 100
	}
	return (modulo(siren, 11)+1+first/11)%11 == first%11
}

func ireland(s string) bool {
	const letters = "WABCDEFGHIJKLMNOPQRSTUV"
	digits, extra := s[:7], 0
	if s[1] < '0' || s[1] > '9' { // before 1991
		digits = "0" + s[2:7] + s[:1]
	} else if len(s) == 9 {
		extra = strings.IndexByte(letters, s[8])
	}
	return letters[(weighted(digits, 8, 7, 6, 5, 4, 3, 2)+9*extra)%23] == s[7]
}

// italy has the office that gave the number before the check digit: a province, or one for others.
func italy(s string) bool {
	office := modulo(s[7:10], 1000)
	known := office > 0 && office <= 100 || office == 120 || office == 121 || office == 888 || office == 999
	return cardnumber.Luhn(s) && s[:7] != "0000000" && known
}

func latvia(s string) bool {
	if s[0] <= '3' { // persons
		return true
	}
	return weighted(s, 9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1)%11 == 3
}

func lithuania(s string) bool {
	last := len(s) - 1
	if s[last-1] != '1' {
		return false
	}
	once, twice := 0, 0
	for i := range last {
		once += (1 + i%9) * digit(s, i)
		twice += (1 + (i+2)%9) * digit(s, i)
	}
	if once%11 == 10 {
		return twice%11%10 == digit(s, last)
	}
	return once%11 == digit(s, last)
}

func luxembourg(s string) bool { return modulo(s[:6], 89) == modulo(s[6:], 100) }

func malta(s string) bool { return weighted(s, 3, 4, 6, 7, 8, 9, 10, 1)%37 == 0 }

// netherlands takes both kinds of check digits: persons have had the second since 2020, so that the number of a
// citizen is not in it.
func netherlands(s string) bool {
	whole := strings.Trim(s[:9], "0123456789") == "" && weighted(s, 9, 8, 7, 6, 5, 4, 3, 2)%11 == digit(s, 8)
	return whole || !strings.ContainsAny(s, "+*") && modulo(numbered("NL"+s), 97) == 1
}

func poland(s string) bool { return weighted(s, 6, 5, 7, 2, 3, 4, 5, 6, 7)%11 == digit(s, 9) }

func portugal(s string) bool {
	return (11-weighted(s, 9, 8, 7, 6, 5, 4, 3, 2)%11)%11%10 == digit(s, 8)
}

func romania(s string) bool {
	s = strings.Repeat("0", 10-len(s)) + s
	return 10*weighted(s, 7, 5, 3, 2, 1, 7, 5, 3, 2)%11%10 == digit(s, 9)
}

func slovakia(s string) bool { return modulo(s, 11) == 0 }

func slovenia(s string) bool {
	check := 11 - weighted(s, 8, 7, 6, 5, 4, 3, 2)%11
	return check != 11 && check%10 == digit(s, 7)
}

// spain has three kinds: citizens (eight digits and a letter), foreigners and minors (a letter before them), and
// companies, whose last character is a digit or the letter for it.
func spain(s string) bool {
	const letters = "TRWAGMYFPDXBNJZSQVHLCKE"
	digits := s[:8]
	switch first := s[0]; {
	case first == 'K', first == 'L', first == 'M':
		digits = s[1:8]
	case first == 'X', first == 'Y', first == 'Z':
		digits = string(first-'X'+'0') + s[1:8]
	case first >= 'A':
		for check := range 10 {
			if cardnumber.Luhn(s[1:8] + string(rune('0'+check))) {
				return s[8] == byte('0'+check) || s[8] == "JABCDEFGHI"[check]
			}
		}
	}
	return s[8] == letters[modulo(digits, 23)]
}

func sweden(s string) bool { return cardnumber.Luhn(s[:10]) && s[10:] != "00" }
