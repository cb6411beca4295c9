package taxid

import "strconv"

// weighted returns the sum of digits, each times its weight. What is no digit counts as its distance from 0; forms
// are checked first.
func weighted(s string, weights ...int) (sum int) {
	for i, w := range weights {
		sum += w * digit(s, i)
	}
	return sum
}

func digit(s string, i int) int { return int(s[i] - '0') }

// modulo returns the remainder of a number of any length.
func modulo(digits string, by int) (rest int) {
	for i := range len(digits) {
		rest = (rest*10 + digit(digits, i)) % by
	}
	return rest
}

// numbered spells letters as ISO 7064 counts them, A as 10 and Z as 35, and leaves digits.
func numbered(s string) string {
	var out []byte
	for _, r := range []byte(s) {
		if r >= 'A' {
			out = strconv.AppendInt(out, int64(r-'A'+10), 10)
		} else {
			out = append(out, r)
		}
	}
	return string(out)
}

// mod11And10 reports whether the last digit is the check digit of ISO 7064, MOD 11,10.
func mod11And10(s string) bool {
	check := 5
	for i := range len(s) {
		if check == 0 {
			check = 10
		}
		check = (check*2%11 + digit(s, i)) % 10
	}
	return check == 1
}
