package letters

import "perennial/billing/email"

var german = texts{
	Hello: "Guten Tag {customer},", Greeting: "Guten Tag,",
	Pay: "Rechnung bezahlen", View: "Rechnung ansehen", Confirm: "Zahlung bestätigen",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"Rechnung {number} von {seller}", []string{
			"Ihre Rechnung {number} über {amount} finden Sie im Anhang.", "Bitte bezahlen Sie sie bis zum {due}.",
		}, nil},
		email.Receipt: {"Zahlungsbeleg von {seller}: {amount}", []string{
			"Wir haben Ihre Zahlung von {amount} am {date} erhalten. Vielen Dank.",
			"Sie war für die Rechnung {number}.", "Ihren Zahlungsbeleg finden Sie im Anhang.",
		}, nil},
		email.PaymentFailed: {"Ihre Zahlung an {seller} war nicht erfolgreich", []string{
			"Ihre Zahlung von {amount} war nicht erfolgreich.", "Sie war für die Rechnung {number}.",
			"Wir versuchen es am {next} erneut.", "Bitte prüfen Sie Ihre Zahlungsmethode, oder wählen Sie eine andere.",
		}, nil},
		email.ConfirmationNeeded: {"Bitte bestätigen Sie Ihre Zahlung an {seller}", []string{
			"Ihre Zahlung von {amount} braucht Ihre Bestätigung.", "Sie ist für die Rechnung {number}.",
			"Bitte bestätigen Sie sie bis zum {by} über diesen Link:",
		}, nil},
		email.TrialWillEnd: {"Ihr Testzeitraum von {plan} endet am {date}", []string{
			"Ihr Testzeitraum von {plan} endet am {date}. Danach ist das Abonnement kostenpflichtig.",
		}, []string{"Ihr Testzeitraum von {plan} endet am {date}. Ihr Abonnement endet mit ihm, und Sie bezahlen nichts."}},
		email.RenewalReminder: {"Ihr Abonnement von {plan} verlängert sich am {date}", []string{
			"Ihr Abonnement von {plan} verlängert sich am {date} und kostet {amount}.",
			"An diesem Tag werden Sie gebeten, die Zahlung zu genehmigen.",
		}, nil},
		email.CardWillExpire: {"Ihre Karte läuft bald ab", []string{
			"Ihre Karte {card}, mit der Sie {seller} bezahlen, läuft Ende {expiry} ab.",
			"Bitte hinterlegen Sie rechtzeitig eine neue, damit Ihre Zahlungen erfolgreich sind.",
		}, nil},
		email.SubscriptionCanceled: {"Ihr Abonnement von {plan} ist beendet", []string{
			"Ihr Abonnement von {plan} wurde am {date} beendet.", "Wenn Sie das nicht erwartet haben, wenden Sie sich bitte an uns.",
		}, nil},
		email.CreditNote: {"Rechnungskorrektur {number} von {seller}", []string{
			"Ihre Rechnungskorrektur {number} über {amount} finden Sie im Anhang.", "Sie gehört zur Rechnung {of}.",
		}, nil},
		email.Refund: {"Erstattung von {seller}: {amount}", []string{
			"Wir haben Ihnen am {date} {amount} erstattet.", "Die Zahlung war für die Rechnung {number}.",
			"Bis Ihre Bank die Erstattung anzeigt, können einige Tage vergehen.",
		}, nil},
	},
}
