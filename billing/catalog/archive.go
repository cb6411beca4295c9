package catalog

// namedPlans bounds how many plans a refusal names.
const namedPlans = 5

// CheckArchived refuses changes that archive all active plans of a catalogue, or more than half of them, because the
// file has them no longer. Such a file is more often empty, cut off or meant for another environment than it is right;
// plans that it says `active: false` about do not count. Fault: catalog_archives_most.
func CheckArchived(changes []Change) error {
	active := 0
	var absent []string
	for _, c := range changes {
		if c.Was != nil && c.Was.Active && c.Was.Key != "" {
			active++
		}
		if c.Absent {
			absent = append(absent, c.Was.Key)
		}
	}
	return archivesMost("plans", absent, active)
}
