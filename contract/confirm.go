package contract

// ConfirmPath is the path, below the API's address, of the pages on which payers confirm payments.
const ConfirmPath = "/confirm/"

// ConfirmLink returns the link for a payer. publicURL is the address of the API from outside; empty: the link is
// relative.
func ConfirmLink(publicURL, token string) string { return publicURL + ConfirmPath + token }

// ReturnLink returns the link to which a provider sends the payer's browser back.
func ReturnLink(publicURL, token string) string { return ConfirmLink(publicURL, token) + "/return" }
