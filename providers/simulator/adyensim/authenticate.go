package adyensim

import (
	"crypto/rand"
	"net/http"
	"net/url"

	"perennial/providers/simulator/core"
)

// authenticationRequired is the refusalReasonCode of a payment that the bank wants its payer for.
const authenticationRequired = "38"

// payersPath is the path of the page that imitates the bank's. The real one is on another host.
const payersPath = "/checkoutshopper/threeDS/redirect/"

// atPage finds the payment whose payer may be at the page.
func (d *Dialect) atPage(c *core.Call) *payment {
	if p := d.state.payments[c.PathValue("psp")]; p != nil && p.Status == resultRedirect {
		return p
	}
	return nil
}

func (d *Dialect) showPage(c *core.Call) core.Answer {
	if d.atPage(c) == nil {
		return core.NoPayersPage()
	}
	return core.PayersPage()
}

// leavePage reads the payer's decision and sends the browser back with a redirectResult. Nothing is authorised yet; a
// payer who decides again gets another result, and only the last one counts.
func (d *Dialect) leavePage(c *core.Call) core.Answer {
	p := d.atPage(c)
	form, err := url.ParseQuery(string(c.Body))
	if p == nil || err != nil {
		return core.NoPayersPage()
	}
	next := *p
	next.RedirectResult, next.Confirmed = "X6Xtf!"+rand.Text(), form.Get("decision") == "confirm"
	return core.PayerLeaves(p.ReturnURL, url.Values{"redirectResult": {next.RedirectResult}},
		changed("payer", &record{Payment: &next}))
}

// details completes a payment with the redirectResult from the payer's browser.
func (d *Dialect) details(c *core.Call) core.Answer {
	result := input[detailsRequest](c).Details.RedirectResult
	p := d.state.redirected(result)
	switch {
	case p == nil:
		return invalid("14_038", "Invalid redirectResult") // which code Adyen has for it is not documented
	case p.Status != resultRedirect:
		return d.Refuse(core.KeyInUse, "")
	}
	next, refusal := *p, "11"
	next.Status = resultRefused
	if p.Confirmed {
		next.Status, refusal = resultAuthorised, ""
	}
	return core.Answer{
		Status: http.StatusOK, Body: next.render(refusal), Remember: true, Effect: d.decided(&next, refusal, false),
	}
}

// redirected finds the payment of a redirectResult.
func (st *state) redirected(result string) *payment {
	for _, p := range st.payments {
		if result != "" && p.RedirectResult == result {
			return p
		}
	}
	return nil
}
