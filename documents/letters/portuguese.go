package letters

import "perennial/billing/email"

var portuguese = texts{
	Hello: "Olá, {customer},", Greeting: "Olá,",
	Pay: "Pagar a fatura", View: "Ver a fatura", Confirm: "Confirmar o pagamento",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"Fatura {number} de {seller}", []string{
			"A sua fatura {number} de {amount} segue em anexo.", "Pedimos que a pague até {due}.",
		}, nil},
		email.Receipt: {"Recibo de {seller}: {amount}", []string{
			"Recebemos o seu pagamento de {amount} em {date}. Obrigado.", "Era da fatura {number}.",
			"O seu recibo segue em anexo.",
		}, nil},
		email.PaymentFailed: {"O seu pagamento a {seller} não foi concluído", []string{
			"O seu pagamento de {amount} não foi concluído.", "Era da fatura {number}.", "Tentaremos de novo em {next}.",
			"Pedimos que verifique o seu método de pagamento ou escolha outro.",
		}, nil},
		email.ConfirmationNeeded: {"Confirme o seu pagamento a {seller}", []string{
			"O seu pagamento de {amount} precisa da sua confirmação.", "É da fatura {number}.",
			"Pedimos que o confirme até {by}, através deste link:",
		}, nil},
		email.TrialWillEnd: {"O seu período de teste de {plan} termina em {date}", []string{
			"O seu período de teste de {plan} termina em {date}. Depois disso, a assinatura é paga.",
		}, []string{"O seu período de teste de {plan} termina em {date}. A sua assinatura termina com ele, e não paga nada."}},
		email.RenewalReminder: {"A sua assinatura de {plan} é renovada em {date}", []string{
			"A sua assinatura de {plan} é renovada em {date} e custa {amount}.",
			"Nesse dia, será pedido que aprove o pagamento.",
		}, nil},
		email.CardWillExpire: {"O seu cartão expira em breve", []string{
			"O seu cartão {card}, com que paga a {seller}, expira no fim de {expiry}.",
			"Pedimos que adicione um novo a tempo, para que os seus pagamentos sejam concluídos.",
		}, nil},
		email.SubscriptionCanceled: {"A sua assinatura de {plan} terminou", []string{
			"A sua assinatura de {plan} terminou em {date}.", "Se não o esperava, entre em contacto connosco.",
		}, nil},
		email.CreditNote: {"Nota de crédito {number} de {seller}", []string{
			"A sua nota de crédito {number} de {amount} segue em anexo.", "É da fatura {of}.",
		}, nil},
		email.Refund: {"Reembolso de {seller}: {amount}", []string{
			"Reembolsámos-lhe {amount} em {date}.", "O pagamento era da fatura {number}.",
			"O seu banco pode demorar alguns dias a mostrá-lo.",
		}, nil},
	},
}
