package letters

import "perennial/billing/email"

var french = texts{
	Hello: "Bonjour {customer},", Greeting: "Bonjour,",
	Pay: "Payer la facture", View: "Voir la facture", Confirm: "Confirmer le paiement",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"Facture {number} de {seller}", []string{
			"Votre facture {number} d’un montant de {amount} est jointe à ce message.", "Merci de la payer au plus tard le {due}.",
		}, nil},
		email.Receipt: {"Reçu de {seller} : {amount}", []string{
			"Nous avons reçu votre paiement de {amount} le {date}. Merci.",
			"Il concernait la facture {number}.", "Votre reçu est joint à ce message.",
		}, nil},
		email.PaymentFailed: {"Votre paiement à {seller} n’a pas abouti", []string{
			"Votre paiement de {amount} n’a pas abouti.", "Il concernait la facture {number}.",
			"Nous réessaierons le {next}.", "Merci de vérifier votre moyen de paiement ou d’en choisir un autre.",
		}, nil},
		email.ConfirmationNeeded: {"Merci de confirmer votre paiement à {seller}", []string{
			"Votre paiement de {amount} doit être confirmé.", "Il concerne la facture {number}.",
			"Merci de le confirmer au plus tard le {by}, par ce lien :",
		}, nil},
		email.TrialWillEnd: {"Votre essai de {plan} se termine le {date}", []string{
			"Votre essai de {plan} se termine le {date}. Ensuite, l’abonnement est payant.",
		}, []string{"Votre essai de {plan} se termine le {date}. Votre abonnement prend fin avec lui, et vous ne payez rien."}},
		email.RenewalReminder: {"Votre abonnement à {plan} est renouvelé le {date}", []string{
			"Votre abonnement à {plan} est renouvelé le {date} et coûte {amount}.",
			"Ce jour-là, il vous sera demandé d’approuver le paiement.",
		}, nil},
		email.CardWillExpire: {"Votre carte expire bientôt", []string{
			"Votre carte {card}, avec laquelle vous payez {seller}, expire à la fin du mois : {expiry}.",
			"Merci d’en ajouter une nouvelle à temps, pour que vos paiements aboutissent.",
		}, nil},
		email.SubscriptionCanceled: {"Votre abonnement à {plan} a pris fin", []string{
			"Votre abonnement à {plan} a pris fin le {date}.", "Si vous ne vous y attendiez pas, merci de nous contacter.",
		}, nil},
		email.CreditNote: {"Avoir {number} de {seller}", []string{
			"Votre avoir {number} d’un montant de {amount} est joint à ce message.", "Il concerne la facture {of}.",
		}, nil},
		email.Refund: {"Remboursement de {seller} : {amount}", []string{
			"Nous vous avons remboursé {amount} le {date}.", "Le paiement concernait la facture {number}.",
			"Votre banque peut mettre quelques jours à l’afficher.",
		}, nil},
	},
}
