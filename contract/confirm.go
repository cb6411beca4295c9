package contract

// ConfirmPath is where, below the API's address, the pages are on which payers confirm payments.
const ConfirmPath = "/confirm/"

// ConfirmLink is the link that a payer gets. publicURL is how the outside reaches the API; empty: the link is relative.
func ConfirmLink(publicURL, token string) string { return publicURL + ConfirmPath + token }

// ReturnLink is where a provider sends the payer's browser back to.
func ReturnLink(publicURL, token string) string { return ConfirmLink(publicURL, token) + "/return" }
