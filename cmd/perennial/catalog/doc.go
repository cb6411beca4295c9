// Package catalog owns the commands for catalogue files and their output. It does not own the form of the file
// (api/catalog) or the rules of applying one (service/catalog).
package catalog
