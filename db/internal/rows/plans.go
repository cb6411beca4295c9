package rows

// PlanInsert writes one version of a plan. The database reads the plan and the number of the version from its id.
var PlanInsert = plans.statement("PlanInsert", `
insert into plans ({columns}) values ({values})`, plans.but("position", "plan_id", "version"), nil)

// PlanUpdate writes what may change, in all versions. The rest is what subscriptions were sold, so that the columns are
// named.
var PlanUpdate = plans.statement("PlanUpdate", `
with written as (
    update plans
    set {assignments}
    where environment_id = @environment_id and plan_id = @plan_id
    returning 1
)
select 1 / count(*) from written`,
	plans.only("catalog_key", "product_id", "name", "active", "dunning", "metadata", "proration_measure"), nil)
