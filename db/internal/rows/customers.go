package rows

// CustomerInsert writes a new one.
var CustomerInsert = customers.statement("CustomerInsert", `
insert into customers ({columns}) values ({values})`,
	customers.but("position", "revision", "erased_at", "usage_salt"), nil)

// CustomerUpdate writes what may change. The revision is the one that the caller read under lock: a stale one changes
// nothing, which the caller is told.
var CustomerUpdate = customers.statement("CustomerUpdate", `
with written as (
    update customers
    set {assignments}
    where environment_id = @environment_id and id = @id and revision = @revision and erased_at is null
    returning 1
)
select 1 / count(*) from written`,
	customers.but(
		"id", "environment_id", "test_clock_id", "created_at", "position", // never change
		"erased_at", "usage_salt", // have writers of their own
	),
	computed{"revision": "revision + 1"})
