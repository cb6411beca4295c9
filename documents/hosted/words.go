package hosted

import "perennial/billing/hosted"

// Text has the words of the page in one language, besides those of the document.
type Text struct {
	Messages                 map[hosted.State]string
	Troubles                 map[Trouble]string
	Declined, NoWay          string
	Pay                      string // with {amount}
	PayWith, PayByPhone      string
	WalletNumber             string
	WhichOperator            string // of the number that follows
	Confirm, Card, Whole     string
	UnknownTitle, UnknownWhy string // the page of a link that opens nothing
}

// TextOf returns the words in a language; there are some for each language of documents.
func TextOf(tag string) Text { return texts[tag] }

var texts = map[string]Text{
	"en": {
		Messages: messages(
			"This link has expired. Please ask the seller for a new one.",
			"Nothing is to be paid.",
			"Thank you. This invoice is paid.",
			"Your bank asks you to confirm the payment.",
			"Please confirm the payment on your phone. This page refreshes itself.",
			"The payment is being processed. This page refreshes itself.",
			"Several payments have failed. Please try again in an hour.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "No operator can be asked for this number. Check it, with the code of its country.",
			NotNow:   "This invoice cannot be paid at the moment. Pay older invoices first, or try again in a few minutes.",
		},
		Declined: "The last payment failed. You can try again.",
		NoWay:    "This invoice cannot be paid on this page. Please ask the seller how to pay it.",
		Pay:      "Pay {amount}", PayWith: "Pay with", PayByPhone: "Pay by mobile money",
		WalletNumber:  "Mobile money number, with the code of its country",
		WhichOperator: "Operator of", Confirm: "Confirm the payment", Card: "Card", Whole: "Show the whole invoice",
		UnknownTitle: "This link does not exist",
		UnknownWhy:   "Check that you opened the whole link, or ask the seller for a new one.",
	},
	"de": {
		Messages: messages(
			"Dieser Link ist abgelaufen. Bitten Sie den Verkäufer um einen neuen.",
			"Es ist nichts zu zahlen.",
			"Vielen Dank. Diese Rechnung ist bezahlt.",
			"Ihre Bank bittet Sie, die Zahlung zu bestätigen.",
			"Bitte bestätigen Sie die Zahlung auf Ihrem Telefon. Diese Seite aktualisiert sich selbst.",
			"Die Zahlung wird bearbeitet. Diese Seite aktualisiert sich selbst.",
			"Mehrere Zahlungen sind fehlgeschlagen. Bitte versuchen Sie es in einer Stunde noch einmal.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "Für diese Nummer ist kein Anbieter erreichbar. Prüfen Sie die Nummer mit der Landesvorwahl.",
			NotNow: "Diese Rechnung kann gerade nicht bezahlt werden. Zahlen Sie zuerst ältere Rechnungen, oder versuchen Sie es " +
				"in einigen Minuten noch einmal.",
		},
		Declined: "Die letzte Zahlung ist fehlgeschlagen. Sie können es noch einmal versuchen.",
		NoWay:    "Diese Rechnung kann auf dieser Seite nicht bezahlt werden. Bitte fragen Sie den Verkäufer.",
		Pay:      "{amount} zahlen", PayWith: "Zahlen mit", PayByPhone: "Mit Mobile Money zahlen",
		WalletNumber:  "Mobile-Money-Nummer mit Landesvorwahl",
		WhichOperator: "Anbieter von", Confirm: "Zahlung bestätigen", Card: "Karte", Whole: "Ganze Rechnung zeigen",
		UnknownTitle: "Diesen Link gibt es nicht",
		UnknownWhy:   "Prüfen Sie, ob Sie den ganzen Link geöffnet haben, oder bitten Sie den Verkäufer um einen neuen.",
	},
	"fr": {
		Messages: messages(
			"Ce lien a expiré. Demandez-en un nouveau au vendeur.",
			"Il n’y a rien à payer.",
			"Merci. Cette facture est payée.",
			"Votre banque vous demande de confirmer le paiement.",
			"Confirmez le paiement sur votre téléphone. Cette page s’actualise d’elle-même.",
			"Le paiement est en cours. Cette page s’actualise d’elle-même.",
			"Plusieurs paiements ont échoué. Réessayez dans une heure.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "Aucun opérateur ne répond pour ce numéro. Vérifiez-le, avec l’indicatif du pays.",
			NotNow: "Cette facture ne peut pas être payée pour le moment. Payez d’abord les factures plus anciennes, ou réessayez " +
				"dans quelques minutes.",
		},
		Declined: "Le dernier paiement a échoué. Vous pouvez réessayer.",
		NoWay:    "Cette facture ne peut pas être payée sur cette page. Demandez au vendeur comment la payer.",
		Pay:      "Payer {amount}", PayWith: "Payer avec", PayByPhone: "Payer par mobile money",
		WalletNumber:  "Numéro mobile money, avec l’indicatif du pays",
		WhichOperator: "Opérateur du", Confirm: "Confirmer le paiement", Card: "Carte", Whole: "Voir toute la facture",
		UnknownTitle: "Ce lien n’existe pas",
		UnknownWhy:   "Vérifiez que vous avez ouvert le lien entier, ou demandez-en un nouveau au vendeur.",
	},
	"es": {
		Messages: messages(
			"Este enlace ha caducado. Pida uno nuevo al vendedor.",
			"No hay nada que pagar.",
			"Gracias. Esta factura está pagada.",
			"Su banco le pide que confirme el pago.",
			"Confirme el pago en su teléfono. Esta página se actualiza sola.",
			"El pago se está procesando. Esta página se actualiza sola.",
			"Varios pagos han fallado. Inténtelo de nuevo dentro de una hora.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "Ningún operador responde para este número. Compruébelo, con el prefijo del país.",
			NotNow: "Esta factura no se puede pagar en este momento. Pague antes las facturas anteriores, o inténtelo de nuevo en unos " +
				"minutos.",
		},
		Declined: "El último pago ha fallado. Puede intentarlo de nuevo.",
		NoWay:    "Esta factura no se puede pagar en esta página. Pregunte al vendedor cómo pagarla.",
		Pay:      "Pagar {amount}", PayWith: "Pagar con", PayByPhone: "Pagar con dinero móvil",
		WalletNumber:  "Número de dinero móvil, con el prefijo del país",
		WhichOperator: "Operador del", Confirm: "Confirmar el pago", Card: "Tarjeta", Whole: "Ver la factura completa",
		UnknownTitle: "Este enlace no existe",
		UnknownWhy:   "Compruebe que ha abierto el enlace completo, o pida uno nuevo al vendedor.",
	},
	"pt": {
		Messages: messages(
			"Este link expirou. Peça um novo ao vendedor.",
			"Não há nada a pagar.",
			"Obrigado. Esta fatura está paga.",
			"O seu banco pede que confirme o pagamento.",
			"Confirme o pagamento no seu telefone. Esta página atualiza-se sozinha.",
			"O pagamento está a ser processado. Esta página atualiza-se sozinha.",
			"Vários pagamentos falharam. Tente novamente dentro de uma hora.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "Nenhum operador responde por este número. Verifique-o, com o indicativo do país.",
			NotNow: "Esta fatura não pode ser paga de momento. Pague primeiro as faturas anteriores, ou tente novamente dentro de alguns " +
				"minutos.",
		},
		Declined: "O último pagamento falhou. Pode tentar novamente.",
		NoWay:    "Esta fatura não pode ser paga nesta página. Pergunte ao vendedor como a pagar.",
		Pay:      "Pagar {amount}", PayWith: "Pagar com", PayByPhone: "Pagar com dinheiro móvel",
		WalletNumber:  "Número de dinheiro móvel, com o indicativo do país",
		WhichOperator: "Operador do", Confirm: "Confirmar o pagamento", Card: "Cartão", Whole: "Ver a fatura completa",
		UnknownTitle: "Este link não existe",
		UnknownWhy:   "Verifique se abriu o link completo, ou peça um novo ao vendedor.",
	},
	"it": {
		Messages: messages(
			"Questo link è scaduto. Ne chieda uno nuovo al venditore.",
			"Non c’è nulla da pagare.",
			"Grazie. Questa fattura è pagata.",
			"La sua banca le chiede di confermare il pagamento.",
			"Confermi il pagamento sul telefono. Questa pagina si aggiorna da sola.",
			"Il pagamento è in corso. Questa pagina si aggiorna da sola.",
			"Diversi pagamenti non sono riusciti. Riprovi tra un’ora.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "Nessun operatore risponde per questo numero. Lo controlli, con il prefisso del paese.",
			NotNow: "Questa fattura non può essere pagata al momento. Paghi prima le fatture precedenti, o riprovi tra qualche " +
				"minuto.",
		},
		Declined: "L’ultimo pagamento non è riuscito. Può riprovare.",
		NoWay:    "Questa fattura non può essere pagata su questa pagina. Chieda al venditore come pagarla.",
		Pay:      "Paga {amount}", PayWith: "Paga con", PayByPhone: "Paga con mobile money",
		WalletNumber:  "Numero mobile money, con il prefisso del paese",
		WhichOperator: "Operatore del", Confirm: "Conferma il pagamento", Card: "Carta", Whole: "Mostra tutta la fattura",
		UnknownTitle: "Questo link non esiste",
		UnknownWhy:   "Controlli di aver aperto tutto il link, o ne chieda uno nuovo al venditore.",
	},
	"nl": {
		Messages: messages(
			"Deze link is verlopen. Vraag de verkoper om een nieuwe.",
			"Er hoeft niets te worden betaald.",
			"Bedankt. Deze factuur is betaald.",
			"Uw bank vraagt u om de betaling te bevestigen.",
			"Bevestig de betaling op uw telefoon. Deze pagina ververst zichzelf.",
			"De betaling wordt verwerkt. Deze pagina ververst zichzelf.",
			"Meerdere betalingen zijn mislukt. Probeer het over een uur opnieuw.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "Voor dit nummer is geen aanbieder bereikbaar. Controleer het, met de landcode.",
			NotNow: "Deze factuur kan op dit moment niet worden betaald. Betaal eerst oudere facturen, of probeer het over enkele " +
				"minuten opnieuw.",
		},
		Declined: "De laatste betaling is mislukt. U kunt het opnieuw proberen.",
		NoWay:    "Deze factuur kan niet op deze pagina worden betaald. Vraag de verkoper hoe u kunt betalen.",
		Pay:      "{amount} betalen", PayWith: "Betalen met", PayByPhone: "Betalen met mobile money",
		WalletNumber:  "Mobile-moneynummer, met de landcode",
		WhichOperator: "Aanbieder van", Confirm: "De betaling bevestigen", Card: "Kaart", Whole: "De hele factuur tonen",
		UnknownTitle: "Deze link bestaat niet",
		UnknownWhy:   "Controleer of u de hele link hebt geopend, of vraag de verkoper om een nieuwe.",
	},
	"sw": {
		Messages: messages(
			"Kiungo hiki kimekwisha muda. Tafadhali omba kipya kwa muuzaji.",
			"Hakuna cha kulipa.",
			"Asante. Ankara hii imelipwa.",
			"Benki yako inakuomba uthibitishe malipo.",
			"Tafadhali thibitisha malipo kwenye simu yako. Ukurasa huu hujisasisha wenyewe.",
			"Malipo yanashughulikiwa. Ukurasa huu hujisasisha wenyewe.",
			"Malipo kadhaa yameshindikana. Tafadhali jaribu tena baada ya saa moja.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "Hakuna mtandao unaopatikana kwa namba hii. Ihakikishe, pamoja na msimbo wa nchi.",
			NotNow:   "Ankara hii haiwezi kulipwa kwa sasa. Lipa ankara za awali kwanza, au jaribu tena baada ya dakika chache.",
		},
		Declined: "Malipo ya mwisho yameshindikana. Unaweza kujaribu tena.",
		NoWay:    "Ankara hii haiwezi kulipwa kwenye ukurasa huu. Tafadhali muulize muuzaji jinsi ya kuilipa.",
		Pay:      "Lipa {amount}", PayWith: "Lipa kwa", PayByPhone: "Lipa kwa pesa za simu",
		WalletNumber:  "Namba ya pesa za simu, pamoja na msimbo wa nchi",
		WhichOperator: "Mtandao wa", Confirm: "Thibitisha malipo", Card: "Kadi", Whole: "Onyesha ankara yote",
		UnknownTitle: "Kiungo hiki hakipo",
		UnknownWhy:   "Hakikisha umefungua kiungo chote, au omba kipya kwa muuzaji.",
	},
	"ar": {
		Messages: messages(
			"انتهت صلاحية هذا الرابط. اطلب رابطًا جديدًا من البائع.",
			"لا يوجد ما يُدفع.",
			"شكرًا لك. هذه الفاتورة مدفوعة.",
			"يطلب منك مصرفك تأكيد الدفع.",
			"يرجى تأكيد الدفع على هاتفك. تُحدَّث هذه الصفحة تلقائيًا.",
			"تجري معالجة الدفع. تُحدَّث هذه الصفحة تلقائيًا.",
			"فشلت عدة عمليات دفع. يرجى المحاولة مرة أخرى بعد ساعة.",
		),
		Troubles: map[Trouble]string{
			NoWallet: "لا يوجد مشغّل متاح لهذا الرقم. تحقق منه مع رمز البلد.",
			NotNow:   "لا يمكن دفع هذه الفاتورة الآن. ادفع الفواتير الأقدم أولًا، أو حاول مرة أخرى بعد بضع دقائق.",
		},
		Declined: "فشلت آخر عملية دفع. يمكنك المحاولة مرة أخرى.",
		NoWay:    "لا يمكن دفع هذه الفاتورة في هذه الصفحة. اسأل البائع عن طريقة الدفع.",
		Pay:      "ادفع {amount}", PayWith: "الدفع بواسطة", PayByPhone: "الدفع بمحفظة الهاتف",
		WalletNumber:  "رقم محفظة الهاتف مع رمز البلد",
		WhichOperator: "مشغّل الرقم", Confirm: "تأكيد الدفع", Card: "بطاقة", Whole: "عرض الفاتورة كاملة",
		UnknownTitle: "هذا الرابط غير موجود",
		UnknownWhy:   "تحقق من أنك فتحت الرابط كاملًا، أو اطلب رابطًا جديدًا من البائع.",
	},
}

// messages are those of the states in which the page asks for no payment.
func messages(expired, ended, paid, confirm, prompt, waiting, resting string) map[hosted.State]string {
	return map[hosted.State]string{
		hosted.Expired: expired, hosted.Ended: ended, hosted.Paid: paid, hosted.Confirm: confirm, hosted.Prompt: prompt,
		hosted.Waiting: waiting, hosted.Resting: resting,
	}
}
