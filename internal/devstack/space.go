package devstack

import "fmt"

// RequireSpace refuses a directory whose disk has too little room. A server that finds the disk full answers late or
// never, and its log, which would say why, is cut off as well.
func RequireSpace(dir string, need uint64) error {
	free, known := freeSpace(dir)
	if !known || free >= need {
		return nil
	}
	return fmt.Errorf("the disk of %s has %d MB free, and %d MB are needed: make room there", dir, free>>20, need>>20)
}
