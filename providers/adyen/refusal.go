package adyen

import "perennial/providers"

// refusal is one of Adyen's refusalReasonCodes: its text, and our failure code.
type refusal struct {
	text string
	code providers.FailureCode
}

// refusals are Adyen's published codes. One that is not here is DECLINED: Adyen adds new ones.
var refusals = map[string]refusal{
	"2":  {"Refused", providers.DeclinedCode},
	"3":  {"Referral", providers.DeclinedCode},
	"4":  {"Acquirer Error", providers.DeclinedCode},
	"5":  {"Blocked Card", providers.AccountBlocked},
	"6":  {"Expired Card", providers.InvalidAccount},
	"7":  {"Invalid Amount", providers.DeclinedCode},
	"8":  {"Invalid Card Number", providers.InvalidAccount},
	"9":  {"Issuer Unavailable", providers.DeclinedCode},
	"10": {"Not supported", providers.InvalidAccount},
	"11": {"3D Not Authenticated", providers.DeclinedCode},
	"12": {"Not enough balance", providers.InsufficientFunds},
	"14": {"Acquirer Fraud", providers.AccountBlocked},
	"15": {"Cancelled", providers.DeclinedCode},
	"16": {"Shopper Cancelled", providers.DeclinedCode},
	"17": {"Invalid Pin", providers.DeclinedCode},
	"18": {"Pin tries exceeded", providers.AccountBlocked},
	"19": {"Pin validation not possible", providers.DeclinedCode},
	"20": {"FRAUD", providers.AccountBlocked},
	"21": {"Not Submitted", providers.DeclinedCode},
	"22": {"FRAUD-CANCELLED", providers.AccountBlocked},
	"23": {"Transaction Not Permitted", providers.DeclinedCode},
	"24": {"CVC Declined", providers.InvalidAccount},
	"25": {"Restricted Card", providers.AccountBlocked},
	"26": {"Revocation Of Auth", providers.AccountBlocked},
	"27": {"Declined Non Generic", providers.DeclinedCode},
	"28": {"Withdrawal amount exceeded", providers.DailyLimit},
	"29": {"Withdrawal count exceeded", providers.DailyLimit},
	"31": {"Issuer Suspected Fraud", providers.AccountBlocked},
	"32": {"AVS Declined", providers.DeclinedCode},
	"33": {"Card requires online pin", providers.DeclinedCode},
	"34": {"No checking account available on Card", providers.InvalidAccount},
	"35": {"No savings account available on Card", providers.InvalidAccount},
	"36": {"Mobile pin required", providers.DeclinedCode},
	"37": {"Contactless fallback", providers.DeclinedCode},
	"38": {"Authentication required", providers.DeclinedCode},
	"39": {"RReq not received from DS", providers.DeclinedCode},
	"42": {"3DS Authentication Error", providers.DeclinedCode},
	"46": {"Transaction blocked by Adyen to prevent excessive retry fees", providers.DeclinedCode},
}

// texts are the published texts. A webhook's reason is shown only where it is one of them: nothing signs it, and for a
// success it holds card digits.
var texts = func() map[string]bool {
	m := make(map[string]bool, len(refusals))
	for _, r := range refusals {
		m[r.text] = true
	}
	return m
}()

// failureCode is the short reason of a refused payment.
func failureCode(p payment) providers.FailureCode {
	if r, ok := refusals[p.RefusalReasonCode]; ok {
		return r.code
	}
	return providers.DeclinedCode
}

// reason is the sentence for people, and the published text where Adyen sent none.
func reason(p payment) string {
	switch r, known := refusals[p.RefusalReasonCode]; {
	case p.RefusalReason != "":
		return p.RefusalReason
	case known:
		return r.text
	case p.RefusalReasonCode != "":
		return "refused with code " + p.RefusalReasonCode
	}
	return "the payment was refused"
}
