package rows

// PlanInsert writes one version of a plan. The database derives the plan and the number of the version from its id, and
// the tax category from its product.
var PlanInsert = plans.insert("PlanInsert", plans.but("position", "plan_id", "version", "tax_category"))

// PlanUpdate writes the columns that may change, in all versions. It names them, since all other columns were sold to
// subscriptions.
var PlanUpdate = plans.update("PlanUpdate", "environment_id = @environment_id and plan_id = @plan_id",
	plans.only("catalog_key", "product_id", "name", "active", "features", "dunning", "metadata", "proration_measure"), nil)
