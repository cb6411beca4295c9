package letters

import "perennial/billing/email"

var italian = texts{
	Hello: "Buongiorno {customer},", Greeting: "Buongiorno,",
	Pay: "Paga la fattura", View: "Visualizza la fattura", Confirm: "Conferma il pagamento",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"Fattura {number} di {seller}", []string{
			"In allegato trova la Sua fattura {number} di {amount}.", "La preghiamo di pagarla entro il {due}.",
		}, nil},
		email.Receipt: {"Ricevuta di {seller}: {amount}", []string{
			"Abbiamo ricevuto il Suo pagamento di {amount} il {date}. Grazie.",
			"Riguardava la fattura {number}.", "In allegato trova la Sua ricevuta.",
		}, nil},
		email.PaymentFailed: {"Il Suo pagamento a {seller} non è riuscito", []string{
			"Il Suo pagamento di {amount} non è riuscito.", "Riguardava la fattura {number}.", "Riproveremo il {next}.",
			"La preghiamo di controllare il Suo metodo di pagamento o di sceglierne un altro.",
		}, nil},
		email.ConfirmationNeeded: {"Confermi il Suo pagamento a {seller}", []string{
			"Il Suo pagamento di {amount} richiede la Sua conferma.", "Riguarda la fattura {number}.",
			"La preghiamo di confermarlo entro il {by} con questo link:",
		}, nil},
		email.TrialWillEnd: {"La Sua prova di {plan} termina il {date}", []string{
			"La Sua prova di {plan} termina il {date}. In seguito l’abbonamento è a pagamento.",
		}, []string{"La Sua prova di {plan} termina il {date}. Il Suo abbonamento termina con essa e non paga nulla."}},
		email.RenewalReminder: {"Il Suo abbonamento a {plan} si rinnova il {date}", []string{
			"Il Suo abbonamento a {plan} si rinnova il {date} e costa {amount}.",
			"Quel giorno Le verrà chiesto di approvare il pagamento.",
		}, nil},
		email.CardWillExpire: {"La Sua carta scade a breve", []string{
			"La Sua carta {card}, con cui paga {seller}, scade alla fine di {expiry}.",
			"La preghiamo di aggiungerne una nuova in tempo, perché i Suoi pagamenti riescano.",
		}, nil},
		email.SubscriptionCanceled: {"Il Suo abbonamento a {plan} è terminato", []string{
			"Il Suo abbonamento a {plan} è terminato il {date}.", "Se non se lo aspettava, La preghiamo di contattarci.",
		}, nil},
		email.CreditNote: {"Nota di credito {number} di {seller}", []string{
			"In allegato trova la Sua nota di credito {number} di {amount}.", "Riguarda la fattura {of}.",
		}, nil},
		email.Refund: {"Rimborso di {seller}: {amount}", []string{
			"Le abbiamo rimborsato {amount} il {date}.", "Il pagamento riguardava la fattura {number}.",
			"La Sua banca può impiegare alcuni giorni a mostrarlo.",
		}, nil},
	},
}
