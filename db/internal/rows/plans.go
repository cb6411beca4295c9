package rows

// PlanInsert writes one version of a plan. The database reads the plan and the number of the version from its id.
var PlanInsert = plans.insert("PlanInsert", plans.but("position", "plan_id", "version"))

// PlanUpdate writes what may change, in all versions. The rest is what subscriptions were sold, so that the columns are
// named.
var PlanUpdate = plans.update("PlanUpdate", "environment_id = @environment_id and plan_id = @plan_id",
	plans.only("catalog_key", "product_id", "name", "active", "features", "dunning", "metadata", "proration_measure"), nil)
