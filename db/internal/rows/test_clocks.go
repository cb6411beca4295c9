package rows

// TestClockInsert writes a new one.
var TestClockInsert = testClocks.insert("TestClockInsert", testClocks.but("position", "revision", "deleted_at"))

// TestClockUpdate writes the columns that may change, if the row is of the revision read.
var TestClockUpdate = testClocks.update("TestClockUpdate", ofRevision,
	testClocks.but("id", "environment_id", "name", "created_at", "position"), computed{"revision": "revision + 1"})
