package customer

import (
	"fmt"
	"time"
)

// expiryNoticeDays is the time before the end of a card at which its expiry is announced: a month's renewals are
// between them, and time to ask for another card.
const expiryNoticeDays = 30

// NoticeAt returns when the expiry of the card is announced, in UTC; zero: the expiry is not known.
func (c Card) NoticeAt() time.Time {
	if c.ExpiryYear == 0 {
		return time.Time{}
	}
	end := time.Date(c.ExpiryYear, time.Month(c.ExpiryMonth)+1, 1, 0, 0, 0, 0, time.UTC)
	return end.AddDate(0, 0, -expiryNoticeDays)
}

// Expiry returns the last month in which the card is good, such as 2028-08.
func (c Card) Expiry() string { return fmt.Sprintf("%04d-%02d", c.ExpiryYear, c.ExpiryMonth) }
