package flutterwave

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"perennial/providers"
)

// The bounds of a list that we read to its end. The parameters page, size and from are known from third parties only.
const (
	listPages = 10
	listSize  = 100
)

// listOf reads all pages of a list since a moment, empty for all time. Where a page cannot be read, or the list is
// longer than we are willing to read, unread says why.
func listOf[T any](
	ctx context.Context, f *Flutterwave, path, since string,
) (all []T, last exchange, unread *providers.Result) {
	query := url.Values{"size": {strconv.Itoa(listSize)}}
	if since != "" {
		query.Set("from", since)
	}
	for page := 1; page <= listPages; page++ {
		query.Set("page", strconv.Itoa(page))
		x := f.get(ctx, path, query)
		e, ok := x.success()
		var some []T
		if !ok || json.Unmarshal(e.Data, &some) != nil {
			res := f.refused(x, reading)
			res.Outcome = providers.Unknown // a missing list is not a missing operation
			return nil, x, &res
		}
		all = append(all, some...)
		if len(some) == 0 || page >= e.Meta.PageInfo.TotalPages {
			return all, x, nil
		}
	}
	return nil, exchange{}, &providers.Result{
		Outcome: providers.Unknown, FailureReason: "the list " + path + " is longer than we read",
	}
}
