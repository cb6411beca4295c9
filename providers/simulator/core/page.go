package core

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// A provider's page imitates that of the payer's bank.

// PayersPage asks the payer; the form posts `decision`, which is `confirm` or `refuse`, to the same address.
func PayersPage() Answer {
	return page(http.StatusOK, `<p>A shop wants your money.<form method="post">`+
		`<button name="decision" value="confirm">Confirm</button> <button name="decision" value="refuse">Refuse</button></form>`)
}

// NoPayersPage returns a page that says that there is nothing to decide.
func NoPayersPage() Answer { return page(http.StatusNotFound, "<p>There is nothing to confirm here.") }

// PayerLeaves sends the payer's browser back to the shop, with the provider's parameters in the address.
func PayerLeaves(returnURL string, added url.Values, e *Effect) Answer {
	separator := "?"
	if strings.Contains(returnURL, "?") {
		separator = "&"
	}
	return Answer{
		Status: http.StatusSeeOther, Header: http.Header{"Location": {returnURL + separator + added.Encode()}}, Effect: e,
	}
}

func page(status int, body string) Answer {
	return Answer{
		Status: status, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: json.RawMessage("<!doctype html><title>Simulated bank</title>" + body),
	}
}
