// Package catalog owns the commands about catalogue files, and what they show. It does not own the form of the file
// (api/catalog) or what applying one means (service/catalog).
package catalog
