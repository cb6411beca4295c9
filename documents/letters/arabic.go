package letters

import "perennial/billing/email"

var arabic = texts{
	Hello: "مرحبًا {customer}،", Greeting: "مرحبًا،",
	Pay: "دفع الفاتورة", View: "عرض الفاتورة", Confirm: "تأكيد الدفع",
	Kinds: map[email.Kind]kind{
		email.InvoiceIssued: {"الفاتورة {number} من {seller}", []string{
			"تجدون فاتورتكم {number} بمبلغ {amount} مرفقة.", "يرجى دفعها في موعد أقصاه {due}.",
		}, nil},
		email.Receipt: {"إيصال من {seller}: {amount}", []string{
			"استلمنا دفعتكم بمبلغ {amount} في {date}. شكرًا لكم.", "كانت للفاتورة {number}.", "تجدون إيصالكم مرفقًا.",
		}, nil},
		email.PaymentFailed: {"لم تنجح دفعتكم إلى {seller}", []string{
			"لم تنجح دفعتكم بمبلغ {amount}.", "كانت للفاتورة {number}.", "سنحاول مرة أخرى في {next}.",
			"يرجى التحقق من وسيلة الدفع أو اختيار وسيلة أخرى.",
		}, nil},
		email.ConfirmationNeeded: {"يرجى تأكيد دفعتكم إلى {seller}", []string{
			"تحتاج دفعتكم بمبلغ {amount} إلى تأكيدكم.", "هي للفاتورة {number}.",
			"يرجى تأكيدها في موعد أقصاه {by} عبر هذا الرابط:",
		}, nil},
		email.TrialWillEnd: {"تنتهي الفترة التجريبية لـ {plan} في {date}", []string{
			"تنتهي فترتكم التجريبية لـ {plan} في {date}. بعد ذلك يصبح الاشتراك مدفوعًا.",
		}, []string{"تنتهي فترتكم التجريبية لـ {plan} في {date}. ينتهي اشتراككم معها ولا تدفعون شيئًا."}},
		email.RenewalReminder: {"يتجدد اشتراككم في {plan} في {date}", []string{
			"يتجدد اشتراككم في {plan} في {date} ويكلف {amount}.", "في ذلك اليوم سيُطلب منكم الموافقة على الدفع.",
		}, nil},
		email.CardWillExpire: {"تنتهي صلاحية بطاقتكم قريبًا", []string{
			"تنتهي صلاحية بطاقتكم {card} التي تدفعون بها إلى {seller} في نهاية {expiry}.",
			"يرجى إضافة بطاقة جديدة في الوقت المناسب لتنجح دفعاتكم.",
		}, nil},
		email.SubscriptionCanceled: {"انتهى اشتراككم في {plan}", []string{
			"انتهى اشتراككم في {plan} في {date}.", "إذا لم تتوقعوا ذلك، فيرجى التواصل معنا.",
		}, nil},
		email.CreditNote: {"الإشعار الدائن {number} من {seller}", []string{
			"تجدون إشعاركم الدائن {number} بمبلغ {amount} مرفقًا.", "هو للفاتورة {of}.",
		}, nil},
		email.Refund: {"استرداد من {seller}: {amount}", []string{
			"أعدنا إليكم {amount} في {date}.", "كانت الدفعة للفاتورة {number}.", "قد يحتاج مصرفكم إلى بضعة أيام لإظهارها.",
		}, nil},
	},
}
