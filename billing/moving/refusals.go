package moving

import "perennial/billing/fault"

// The refusals that depend on existing records.
var (
	// ErrChanged refuses a record whose external id was imported with other contents.
	ErrChanged = fault.New(fault.Conflict, "import_record_changed",
		"A record with this id was imported before, with other contents. Change it by the API, or send it as it was.").In("id")
	// ErrErased refuses a record of a customer who was deleted here after the import.
	ErrErased = fault.New(fault.Conflict, "import_record_erased",
		"The customer of this record was deleted here. Remove the record from the file.").In("id")
	// ErrCustomerUnknown refuses a record of a customer who is neither here nor in the files.
	ErrCustomerUnknown = fault.InvalidParam("customer", "import_customer_unknown",
		"No customer has this id, here or in the files. Import the customer's record too, and correct it if it is refused.")
	// ErrCustomerRefused refuses a record of a customer whose own record was refused in the same run: the customer who has
	// the id here may be another one.
	ErrCustomerRefused = fault.InvalidParam("customer", "import_customer_refused",
		"The record of this customer was refused in this run. Correct that record first, and import again.")
	// ErrMethodUnknown refuses a payment method that the customer does not have.
	ErrMethodUnknown = fault.InvalidParam("paymentMethod", "import_payment_method_unknown",
		"The customer has no payment method with this id, here or in the files. Import its record too, or omit the field.")
	// ErrOnTestClock refuses a record of a customer whose time is not the present.
	ErrOnTestClock = fault.InvalidParam("customer", "import_customer_on_test_clock",
		"The customer is on a test clock, whose time the period of the record is not in. Use a customer without a clock.")
	// ErrDiffers refuses an object of the catalogue that is here with other contents.
	ErrDiffers = fault.New(fault.Conflict, "import_catalog_differs",
		"The environment has it already, under the same key, code or name, with other terms. Remove the record, or make both the same.")
	// ErrVersionGap refuses a version whose predecessor is missing.
	ErrVersionGap = fault.InvalidParam("version", "import_version_gap",
		"The version before this one is not here. Send the records of all versions, in their order.")
	// ErrProductUnknown refuses a product that the environment does not have.
	ErrProductUnknown = fault.InvalidParam("product", "import_product_unknown",
		"No product has this id. Import its record too, or omit the field.")
	// ErrPlanUnknown refuses a plan that the environment does not have.
	ErrPlanUnknown = fault.InvalidParam("plan", "import_plan_unknown",
		"No plan has this id, key or name. Create the plan first, or correct the record.")
	// ErrPlanAmbiguous refuses a name that several plans have.
	ErrPlanAmbiguous = fault.InvalidParam("plan", "import_plan_ambiguous",
		"Several plans have this name. Send the id of the one that is meant.")
	// ErrVersionUnknown refuses a version that the plan does not have.
	ErrVersionUnknown = fault.InvalidParam("planVersion", "import_plan_version_unknown",
		"The plan has no such version. Create it first, or omit the version to get the newest.")
)
