package rows

// TestClockInsert writes a new one.
var TestClockInsert = testClocks.statement("TestClockInsert", `
insert into test_clocks ({columns}) values ({values})`, testClocks.but("position", "revision", "deleted_at"), nil)

// TestClockUpdate writes what may change of one that is of the revision read.
var TestClockUpdate = testClocks.statement("TestClockUpdate", `
with written as (
    update test_clocks
    set {assignments}
    where environment_id = @environment_id and id = @id and revision = @revision
    returning 1
)
select 1 / count(*) from written`,
	testClocks.but("id", "environment_id", "name", "created_at", "position"), computed{"revision": "revision + 1"})
