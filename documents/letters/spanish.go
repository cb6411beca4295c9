package letters

import "perennial/billing/email"

var spanish = texts{
	Hello: "Hola, {customer}:", Greeting: "Hola:",
	Pay: "Pagar la factura", View: "Ver la factura", Confirm: "Confirmar el pago",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"Factura {number} de {seller}", []string{
			"Adjuntamos su factura {number} por {amount}.", "Le rogamos que la pague a más tardar el {due}.",
		}, nil},
		email.Receipt: {"Recibo de {seller}: {amount}", []string{
			"Hemos recibido su pago de {amount} el {date}. Gracias.", "Era de la factura {number}.",
			"Adjuntamos su recibo.",
		}, nil},
		email.PaymentFailed: {"Su pago a {seller} no se ha realizado", []string{
			"Su pago de {amount} no se ha realizado.", "Era de la factura {number}.", "Lo intentaremos de nuevo el {next}.",
			"Le rogamos que revise su método de pago o elija otro.",
		}, nil},
		email.ConfirmationNeeded: {"Confirme su pago a {seller}", []string{
			"Su pago de {amount} necesita su confirmación.", "Es de la factura {number}.",
			"Le rogamos que lo confirme a más tardar el {by} con este enlace:",
		}, nil},
		email.TrialWillEnd: {"Su prueba de {plan} termina el {date}", []string{
			"Su prueba de {plan} termina el {date}. Después, la suscripción es de pago.",
		}, []string{"Su prueba de {plan} termina el {date}. Su suscripción termina con ella y no paga nada."}},
		email.RenewalReminder: {"Su suscripción a {plan} se renueva el {date}", []string{
			"Su suscripción a {plan} se renueva el {date} y cuesta {amount}.", "Ese día se le pedirá que apruebe el pago.",
		}, nil},
		email.CardWillExpire: {"Su tarjeta caduca pronto", []string{
			"Su tarjeta {card}, con la que paga a {seller}, caduca a finales de {expiry}.",
			"Le rogamos que añada una nueva a tiempo para que sus pagos se realicen.",
		}, nil},
		email.SubscriptionCanceled: {"Su suscripción a {plan} ha terminado", []string{
			"Su suscripción a {plan} terminó el {date}.", "Si no lo esperaba, póngase en contacto con nosotros.",
		}, nil},
		email.CreditNote: {"Nota de crédito {number} de {seller}", []string{
			"Adjuntamos su nota de crédito {number} por {amount}.", "Es de la factura {of}.",
		}, nil},
		email.Refund: {"Reembolso de {seller}: {amount}", []string{
			"Le hemos reembolsado {amount} el {date}.", "El pago era de la factura {number}.",
			"Su banco puede tardar unos días en mostrarlo.",
		}, nil},
	},
}
