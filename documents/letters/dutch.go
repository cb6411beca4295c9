package letters

import "perennial/billing/email"

var dutch = texts{
	Hello: "Hallo {customer},", Greeting: "Hallo,",
	Pay: "Factuur betalen", View: "Factuur bekijken", Confirm: "Betaling bevestigen",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"Factuur {number} van {seller}", []string{
			"Uw factuur {number} van {amount} vindt u in de bijlage.", "Wilt u deze uiterlijk op {due} betalen?",
		}, nil},
		email.Receipt: {"Betalingsbewijs van {seller}: {amount}", []string{
			"Wij hebben uw betaling van {amount} op {date} ontvangen. Hartelijk dank.",
			"Deze was voor factuur {number}.", "Uw betalingsbewijs vindt u in de bijlage.",
		}, nil},
		email.PaymentFailed: {"Uw betaling aan {seller} is niet gelukt", []string{
			"Uw betaling van {amount} is niet gelukt.", "Deze was voor factuur {number}.",
			"Wij proberen het op {next} opnieuw.", "Controleer uw betaalmethode of kies een andere.",
		}, nil},
		email.ConfirmationNeeded: {"Bevestig uw betaling aan {seller}", []string{
			"Uw betaling van {amount} heeft uw bevestiging nodig.", "Deze is voor factuur {number}.",
			"Bevestig deze uiterlijk op {by} via deze link:",
		}, nil},
		email.TrialWillEnd: {"Uw proefperiode van {plan} eindigt op {date}", []string{
			"Uw proefperiode van {plan} eindigt op {date}. Daarna wordt het abonnement betaald.",
		}, []string{"Uw proefperiode van {plan} eindigt op {date}. Uw abonnement eindigt daarmee, en u betaalt niets."}},
		email.RenewalReminder: {"Uw abonnement op {plan} wordt op {date} verlengd", []string{
			"Uw abonnement op {plan} wordt op {date} verlengd en kost {amount}.",
			"Op die dag wordt u gevraagd de betaling goed te keuren.",
		}, nil},
		email.CardWillExpire: {"Uw kaart verloopt binnenkort", []string{
			"Uw kaart {card}, waarmee u {seller} betaalt, verloopt eind {expiry}.",
			"Voeg op tijd een nieuwe toe, zodat uw betalingen lukken.",
		}, nil},
		email.SubscriptionCanceled: {"Uw abonnement op {plan} is beëindigd", []string{
			"Uw abonnement op {plan} is op {date} beëindigd.", "Neem contact met ons op als u dit niet verwachtte.",
		}, nil},
		email.CreditNote: {"Creditnota {number} van {seller}", []string{
			"Uw creditnota {number} van {amount} vindt u in de bijlage.", "Deze hoort bij factuur {of}.",
		}, nil},
		email.Refund: {"Terugbetaling van {seller}: {amount}", []string{
			"Wij hebben u op {date} {amount} terugbetaald.", "De betaling was voor factuur {number}.",
			"Het kan enkele dagen duren voordat uw bank dit toont.",
		}, nil},
	},
}
