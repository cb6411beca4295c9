package letters

import "perennial/billing/email"

var swahili = texts{
	Hello: "Habari {customer},", Greeting: "Habari,",
	Pay: "Lipa ankara", View: "Tazama ankara", Confirm: "Thibitisha malipo",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"Ankara {number} kutoka {seller}", []string{
			"Ankara yako {number} ya {amount} imeambatishwa.", "Tafadhali ilipe kufikia {due}.",
		}, nil},
		email.Receipt: {"Risiti kutoka {seller}: {amount}", []string{
			"Tumepokea malipo yako ya {amount} tarehe {date}. Asante.", "Yalikuwa ya ankara {number}.",
			"Risiti yako imeambatishwa.",
		}, nil},
		email.PaymentFailed: {"Malipo yako kwa {seller} hayakufanikiwa", []string{
			"Malipo yako ya {amount} hayakufanikiwa.", "Yalikuwa ya ankara {number}.", "Tutajaribu tena tarehe {next}.",
			"Tafadhali kagua njia yako ya malipo au chagua nyingine.",
		}, nil},
		email.ConfirmationNeeded: {"Tafadhali thibitisha malipo yako kwa {seller}", []string{
			"Malipo yako ya {amount} yanahitaji uthibitisho wako.", "Ni ya ankara {number}.",
			"Tafadhali yathibitishe kufikia {by} kwa kiungo hiki:",
		}, nil},
		email.TrialWillEnd: {"Jaribio lako la {plan} litaisha tarehe {date}", []string{
			"Jaribio lako la {plan} litaisha tarehe {date}. Baada ya hapo, usajili unalipiwa.",
		}, []string{"Jaribio lako la {plan} litaisha tarehe {date}. Usajili wako utaisha pamoja nalo, na hutalipa chochote."}},
		email.RenewalReminder: {"Usajili wako wa {plan} utahuishwa tarehe {date}", []string{
			"Usajili wako wa {plan} utahuishwa tarehe {date} na unagharimu {amount}.",
			"Siku hiyo utaombwa kuidhinisha malipo.",
		}, nil},
		email.CardWillExpire: {"Kadi yako itaisha muda hivi karibuni", []string{
			"Kadi yako {card}, ambayo unailipia {seller}, itaisha muda mwishoni mwa {expiry}.",
			"Tafadhali ongeza mpya mapema, ili malipo yako yafanikiwe.",
		}, nil},
		email.SubscriptionCanceled: {"Usajili wako wa {plan} umeisha", []string{
			"Usajili wako wa {plan} uliisha tarehe {date}.", "Ikiwa hukutarajia hili, tafadhali wasiliana nasi.",
		}, nil},
		email.CreditNote: {"Hati ya mkopo {number} kutoka {seller}", []string{
			"Hati yako ya mkopo {number} ya {amount} imeambatishwa.", "Ni ya ankara {of}.",
		}, nil},
		email.Refund: {"Marejesho kutoka {seller}: {amount}", []string{
			"Tumekurejeshea {amount} tarehe {date}.", "Malipo yalikuwa ya ankara {number}.",
			"Benki yako inaweza kuchukua siku kadhaa kuonyesha.",
		}, nil},
	},
}
